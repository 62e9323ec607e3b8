package mirror

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// annotation is the schema keyword that asks for a header.
const annotation = "x-mcp-header"

// Bindings says which arguments of a tool become headers: the annotated
// properties as a tree, by name. Nil means none. Bindings are immutable and safe
// for concurrent use.
type Bindings map[string]*property

// property is one property of a schema that is annotated or has annotated
// properties below it.
type property struct {
	header string // complete name; empty if this one is not annotated
	kind   kind
	below  Bindings
}

// kind is the type that an annotated property has.
type kind uint8

const (
	kindOther kind = iota
	kindString
	kindInteger
	kindBoolean
)

// Scan finds the annotations of an input schema. schema must be valid JSON,
// which tools have been checked for on arrival; one that is no object has no
// annotations.
//
// An error means that the tool is invalid over HTTP and must not be offered
// (R081). It wraps errors.ErrProtocol and gives place and reason of the first
// fault: an annotation that is no string, empty or no HTTP token; a second one
// of the same name, ignoring case; a property whose type is not string, integer
// or boolean, alone or together with null (P74); or a place that is not reached
// from the root through "properties" alone. Data (default, const, enum,
// examples) and unknown keywords are not looked into, and a property that is
// called x-mcp-header is no annotation (P70).
func Scan(schema json.RawMessage) (Bindings, error) {
	// The keyword may be hidden by an escape, all of whose letters are \u00xx;
	// only a schema with such an escape is walked in vain.
	if !bytes.Contains(schema, []byte(annotation)) && !bytes.Contains(schema, []byte(`\u00`)) {
		return nil, nil
	}
	s := scanner{names: map[string]bool{}}
	c := jsonscan.TrustedCursor(schema)
	root := s.schema(&c, nil, true)
	if s.fault != nil {
		return nil, s.fault
	}
	if root == nil {
		return nil, nil
	}
	return root.below, nil
}

// scanner holds one walk. After a fault the walk goes on, and later faults are
// ignored.
type scanner struct {
	names map[string]bool // header names so far, in lower case
	fault error
}

// schema consumes one schema and returns what is to be mirrored of it, or nil.
// The place is where it stands, for error texts; only a reachable schema may be
// annotated, and the root may not.
func (s *scanner) schema(c *jsonscan.Cursor, place []string, reachable bool) *property {
	if !c.Object() {
		c.Value() // true, false or nonsense
		return nil
	}
	p := &property{}
	var name, kinds []byte
	for keyword, ok := c.Member(); ok; keyword, ok = c.Member() {
		position := positionOf(keyword)
		if position == positionNone {
			switch string(keyword) {
			case annotation:
				name = c.Value()
			case "type":
				kinds = c.Value()
			default:
				c.Value()
			}
			continue
		}
		at := append(place[:len(place):len(place)], string(keyword))
		switch position {
		case positionProperties:
			p.below = s.properties(c, at, reachable)
		case positionMap:
			s.properties(c, at, false)
		default:
			s.one(c, at)
		}
	}
	if name != nil {
		p.header, p.kind = s.annotated(name, kinds, place, reachable)
	}
	if p.header == "" && p.below == nil {
		return nil
	}
	return p
}

// properties consumes an object whose values are schemas.
func (s *scanner) properties(c *jsonscan.Cursor, place []string, reachable bool) (found Bindings) {
	if !c.Object() {
		c.Value()
		return nil
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		key := string(name)
		p := s.schema(c, append(place[:len(place):len(place)], key), reachable)
		if p == nil {
			continue
		}
		if found == nil {
			found = Bindings{}
		}
		found[key] = p
	}
	return found
}

// one consumes a schema or an array of schemas.
func (s *scanner) one(c *jsonscan.Cursor, place []string) {
	if !c.Array() {
		s.schema(c, place, false)
		return
	}
	for c.Element() {
		s.schema(c, place, false)
	}
}

// annotated checks one annotation and returns the header it asks for.
func (s *scanner) annotated(name, kinds []byte, place []string, reachable bool) (header string, k kind) {
	text, isString := jsonscan.String(name)
	k = kindOf(kinds)
	folded := strings.ToLower(text)
	var reason string
	switch {
	case !isString:
		reason = "is not a string"
	case text == "":
		reason = "is empty"
	case !isToken(text):
		reason = "is not an HTTP token"
	case len(place) == 0 || !reachable:
		reason = `is not reached through "properties" alone`
	case k == kindOther:
		reason = "stands at a type that is not string, integer or boolean"
	case s.names[folded]:
		reason = "is there twice, ignoring case"
	default:
		s.names[folded] = true
		return mcp.HeaderParamPrefix + text, k
	}
	if s.fault == nil {
		s.fault = fmt.Errorf("%w: %s %q at %s %s", errors.ErrProtocol, annotation, errors.PeerText(text, 64), placeText(place), reason)
	}
	return "", kindOther
}

// placeText renders where a schema stands.
func placeText(place []string) string {
	if len(place) == 0 {
		return "the root"
	}
	return errors.PeerText(strings.Join(place, "."), 200)
}

// kindOf reads the "type" keyword.
func kindOf(raw []byte) kind {
	c := jsonscan.TrustedCursor(raw)
	if !c.Array() {
		return kindNamed(raw)
	}
	k := kindOther
	for c.Element() {
		one := c.Value()
		if string(one) == `"null"` {
			continue
		}
		if k != kindOther {
			return kindOther // two types
		}
		if k = kindNamed(one); k == kindOther {
			return kindOther
		}
	}
	return k
}

func kindNamed(raw []byte) kind {
	switch name, _ := jsonscan.String(raw); name {
	case "string":
		return kindString
	case "integer":
		return kindInteger
	case "boolean":
		return kindBoolean
	default:
		return kindOther
	}
}

// isToken reports whether text is a token of RFC 9110, which is what header
// names are made of.
func isToken(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return text != ""
}
