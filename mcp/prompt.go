package mcp

import (
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Prompt describes a prompt. All text is the server's and untrusted (R163).
type Prompt struct {
	// Name is what the prompt is asked for by.
	Name string `json:"name"`
	// Title is a name for people; see DisplayName.
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Arguments are those that the prompt takes; their values are strings (R164).
	Arguments []PromptArgument `json:"arguments,omitempty"`
	// Icons is raw; see ParseIcons.
	Icons json.RawMessage `json:"icons,omitempty"`
	// Meta is the prompt's _meta, raw, or nil.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// Raw is the whole prompt as the server sent it; nil if it was built here. It
	// must not be changed.
	Raw json.RawMessage `json:"-"`
}

// PromptArgument describes one argument of a prompt.
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// Key returns the name, by which prompts are told apart.
func (p Prompt) Key() string { return p.Name }

// DisplayName returns the title, else the name.
func (p Prompt) DisplayName() string { return firstOf(p.Title, p.Name) }

func (p *Prompt) read(c *jsonscan.Cursor) (problem string) {
	start := c.Pos()
	if !c.Object() {
		kind := kindOf(c.Value())
		return "must be an object, found " + kind
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "name":
			p.Name = readText(c)
		case "title":
			p.Title = readText(c)
		case "description":
			p.Description = readText(c)
		case "arguments":
			p.Arguments = readPromptArguments(c)
		case "icons":
			p.Icons = readKept(c)
		case "_meta":
			p.Meta = readKept(c)
		default:
			c.Value()
		}
	}
	p.Raw = c.Slice(start)
	if p.Name == "" {
		return "has no name"
	}
	return ""
}

func readPromptArguments(c *jsonscan.Cursor) []PromptArgument {
	if !c.Array() {
		c.Value()
		return nil
	}
	var arguments []PromptArgument
	for c.Element() {
		if argument := readPromptArgument(c); argument.Name != "" && len(arguments) < maxEntries {
			arguments = append(arguments, argument)
		}
	}
	return arguments
}

func readPromptArgument(c *jsonscan.Cursor) (argument PromptArgument) {
	if !c.Object() {
		c.Value()
		return argument
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "name":
			argument.Name = readText(c)
		case "title":
			argument.Title = readText(c)
		case "description":
			argument.Description = readText(c)
		case "required":
			argument.Required = readTrue(c)
		default:
			c.Value()
		}
	}
	return argument
}

func (p *Prompt) decode(raw []byte) error { return decodeEntry(p, raw) }

// UnmarshalJSON decodes a prompt; Raw is a copy of data. A prompt without a name
// is an error.
func (p *Prompt) UnmarshalJSON(data []byte) error { *p = Prompt{}; return unmarshal(p, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (p Prompt) MarshalJSON() ([]byte, error) {
	type fields Prompt
	return marshal(p.Raw, fields(p))
}
