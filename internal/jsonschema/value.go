package jsonschema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Values are what package json decodes into any, with numbers as json.Number.

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	default:
		return "an object"
	}
}

// typesOf returns the types that a value has: an integer is a number too.
func typesOf(value any) types {
	switch v := value.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case json.Number:
		if isInteger(v) {
			return typeInteger | typeNumber
		}
		return typeNumber
	case string:
		return typeText
	case []any:
		return typeArray
	default:
		return typeObject
	}
}

// equal compares as JSON Schema does: numbers by value, objects regardless of
// the order of their members.
func equal(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		return ok && equalNumbers(x, y)
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equal)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, equal)
	default:
		switch b.(type) {
		case json.Number, []any, map[string]any:
			return false
		}
		return a == b
	}
}

func equalNumbers(a, b json.Number) bool {
	if a == b {
		return true
	}
	exact, ok := rational(a)
	other, otherOK := rational(b)
	return ok && otherOK && exact.Cmp(other) == 0
}

// appendCanonical appends a text that equal values have in common, and others
// do not.
func appendCanonical(dst []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(dst, 'n')
	case bool:
		return strconv.AppendBool(dst, v)
	case json.Number:
		return appendNumber(dst, v)
	case string:
		return strconv.AppendQuote(dst, v)
	case []any:
		dst = append(dst, '[')
		for _, element := range v {
			dst = append(appendCanonical(dst, element), ',')
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = append(strconv.AppendQuote(dst, name), ':')
			dst = append(appendCanonical(dst, v[name]), ',')
		}
		return append(dst, '}')
	default:
		return dst
	}
}

func appendNumber(dst []byte, number json.Number) []byte {
	if !strings.ContainsAny(number.String(), ".eE") && number != "-0" {
		return append(dst, number...) // an integer has one way to be written
	}
	if exact, ok := rational(number); ok {
		return append(dst, exact.RatString()...)
	}
	return append(dst, number...)
}

// sizeOf counts the values that a value is made of.
func sizeOf(value any) int {
	size := 1
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			size += sizeOf(element)
		}
	case map[string]any:
		for _, element := range v {
			size += sizeOf(element)
		}
	case string:
		size += len(v) / 64
	}
	return size
}
