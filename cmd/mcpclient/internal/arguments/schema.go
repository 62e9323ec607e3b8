package arguments

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

const (
	// maxFaces bounds how many schemas are looked at to understand one.
	maxFaces = 64
	// maxDepth bounds how deeply references and alternatives are followed.
	maxDepth = 8
)

// Schema is a schema as people understand it. The zero Schema says nothing.
type Schema struct {
	root, raw json.RawMessage
}

// Of reads a schema; one that cannot be read says nothing.
func Of(raw json.RawMessage) Schema {
	if !json.Valid(raw) {
		return Schema{}
	}
	return Schema{raw, raw}
}

// Argument is one property of a schema.
type Argument struct {
	Name        string
	Types       []string // JSON types; none if the schema does not tell
	Required    bool
	Description string
	Values      []string // JSON of the values that are allowed; none if any is
	Default     string   // JSON, or ""
}

// keywords are those that are understood. Members of the wrong kind are left out.
type keywords struct {
	Ref         string                     `json:"$ref"`
	Type        json.RawMessage            `json:"type"`
	Properties  json.RawMessage            `json:"properties"`
	Required    []string                   `json:"required"`
	Additional  json.RawMessage            `json:"additionalProperties"`
	Patterns    map[string]json.RawMessage `json:"patternProperties"`
	Items       json.RawMessage            `json:"items"`
	Enum        []json.RawMessage          `json:"enum"`
	Const       json.RawMessage            `json:"const"`
	Default     json.RawMessage            `json:"default"`
	Description string                     `json:"description"`
	AllOf       []json.RawMessage          `json:"allOf"`
	AnyOf       []json.RawMessage          `json:"anyOf"`
	OneOf       []json.RawMessage          `json:"oneOf"`
}

func (s Schema) keywords() keywords {
	var k keywords
	_ = json.Unmarshal(s.raw, &k) // `true` is a schema too, and says nothing
	return k
}

func (s Schema) at(raw json.RawMessage) Schema { return Schema{s.root, raw} }

// face is one of the schemas that a schema consists of.
type face struct {
	keywords
	optional bool // one of several alternatives
}

// faces returns the schema itself, what it refers to, and its alternatives.
func (s Schema) faces() []face {
	var faces []face
	s.collect(&faces, false, 0)
	return faces
}

func (s Schema) collect(faces *[]face, optional bool, depth int) {
	if depth > maxDepth || len(*faces) >= maxFaces {
		return
	}
	k := s.keywords()
	*faces = append(*faces, face{k, optional})
	if target, found := s.target(k.Ref); found {
		target.collect(faces, optional, depth+1)
	}
	for _, part := range k.AllOf {
		s.at(part).collect(faces, optional, depth+1)
	}
	for _, part := range append(k.AnyOf, k.OneOf...) {
		s.at(part).collect(faces, true, depth+1)
	}
}

// target finds what a reference within the schema leads to.
func (s Schema) target(reference string) (Schema, bool) {
	pointer, isLocal := strings.CutPrefix(reference, "#")
	if !isLocal {
		return Schema{}, false
	}
	raw := s.root
	for _, token := range strings.Split(pointer, "/")[1:] {
		if unescaped, err := url.PathUnescape(token); err == nil {
			token = unescaped
		}
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		next, found := jsonscan.Find(raw, token)
		if !found {
			return Schema{}, false
		}
		raw = next
	}
	return s.at(raw), pointer == "" || pointer[0] == '/'
}

// Arguments returns the properties, in the order in which the schema names them.
func (s Schema) Arguments() []Argument {
	var arguments []Argument
	faces := s.faces()
	for _, f := range faces {
		_ = jsonscan.Members(f.Properties, func(name, value []byte) error {
			if !slices.ContainsFunc(arguments, func(a Argument) bool { return a.Name == string(name) }) {
				arguments = append(arguments, s.at(value).argument(string(name)))
			}
			return nil
		})
	}
	for i := range arguments {
		arguments[i].Required = slices.ContainsFunc(faces, func(f face) bool {
			return !f.optional && slices.Contains(f.Required, arguments[i].Name)
		})
	}
	return arguments
}

func (s Schema) argument(name string) Argument {
	a := Argument{Name: name, Types: s.Types(), Values: s.Values()}
	for _, f := range s.faces() {
		if a.Description == "" {
			a.Description = f.Description
		}
		if a.Default == "" {
			a.Default = string(f.Default)
		}
	}
	return a
}

// Names returns the names of the properties, in the schema's order.
func (s Schema) Names() []string {
	var names []string
	for _, a := range s.Arguments() {
		names = append(names, a.Name)
	}
	return names
}

// Property returns the schema of a property.
func (s Schema) Property(name string) (Schema, bool) {
	for _, f := range s.faces() {
		if raw, found := jsonscan.Find(f.Properties, name); found {
			return s.at(raw), true
		}
	}
	return Schema{}, false
}

// Items returns the schema of the elements of an array; one that says nothing if
// there is none.
func (s Schema) Items() Schema {
	for _, f := range s.faces() {
		if len(f.Items) > 0 && f.Items[0] == '{' {
			return s.at(f.Items)
		}
	}
	return Schema{}
}

// IsOpen reports whether there may be arguments beside those that are named: the
// schema says so, or names none.
func (s Schema) IsOpen() bool {
	named := false
	for _, f := range s.faces() {
		if len(f.Patterns) > 0 || len(f.Additional) > 0 && string(f.Additional) != "false" {
			return true
		}
		named = named || len(f.Properties) > 0 && f.Properties[0] == '{' || string(f.Additional) == "false"
	}
	return !named
}

// Types returns the JSON types that a value may have; none if the schema does not
// tell.
func (s Schema) Types() []string { return s.types(0) }

func (s Schema) types(depth int) []string {
	k := s.keywords()
	var one string
	if json.Unmarshal(k.Type, &one) == nil {
		return []string{one}
	}
	var several []string
	if json.Unmarshal(k.Type, &several) == nil {
		return several
	}
	if depth > maxDepth {
		return nil
	}
	if target, found := s.target(k.Ref); found {
		return target.types(depth + 1)
	}
	for _, part := range k.AllOf {
		if types := s.at(part).types(depth + 1); types != nil {
			return types
		}
	}
	for i, part := range append(k.AnyOf, k.OneOf...) {
		types := s.at(part).types(depth + 1)
		if types == nil || i > maxFaces {
			return nil // one that does not tell makes all of it unknown
		}
		several = append(several, types...)
	}
	return several
}

// Values returns the JSON of the values that are allowed; none if the schema does
// not tell.
func (s Schema) Values() []string {
	var values []string
	for _, f := range s.faces() {
		for _, value := range f.Enum {
			values = append(values, string(value))
		}
		if len(f.Const) > 0 {
			values = append(values, string(f.Const))
		}
	}
	return values
}

// within returns the schema at a place: the tokens of a JSON pointer.
func (s Schema) within(tokens []string) Schema {
	for _, token := range tokens {
		if property, found := s.Property(token); found {
			s = property
		} else if _, err := strconv.Atoi(token); err == nil {
			s = s.Items()
		} else {
			return Schema{}
		}
	}
	return s
}
