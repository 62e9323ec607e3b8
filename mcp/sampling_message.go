package mcp

import (
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Roles of a message.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// Reasons to stop; a model may have others.
const (
	StopEndTurn   = "endTurn"
	StopSequence  = "stopSequence"
	StopMaxTokens = "maxTokens"
	StopToolUse   = "toolUse"
)

// SamplingMessage is one message to or from a model.
type SamplingMessage struct {
	// Role is RoleUser or RoleAssistant.
	Role string
	// Content has one block, or, from 2025-11-25, any number. A block that is no
	// object has nothing but its Raw.
	Content []Content
	// Meta is the message's _meta, raw, or nil.
	Meta json.RawMessage
	// Raw is the whole message as it was received; nil if it was built here. It
	// must not be changed.
	Raw json.RawMessage
}

func (m *SamplingMessage) read(c *jsonscan.Cursor) (problem string) {
	start := c.Pos()
	if !c.Object() {
		return "must be an object, found " + kindOf(c.Value())
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "role":
			m.Role = readText(c)
		case "content":
			m.Content = readBlocks(c, (*Content).read)
		case "_meta":
			m.Meta = readKept(c)
		default:
			c.Value()
		}
	}
	m.Raw = c.Slice(start)
	if m.Content == nil {
		return "has no content"
	}
	return ""
}

// readBlocks reads one block of content or an array of them; nil for null.
func readBlocks(c *jsonscan.Cursor, read func(*Content, *jsonscan.Cursor) (problem string)) []Content {
	if c.Kind() == 'n' {
		c.Value()
		return nil
	}
	if !c.Array() {
		return []Content{readBlock(c, read)}
	}
	blocks := []Content{}
	for c.Element() {
		block := readBlock(c, read)
		if len(blocks) < maxEntries {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

func readBlock(c *jsonscan.Cursor, read func(*Content, *jsonscan.Cursor) (problem string)) (block Content) {
	start := c.Pos()
	if read(&block, c) != "" {
		return Content{Raw: c.Slice(start)}
	}
	return block
}

// blocksJSON is what content is encoded from: a single block stands alone, the
// form that every revision knows.
func blocksJSON(blocks []Content) any {
	switch len(blocks) {
	case 0:
		return []Content{}
	case 1:
		return blocks[0]
	default:
		return blocks
	}
}

// toolResults returns the ids of the uses whose results the message has, and
// how many blocks are results.
func (m *SamplingMessage) toolResults() (ids map[string]bool, count int) {
	ids = map[string]bool{}
	for _, block := range m.Content {
		if block.ToolResult != nil {
			ids[block.ToolResult.ToolUseID] = true
			count++
		}
	}
	return ids, count
}

func (m *SamplingMessage) toolUses() (ids []string) {
	for _, block := range m.Content {
		if block.ToolUse != nil {
			ids = append(ids, block.ToolUse.ID)
		}
	}
	return ids
}

func (m *SamplingMessage) decode(raw []byte) error { return decodeEntry(m, raw) }

// UnmarshalJSON decodes a message; Raw is a copy of data.
func (m *SamplingMessage) UnmarshalJSON(data []byte) error {
	*m = SamplingMessage{}
	return unmarshal(m, data)
}

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (m SamplingMessage) MarshalJSON() ([]byte, error) {
	return marshal(m.Raw, struct {
		Role    string          `json:"role"`
		Content any             `json:"content"`
		Meta    json.RawMessage `json:"_meta,omitempty"`
	}{m.Role, blocksJSON(m.Content), m.Meta})
}

// CreateMessageResult is the model's message, the answer to a
// CreateMessageRequest.
type CreateMessageResult struct {
	// Role is RoleAssistant, also where it is empty.
	Role string
	// Content has one block. From 2025-11-25 it may have more, such as several
	// uses of tools.
	Content []Content
	// Model is the name of the model that was used.
	Model string
	// StopReason is one of the Stop constants, the model's own, or empty.
	StopReason string
	// Meta is the result's _meta, raw, or nil.
	Meta json.RawMessage
	// Raw is the whole result as it was received; nil if it was built here. It
	// must not be changed.
	Raw json.RawMessage
}

func (r *CreateMessageResult) decode(raw []byte) error {
	*r = CreateMessageResult{Raw: raw}
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) error {
		switch string(name) {
		case "role":
			r.Role = readText(c)
		case "content":
			r.Content = readBlocks(c, (*Content).read)
		case "model":
			r.Model = readText(c)
		case "stopReason":
			r.StopReason = readText(c)
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
		return nil
	})
	r.Role = firstOf(r.Role, RoleAssistant)
	return err
}

// UnmarshalJSON decodes the result; Raw is a copy of data.
func (r *CreateMessageResult) UnmarshalJSON(data []byte) error { return unmarshal(r, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r CreateMessageResult) MarshalJSON() ([]byte, error) {
	return marshal(r.Raw, struct {
		Role       string          `json:"role"`
		Content    any             `json:"content"`
		Model      string          `json:"model"`
		StopReason string          `json:"stopReason,omitempty"`
		Meta       json.RawMessage `json:"_meta,omitempty"`
	}{firstOf(r.Role, RoleAssistant), blocksJSON(r.Content), r.Model, r.StopReason, r.Meta})
}
