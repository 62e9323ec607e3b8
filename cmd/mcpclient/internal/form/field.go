package form

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// field is one property of a form's schema, which is flat.
type field struct {
	name     string
	raw      json.RawMessage
	required bool

	kind        string // string, number, integer, boolean, array
	title       string
	description string
	fallback    json.RawMessage // the default, or nil
	choices     []choice        // none: anything goes
}

// choice is one of the values that may be chosen.
type choice struct{ value, title string }

// fieldsOf reads the schema of a form, in its order.
func fieldsOf(schema json.RawMessage) []field {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	_ = json.Unmarshal(schema, &s) // one that cannot be read has no fields
	var fields []field
	_ = jsonscan.Members(s.Properties, func(name, value []byte) error {
		fields = append(fields, fieldOf(string(name), value, slices.Contains(s.Required, string(name))))
		return nil
	})
	return fields
}

// options are the ways to write down what may be chosen.
type options struct {
	Enum      []string `json:"enum"`
	EnumNames []string `json:"enumNames"`
	OneOf     []titled `json:"oneOf"`
	AnyOf     []titled `json:"anyOf"`
}

type titled struct {
	Const *string `json:"const"`
	Title string  `json:"title"`
}

func fieldOf(name string, raw json.RawMessage, required bool) field {
	var p struct {
		options
		Type        string          `json:"type"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Default     json.RawMessage `json:"default"`
		Items       options         `json:"items"`
	}
	_ = json.Unmarshal(raw, &p) // members of the wrong kind are left out
	f := field{name: name, raw: raw, required: required, kind: p.Type, title: p.Title, description: p.Description, fallback: p.Default}
	f.choices = p.choices()
	if p.Type == "array" {
		f.choices = p.Items.choices()
	}
	return f
}

func (o options) choices() []choice {
	var choices []choice
	for i, value := range o.Enum {
		title := ""
		if i < len(o.EnumNames) {
			title = o.EnumNames[i]
		}
		choices = append(choices, choice{value, title})
	}
	for _, option := range append(o.OneOf, o.AnyOf...) {
		if option.Const != nil {
			choices = append(choices, choice{*option.Const, option.Title})
		}
	}
	return choices
}

// label is what the field is called.
func (f field) label() string {
	if f.title != "" {
		return word(f.title)
	}
	return word(f.name)
}

// encode makes JSON of what was typed. Whether it is allowed is for check to say.
func (f field) encode(text string) json.RawMessage {
	var value any = text
	switch {
	case f.kind == "number" || f.kind == "integer":
		if json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	case f.kind == "boolean":
		switch strings.ToLower(text) {
		case "y", "yes", "true", "1", "on":
			value = true
		case "n", "no", "false", "0", "off":
			value = false
		}
	case f.kind == "array":
		value = f.several(text)
	case len(f.choices) > 0:
		value = f.chosen(text)
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("null") // unreachable: these are strings and booleans
	}
	return encoded
}

// chosen finds a choice by its number, its value or its title.
func (f field) chosen(text string) string {
	for _, c := range f.choices {
		if text == c.value {
			return c.value
		}
	}
	for i, c := range f.choices {
		if text == ordinal(i) || c.title != "" && strings.EqualFold(text, c.title) {
			return c.value
		}
	}
	return text
}

func (f field) several(text string) []string {
	chosen := []string{}
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			chosen = append(chosen, f.chosen(part))
		}
	}
	return chosen
}

// check says what is wrong with a value; nil if nothing is.
func (f field) check(value json.RawMessage) error {
	properties, err := json.Marshal(map[string]json.RawMessage{f.name: f.raw})
	if err != nil {
		return err
	}
	content, err := json.Marshal(map[string]json.RawMessage{f.name: value})
	if err != nil {
		return err
	}
	return mcp.ValidateContent(json.RawMessage(`{"type":"object","properties":`+string(properties)+`}`), content)
}
