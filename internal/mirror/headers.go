package mirror

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Header is one header of a call. The name is spelled as the tool's author did;
// assign it to a http.Header's map as it is, since Set would change it (P3).
type Header struct {
	// Name begins with Mcp-Param-.
	Name string
	// Value is encoded.
	Value string
}

// Headers returns the headers for a call with these arguments, sorted by name:
// one for each annotated property whose argument is there, is not null and is of
// the declared type. Strings are written as EncodeValue does, booleans as true
// or false, integers as their exact decimal digits, however they were spelled
// (42.0, 4.2e1); R080, R083. An argument of another type gives no header and is
// left for the server to complain about.
//
// arguments is valid JSON, mostly an object, or nil. The error wraps
// errors.ErrInvalidParams and names the argument: an integer beyond 2^53-1, which
// peers would not read alike (P73).
func (b Bindings) Headers(arguments json.RawMessage) ([]Header, error) {
	if len(b) == 0 || len(arguments) == 0 {
		return nil, nil
	}
	c := jsonscan.TrustedCursor(arguments)
	found, err := b.collect(&c, nil, nil)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(x, y Header) int { return strings.Compare(x.Name, y.Name) })
	return found, nil
}

// collect consumes a value and appends the headers of its members.
func (b Bindings) collect(c *jsonscan.Cursor, found []Header, place []string) ([]Header, error) {
	if !c.Object() {
		c.Value()
		return found, nil
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		p := b[string(name)]
		if p == nil {
			c.Value()
			continue
		}
		var err error
		at := append(place[:len(place):len(place)], string(name))
		if p.below != nil && c.Kind() == '{' {
			found, err = p.below.collect(c, found, at)
		} else if p.header != "" {
			found, err = p.add(c.Value(), found, at)
		} else {
			c.Value()
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// add appends the header of one argument. Of a member that is there twice the
// last one counts, as it does for most readers.
func (p *property) add(raw []byte, found []Header, place []string) ([]Header, error) {
	found = slices.DeleteFunc(found, func(h Header) bool { return h.Name == p.header })
	value, ok := p.value(raw)
	if ok {
		return append(found, Header{Name: p.header, Value: value}), nil
	}
	if p.kind == kindInteger && isInteger(raw) {
		return nil, fmt.Errorf("%w: argument %q becomes a header and must be an integer within ±%d",
			errors.ErrInvalidParams, errors.PeerText(strings.Join(place, "."), 200), largestInteger)
	}
	return found, nil
}

func (p *property) value(raw []byte) (string, bool) {
	switch p.kind {
	case kindString:
		text, ok := jsonscan.String(raw)
		if !ok {
			return "", false
		}
		return EncodeValue(text), true
	case kindInteger:
		return integer(raw)
	case kindBoolean:
		text := string(raw)
		return text, text == "true" || text == "false"
	default:
		return "", false
	}
}
