package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// schema is what the command line understands of a tool's inputSchema: the
// arguments in the order in which the schema names them.
type schema struct {
	arguments []argument
	isOpen    bool // takes arguments that it does not name, or does not tell
}

// argument is one property of a schema.
type argument struct {
	name        string
	types       []string // JSON types; none if the schema does not tell
	required    bool
	description string
	values      []string // JSON of the values that are allowed; none if any is
	fallback    string   // JSON of the default, or ""
}

// schemaOf reads a schema; one that cannot be read says nothing.
func schemaOf(raw json.RawMessage) schema {
	var s struct {
		Properties json.RawMessage            `json:"properties"`
		Required   []string                   `json:"required"`
		Additional json.RawMessage            `json:"additionalProperties"`
		Patterns   map[string]json.RawMessage `json:"patternProperties"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return schema{isOpen: true}
	}
	known := schema{isOpen: s.Properties == nil || len(s.Patterns) > 0 || len(s.Additional) > 0 && string(s.Additional) != "false"}
	err := jsonscan.Members(s.Properties, func(name, value []byte) error {
		known.arguments = append(known.arguments, argumentOf(string(name), value, slices.Contains(s.Required, string(name))))
		return nil
	})
	if err != nil {
		return schema{isOpen: true}
	}
	return known
}

func argumentOf(name string, property json.RawMessage, required bool) argument {
	var p struct {
		Description string            `json:"description"`
		Enum        []json.RawMessage `json:"enum"`
		Default     json.RawMessage   `json:"default"`
	}
	_ = json.Unmarshal(property, &p) // `true` is a schema too, and says nothing
	a := argument{name: name, types: typesOf(property), required: required, description: p.Description, fallback: string(p.Default)}
	for _, value := range p.Enum {
		a.values = append(a.values, string(value))
	}
	return a
}

// summary names the arguments in the schema's order, optional ones in brackets.
func (s schema) summary() string {
	names := make([]string, len(s.arguments))
	for i, a := range s.arguments {
		names[i] = optional(a.name, a.required)
	}
	return joined(names)
}

// types returns the JSON types that an argument may have; none if the schema
// does not tell.
func (s schema) types(name string) []string {
	for _, a := range s.arguments {
		if a.name == name {
			return a.types
		}
	}
	return nil
}

// unknown describes the arguments that the tool does not have, as far as the
// schema tells.
func (s schema) unknown(names []string) []string {
	if s.isOpen {
		return nil
	}
	known := make([]string, len(s.arguments))
	for i, a := range s.arguments {
		known[i] = a.name
	}
	var complaints []string
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		complaint := fmt.Sprintf("the tool has no argument %q", name)
		if near := config.Nearest(name, known); near != "" {
			complaint += fmt.Sprintf("; did you mean \"%s\"?", errors.PeerText(near, maxCell))
		}
		complaints = append(complaints, complaint)
	}
	return complaints
}

func typesOf(property json.RawMessage) []string {
	var p struct {
		Type  json.RawMessage   `json:"type"`
		AnyOf []json.RawMessage `json:"anyOf"`
		OneOf []json.RawMessage `json:"oneOf"`
	}
	if json.Unmarshal(property, &p) != nil {
		return nil
	}
	var one string
	if json.Unmarshal(p.Type, &one) == nil {
		return []string{one}
	}
	var several []string
	if json.Unmarshal(p.Type, &several) == nil {
		return several
	}
	for _, alternative := range append(p.AnyOf, p.OneOf...) {
		types := typesOf(alternative)
		if types == nil {
			return nil // one that does not tell makes all of it unknown
		}
		several = append(several, types...)
	}
	return several
}

// withArticle names a JSON type in a sentence.
func withArticle(schemaType string) string {
	switch schemaType {
	case "null":
		return "null"
	case "integer":
		return "an integer"
	case "array", "object":
		return "an " + schemaType + " (as JSON)"
	default:
		return "a " + schemaType
	}
}

// anyOf names several JSON types in a sentence.
func anyOf(types []string) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = withArticle(t)
	}
	return strings.Join(names, " or ")
}

func optional(name string, required bool) string {
	if required {
		return name
	}
	return "[" + name + "]"
}

func joined(names []string) string { return strings.Join(names, " ") }
