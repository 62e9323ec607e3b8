package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// schema is what the command line understands of a tool's inputSchema: the
// names of the arguments and their types.
type schema struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
}

// schemaOf reads a schema; one that cannot be read says nothing.
func schemaOf(raw json.RawMessage) schema {
	var s schema
	if json.Unmarshal(raw, &s) != nil {
		return schema{}
	}
	return s
}

// summary names the arguments, the required ones first, optional ones in
// brackets.
func (s schema) summary() string {
	var names []string
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if required := slices.Contains(s.Required, a); required != slices.Contains(s.Required, b) {
			if required {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = optional(name, slices.Contains(s.Required, name))
	}
	return joined(names)
}

// types returns the JSON types that an argument may have; none if the schema
// does not tell.
func (s schema) types(argument string) []string { return typesOf(s.Properties[argument]) }

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

func optional(name string, required bool) string {
	if required {
		return name
	}
	return "[" + name + "]"
}

func joined(names []string) string { return strings.Join(names, " ") }
