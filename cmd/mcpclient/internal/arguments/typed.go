package arguments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// encode encodes text as the schema wants it. Where a string is allowed, or
// nothing is known, it stays a string.
func (s Schema) encode(text string) (json.RawMessage, error) {
	asText, err := json.Marshal(text)
	if err != nil {
		return nil, err
	}
	value := json.RawMessage(strings.TrimSpace(text))
	types, isJSON := s.Types(), json.Valid(value)
	if len(types) == 0 {
		if values := s.Values(); isJSON && !slices.Contains(values, string(asText)) && slices.Contains(values, string(value)) {
			return value, nil // an enum of numbers, for example, that names no type
		}
		return asText, nil
	}
	switch {
	case slices.Contains(types, "string"):
		return asText, nil
	case isJSON && slices.ContainsFunc(types, func(t string) bool { return isOfType(value, t) }):
		return value, nil
	case slices.Contains(types, "array"):
		return s.array([]string{text})
	default:
		return nil, fmt.Errorf("must be %s; found %q", anyOf(types), excerpt(text))
	}
}

// array encodes texts as the elements of an array.
func (s Schema) array(texts []string) (json.RawMessage, error) {
	items := s.Items()
	elements := make([]json.RawMessage, len(texts))
	for i, text := range texts {
		element, err := items.encode(text)
		if err != nil {
			return nil, fmt.Errorf("an element of it %w", err)
		}
		elements[i] = element
	}
	return json.Marshal(elements)
}

// isArray reports whether a value is, or may well be, an array.
func (s Schema) isArray() bool { return slices.Contains(s.Types(), "array") }

// isOfType reports whether valid JSON is of a type of JSON Schema. Whether a
// number is an integer is left to the check: 1.0 is one.
func isOfType(value json.RawMessage, schemaType string) bool {
	switch schemaType {
	case "number", "integer":
		return value[0] == '-' || value[0] >= '0' && value[0] <= '9'
	case "boolean":
		return value[0] == 't' || value[0] == 'f'
	case "null":
		return value[0] == 'n'
	case "array":
		return value[0] == '['
	case "object":
		return value[0] == '{'
	default:
		return false
	}
}

// kindOf names what valid JSON is; "" for what is not valid.
func kindOf(text []byte) string {
	text = bytes.TrimSpace(text)
	if !json.Valid(text) {
		return ""
	}
	cursor := jsonscan.TrustedCursor(text)
	return jsonscan.KindName(cursor.Kind())
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
	var names []string
	for _, t := range types {
		if name := withArticle(t); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}
