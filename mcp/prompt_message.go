package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// PromptMessage is one message of a prompt.
type PromptMessage struct {
	// Role is "user" or "assistant".
	Role    string  `json:"role"`
	Content Content `json:"content"`
	// Raw is the whole message as the server sent it; nil if it was built here.
	// It must not be changed.
	Raw json.RawMessage `json:"-"`
}

func (m *PromptMessage) read(c *jsonscan.Cursor) (problem string) {
	start := c.Pos()
	if !c.Object() {
		kind := kindOf(c.Value())
		return "must be an object, found " + kind
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "role":
			m.Role = readText(c)
		case "content":
			at := c.Pos()
			m.Content = Content{}
			if m.Content.read(c) != "" {
				m.Content = Content{Raw: c.Slice(at)}
			}
		default:
			c.Value()
		}
	}
	m.Raw = c.Slice(start)
	return ""
}

func (m *PromptMessage) decode(raw []byte) error { return decodeEntry(m, raw) }

// UnmarshalJSON decodes a message; Raw is a copy of data.
func (m *PromptMessage) UnmarshalJSON(data []byte) error {
	*m = PromptMessage{}
	return unmarshal(m, data)
}

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (m PromptMessage) MarshalJSON() ([]byte, error) {
	type fields PromptMessage
	return marshal(m.Raw, fields(m))
}

// GetPromptResult is the result of prompts/get.
type GetPromptResult struct {
	Description string          `json:"description,omitempty"`
	Messages    []PromptMessage `json:"messages"`
	// Faults describes messages, at most 16, that are no objects and were left
	// out.
	Faults []error `json:"-"`
	// Meta is the result's _meta, raw, or nil.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// Raw is the whole result as the server sent it; nil if it was built here.
	// It must not be changed.
	Raw json.RawMessage `json:"-"`
}

// ParseGetPromptResult decodes the messages of a prompt. The error wraps
// ErrProtocol: the result is no object or has no messages array.
func ParseGetPromptResult(r Result) (*GetPromptResult, error) {
	return decodeResult[GetPromptResult](r)
}

func (r *GetPromptResult) decode(raw []byte) error {
	*r = GetPromptResult{Raw: raw}
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) (err error) {
		switch string(name) {
		case "description":
			r.Description = readText(c)
		case "messages":
			r.Messages, err = readEntries[PromptMessage](c, "messages", &r.Faults)
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
		return err
	})
	if err == nil && r.Messages == nil {
		err = fmt.Errorf("%q is missing", "messages")
	}
	return err
}

// UnmarshalJSON decodes the result; Raw is a copy of data.
func (r *GetPromptResult) UnmarshalJSON(data []byte) error { return unmarshal(r, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r GetPromptResult) MarshalJSON() ([]byte, error) {
	type fields GetPromptResult
	if r.Messages == nil {
		r.Messages = []PromptMessage{}
	}
	return marshal(r.Raw, fields(r))
}
