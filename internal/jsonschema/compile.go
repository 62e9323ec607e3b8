package jsonschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// The bounds of a schema (R037).
const (
	// MaxBytes is the longest schema that compiles.
	MaxBytes = 256 << 10
	// maxNesting is how many objects and arrays may be open at once.
	maxNesting = 128
	// maxSchemas is how many schemas a document may hold, itself included.
	maxSchemas = 5000
	// maxPatternSize bounds the program that a regular expression becomes.
	maxPatternSize = 10_000
)

// Compile reads a schema. The error says what makes it unusable, and where: it
// is no JSON, too large or too deep; its dialect is not known; a keyword has a
// value of the wrong kind; a pattern is none of package regexp; or a reference
// leads out of the schema, where nothing is fetched (R035, R036).
func Compile(document []byte) (*Schema, error) {
	if len(document) > MaxBytes {
		return nil, fmt.Errorf("%d bytes are too many; allowed: %d", len(document), MaxBytes)
	}
	if err := jsonscan.Check(document); err != nil {
		return nil, err
	}
	if nesting(document) > maxNesting {
		return nil, fmt.Errorf("more than %d objects and arrays are nested", maxNesting)
	}
	raw, err := decode(document)
	if err != nil {
		return nil, err
	}
	c := &compiler{schemas: map[string]*schema{}, resources: map[string]*resource{}}
	if c.draft07, err = dialect(raw); err != nil {
		return nil, err
	}
	whole := &resource{uri: &url.URL{Scheme: "schema", Path: "/"}, raw: raw}
	c.resources[whole.uri.String()] = whole
	root := c.compile(raw, "", whole)
	whole.root = root
	for len(c.links) > 0 && c.err == nil {
		link := c.links[0]
		c.links = c.links[1:]
		link()
	}
	if c.err != nil {
		return nil, c.err
	}
	for _, s := range c.schemas {
		s.resource.raw = nil // no longer needed
	}
	return &Schema{root: root, collects: c.collects}, nil
}

// decode reads a JSON text, numbers as json.Number.
func decode(document []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// nesting is how many brackets are open at once in a valid text.
func nesting(document []byte) (deepest int) {
	depth := 0
	for pos := 0; pos < len(document); pos++ {
		switch document[pos] {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		case '"':
			pos = jsonscan.Skip(document, pos) - 1
		}
	}
	return deepest
}

// dialect reads $schema: it reports draft-07, an error for a dialect that is not
// supported, and otherwise 2020-12.
func dialect(raw any) (draft07 bool, err error) {
	members, _ := raw.(map[string]any)
	value, found := members["$schema"]
	if !found {
		return false, nil
	}
	name, _ := value.(string)
	_, name, _ = strings.Cut(strings.TrimRight(name, "#/"), "://")
	switch name {
	case "json-schema.org/draft/2020-12/schema":
		return false, nil
	case "json-schema.org/draft-07/schema":
		return true, nil
	default:
		return false, fmt.Errorf("the dialect %s is not supported; supported: 2020-12, draft-07", shown(fmt.Sprint(value)))
	}
}

// compiler holds what is known while a document is compiled. The first error is
// kept; what is compiled after it is not used.
type compiler struct {
	draft07   bool
	schemas   map[string]*schema // by place
	resources map[string]*resource
	links     []func() // references, looked up when everything is known
	collects  bool
	err       error
}

func (c *compiler) fail(place, format string, arguments ...any) {
	if c.err == nil {
		c.err = unusable(place, format, arguments...)
	}
}

// compile compiles the schema at a place, once.
func (c *compiler) compile(raw any, place string, within *resource) *schema {
	if known := c.schemas[place]; known != nil {
		return known
	}
	s := &schema{place: place, resource: within}
	if len(c.schemas) >= maxSchemas {
		c.fail(place, "more than %d schemas", maxSchemas)
		return s
	}
	c.schemas[place] = s
	switch value := raw.(type) {
	case bool:
		s.never = !value
	case map[string]any:
		keywords{c, s, value}.read()
	default:
		c.fail(place, "a schema must be an object, true or false, found %s", kindOf(raw))
	}
	return s
}

// refer looks a reference up, once everything is compiled.
func (c *compiler) refer(from *schema, reference string, found func(target *schema, anchor string)) {
	c.links = append(c.links, func() {
		target, anchor, err := c.resolve(from, reference)
		switch {
		case c.err != nil:
		case err != nil:
			c.fail(from.place, "the reference %s %s", strconv.Quote(shown(reference)), err)
		default:
			found(target, anchor)
		}
	})
}

// resolve finds the target of a reference within the document. anchor is set if
// the reference names an anchor.
func (c *compiler) resolve(from *schema, reference string) (target *schema, anchor string, err error) {
	parsed, err := url.Parse(reference)
	if err != nil {
		return nil, "", errors.New("is no URI reference")
	}
	uri := from.resource.uri.ResolveReference(parsed)
	fragment := uri.Fragment
	within := c.resources[withoutFragment(uri)]
	switch {
	case within == nil:
		return nil, "", errors.New("leads out of the schema; nothing is fetched")
	case fragment == "":
		return within.root, "", nil
	case strings.HasPrefix(fragment, "/"):
		target, err = c.at(within, fragment)
		return target, "", err
	case within.anchors[fragment] == nil:
		return nil, "", errors.New("names an anchor that is not there")
	default:
		return within.anchors[fragment], fragment, nil
	}
}

func withoutFragment(uri *url.URL) string {
	bare := *uri
	bare.Fragment, bare.RawFragment = "", ""
	return bare.String()
}

// at returns the schema that a JSON pointer leads to, also where no keyword
// makes it one.
func (c *compiler) at(within *resource, pointer string) (*schema, error) {
	raw, place := within.raw, within.place
	for _, token := range strings.Split(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		var found bool
		switch value := raw.(type) {
		case map[string]any:
			raw, found = value[token]
		case []any:
			index, err := strconv.Atoi(token)
			if found = err == nil && index >= 0 && index < len(value); found {
				raw = value[index]
			}
		}
		if !found {
			return nil, errors.New("leads to nothing")
		}
		place = below(place, token)
		if known := c.schemas[place]; known != nil {
			within = known.resource
		}
	}
	return c.compile(raw, place, within), nil
}

// below is the JSON pointer to a member.
func below(place, token string) string {
	if strings.ContainsAny(token, "~/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
	}
	return place + "/" + token
}
