package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxArgumentBytes bounds what --args - reads.
const maxArgumentBytes = 64 << 20

// assignment is one key=value or key:=json of the command line.
type assignment struct {
	key, value string
	isJSON     bool
}

// parseAssignments reads key=value, whose type the tool's schema tells, and
// key:=json.
func parseAssignments(words []string) ([]assignment, error) {
	var assignments []assignment
	for _, word := range words {
		key, value, found := strings.Cut(word, "=")
		if !found {
			return nil, usage("argument %q is neither key=value nor key:=json", word)
		}
		plain, isJSON := strings.CutSuffix(key, ":")
		if plain == "" {
			return nil, usage("argument %q has no key", word)
		}
		if slices.ContainsFunc(assignments, func(a assignment) bool { return a.key == plain }) {
			return nil, usage("argument %q is given twice", plain)
		}
		if isJSON && !json.Valid([]byte(value)) {
			return nil, usage("argument %s:= wants JSON; found %s", plain, value)
		}
		assignments = append(assignments, assignment{key: plain, value: value, isJSON: isJSON})
	}
	return assignments, nil
}

// baseArguments reads --args: a JSON object, or - for one on stdin; nil if there
// is none.
func (p *program) baseArguments(text string) (map[string]json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	if text == "-" {
		read, err := io.ReadAll(io.LimitReader(p.stdin, maxArgumentBytes))
		if err != nil {
			return nil, err
		}
		text = string(read)
	}
	var base map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &base); err != nil {
		if kind := kindOf([]byte(text)); kind != "" {
			return nil, usage("--args wants a JSON object; found %s", kind)
		}
		return nil, usage("--args wants a JSON object, and this is not JSON: %w", err)
	}
	return base, nil
}

// kindOf names what valid JSON is; "" for what is not valid.
func kindOf(text []byte) string {
	text = bytes.TrimSpace(text)
	if !json.Valid(text) {
		return ""
	}
	switch text[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// merge puts the assignments on top of base, as the schema wants them.
func (s schema) merge(base map[string]json.RawMessage, assignments []assignment) (map[string]json.RawMessage, error) {
	merged := make(map[string]json.RawMessage, len(base)+len(assignments))
	for key, value := range base {
		merged[key] = value
	}
	for _, a := range assignments {
		if a.isJSON {
			merged[a.key] = json.RawMessage(a.value)
			continue
		}
		value, err := typed(a.value, s.types(a.key))
		if err != nil {
			return nil, usage("argument %s: %w", a.key, err)
		}
		merged[a.key] = value
	}
	return merged, nil
}

// typed encodes text as one of the types. Where a string is allowed, or nothing
// is known, it stays a string.
func typed(text string, types []string) (json.RawMessage, error) {
	if len(types) > 0 && !slices.Contains(types, "string") {
		value := json.RawMessage(strings.TrimSpace(text))
		if json.Valid(value) && slices.ContainsFunc(types, func(t string) bool { return isOfType(value, t) }) {
			return value, nil
		}
		return nil, fmt.Errorf("the tool wants %s; found %q", anyOf(types), text)
	}
	return json.Marshal(text)
}

// isOfType reports whether valid JSON is of a type of JSON Schema. Whether a
// number is an integer is left to the server: 1.0 is one.
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
