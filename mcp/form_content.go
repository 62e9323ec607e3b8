package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// ApplyDefaults returns the content of a form, completed by the defaults of the
// schema that was asked for: each property that is not there and has a default
// is added at the end, in the schema's order; what is there stays as it is,
// all of it on one line (R196). Strings, numbers, integers, booleans and choices of one or several are
// treated alike. A default that does not fit its own property is not used.
//
// Both arguments are valid JSON or nil; content that is nil or null is an empty
// form. The error says that content is no object.
func ApplyDefaults(schema, content json.RawMessage) (json.RawMessage, error) {
	present, err := contentMembers(content)
	if err != nil {
		return nil, err
	}
	trimmed := bytes.TrimSpace(emptyIfNull(content))
	completed := bytes.Clone(trimmed[:len(trimmed)-1])
	comma := len(present) > 0
	for _, property := range readForm(schema).fields {
		if _, found := present[property.name]; found || property.fallback == nil || property.check(property.fallback) != "" {
			continue
		}
		if comma {
			completed = append(completed, ',')
		}
		comma = true
		completed = jsonscan.AppendString(completed, property.name)
		completed = append(completed, ':')
		completed = append(completed, property.fallback...)
	}
	return encodeRaw(append(completed, '}'))
}

// ValidateContent checks the content of a form against the schema that was
// asked for (R197): required properties, types, choices, bounds and lengths, and
// the formats email, uri, date and date-time. Of a schema that is not flat, as
// the specification wants it, only that much is checked.
//
// Both arguments are valid JSON or nil. The error tells every fault, at most 16,
// with the property's name; it never quotes a value.
func ValidateContent(schema, content json.RawMessage) error {
	present, err := contentMembers(content)
	if err != nil {
		return err
	}
	asked := readForm(schema)
	var faults []error
	report := func(name, problem string) {
		if problem != "" && len(faults) < maxFaults {
			faults = append(faults, fmt.Errorf("elicitation content: %q %s", errors.PeerText(name, 64), problem))
		}
	}
	for _, name := range asked.required {
		if _, found := present[name]; !found {
			report(name, "is required and missing")
		}
	}
	for _, property := range asked.fields {
		if value, found := present[property.name]; found {
			report(property.name, property.check(value))
		}
	}
	if asked.closed {
		for _, name := range slices.Sorted(maps.Keys(present)) {
			if _, known := asked.places[name]; !known {
				report(name, "was not asked for")
			}
		}
	}
	return errors.Join(faults...)
}

// contentMembers returns the members of a form's content.
func contentMembers(content json.RawMessage) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	err := decodeObject(emptyIfNull(content), func(name []byte, c *jsonscan.Cursor) error {
		members[string(name)] = c.Value()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("elicitation content %w", err)
	}
	return members, nil
}

func emptyIfNull(content json.RawMessage) json.RawMessage {
	if c := jsonscan.TrustedCursor(content); len(content) == 0 || c.Kind() == 'n' {
		return json.RawMessage("{}")
	}
	return content
}

// check says what is wrong with a value, empty if nothing.
func (f *field) check(value []byte) (problem string) {
	kind := schemaKind(value)
	if !f.allows(kind, value) {
		return "must be of type " + errors.PeerText(strings.Join(f.kinds, " or "), 64) + ", found " + kindOf(value)
	}
	switch kind {
	case "string":
		text, _ := jsonscan.String(value)
		return f.checkText(text)
	case "number":
		n, _ := strconv.ParseFloat(string(value), 64)
		return f.value.check("", n)
	case "array":
		return f.checkElements(value)
	default:
		return ""
	}
}

func (f *field) checkText(text string) (problem string) {
	if f.options != nil && !slices.Contains(f.options, text) {
		return "is none of the options"
	}
	if problem := f.length.check("length ", float64(utf8.RuneCountInString(text))); problem != "" {
		return problem
	}
	if !hasFormat(text, f.format) {
		return "must be of format " + f.format
	}
	return ""
}

// checkElements checks a choice of several, whose elements are strings.
func (f *field) checkElements(array []byte) (problem string) {
	c := jsonscan.TrustedCursor(array)
	c.Array()
	known := make(map[string]bool, len(f.options))
	for _, option := range f.options {
		known[option] = true
	}
	count := 0
	for ; c.Element(); count++ {
		text, isText := c.SharedText()
		switch {
		case !isText:
			problem = "must have strings as elements"
		case f.options != nil && !known[text]:
			problem = "has an element that is none of the options"
		}
	}
	if problem != "" {
		return problem
	}
	return f.items.check("number of elements ", float64(count))
}

// check names what does not hold: the value itself, or its length or number.
func (b bounds) check(what string, n float64) (problem string) {
	if b.hold(n) {
		return ""
	}
	limit, word := b.most, "at most "
	if n < b.least {
		limit, word = b.least, "at least "
	}
	return what + "must be " + word + strconv.FormatFloat(limit, 'g', -1, 64)
}

// hasFormat knows the formats that the specification names; others hold.
func hasFormat(text, format string) bool {
	switch format {
	case "email":
		address, err := mail.ParseAddress(text)
		return err == nil && address.Address == text
	case "uri":
		parsed, err := url.Parse(text)
		return err == nil && parsed.Scheme != ""
	case "date":
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case "date-time":
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	default:
		return true
	}
}
