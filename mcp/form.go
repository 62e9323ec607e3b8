package mcp

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// form is the schema of an elicitation as it was read: flat, an object of
// strings, numbers, booleans and choices. What goes beyond that is not looked
// at and restricts nothing.
type form struct {
	fields   []field
	places   map[string]int // of the fields, by name
	required []string
	closed   bool // no other members
}

// field is one property of a form.
type field struct {
	name     string
	fallback json.RawMessage // the default, or nil
	kinds    []string        // the values of "type"; none allows all
	options  []string        // what a string, or an element of an array, must be; nil allows all
	format   string
	// Limits of the value, of its length, of its number of elements; infinite
	// where there are none.
	value, length, items bounds
}

// bounds are inclusive.
type bounds struct{ least, most float64 }

func (b bounds) hold(n float64) bool { return b.least <= n && n <= b.most }

func unbounded() bounds { return bounds{math.Inf(-1), math.Inf(1)} }

// readForm reads a requested schema, which may be nil.
func readForm(schema json.RawMessage) *form {
	f := &form{places: map[string]int{}}
	_ = decodeObject(schema, func(name []byte, c *jsonscan.Cursor) error {
		switch string(name) {
		case "properties":
			f.readFields(c)
		case "required":
			f.required = readTexts(c)
		case "additionalProperties":
			f.closed = string(c.Value()) == "false"
		default:
			c.Value()
		}
		return nil
	})
	return f
}

func (f *form) readFields(c *jsonscan.Cursor) {
	if !c.Object() {
		c.Value()
		return
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		read := readField(string(name), c.Value())
		if place, twice := f.places[read.name]; twice {
			f.fields[place] = read // of two the last, as readers have it
			continue
		}
		f.places[read.name] = len(f.fields)
		f.fields = append(f.fields, read)
	}
}

func readField(name string, schema []byte) field {
	f := field{name: name, value: unbounded(), length: unbounded(), items: unbounded()}
	_ = decodeObject(schema, func(keyword []byte, c *jsonscan.Cursor) error {
		switch string(keyword) {
		case "type":
			f.kinds = readKinds(c)
		case "default":
			f.fallback = readKept(c)
		case "format":
			f.format = readText(c)
		case "enum", "oneOf", "anyOf":
			f.readOptions(string(keyword), c)
		case "items":
			f.readItems(c.Value())
		case "minimum":
			readBound(c, &f.value.least)
		case "maximum":
			readBound(c, &f.value.most)
		case "minLength":
			readBound(c, &f.length.least)
		case "maxLength":
			readBound(c, &f.length.most)
		case "minItems":
			readBound(c, &f.items.least)
		case "maxItems":
			readBound(c, &f.items.most)
		default:
			c.Value()
		}
		return nil
	})
	return f
}

func readKinds(c *jsonscan.Cursor) []string {
	if c.Kind() == '[' {
		return readTexts(c)
	}
	if kind := readText(c); kind != "" {
		return []string{kind}
	}
	return nil
}

func readBound(c *jsonscan.Cursor, bound *float64) {
	if n := readFloat(c); n != nil {
		*bound = *n
	}
}

// readItems reads the options of a choice of several.
func (f *field) readItems(schema []byte) {
	_ = decodeObject(schema, func(keyword []byte, c *jsonscan.Cursor) error {
		switch string(keyword) {
		case "enum", "anyOf", "oneOf":
			f.readOptions(string(keyword), c)
		default:
			c.Value()
		}
		return nil
	})
}

// readOptions reads a choice: an array of strings under enum, of constants with
// titles under oneOf and anyOf. Anything else is no choice.
func (f *field) readOptions(keyword string, c *jsonscan.Cursor) {
	if !c.Array() {
		c.Value()
		return
	}
	options := []string{}
	all := true
	for c.Element() {
		value := c.Value()
		if keyword != "enum" {
			value, _ = jsonscan.Find(value, "const")
		}
		text, ok := jsonscan.String(value)
		all = all && ok
		options = append(options, text)
	}
	if all && len(options) > 0 {
		f.options = options
	}
}

// allows reports whether a value's kind is one that the field may have.
func (f *field) allows(kind string, value []byte) bool {
	if len(f.kinds) == 0 {
		return true
	}
	for _, allowed := range f.kinds {
		if allowed == kind || allowed == "integer" && kind == "number" && isWhole(value) {
			return true
		}
	}
	return false
}

// isWhole reports whether a number has no fraction; 42.0 has none.
func isWhole(number []byte) bool {
	if !strings.ContainsAny(string(number), ".eE") {
		return true
	}
	f, _ := strconv.ParseFloat(string(number), 64) // beyond its range: an infinity, which is whole
	return f == math.Trunc(f)
}

// schemaKind names the kind of a JSON value as schemas do.
func schemaKind(value []byte) string {
	c := jsonscan.TrustedCursor(value)
	switch c.Kind() {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case '0':
		return "number"
	default:
		return "null"
	}
}
