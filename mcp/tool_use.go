package mcp

import (
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// ToolUse is a model's wish to have a tool run, in sampling messages of
// 2025-11-25 and later. Its _meta is in the Content that holds it and goes along
// when the message is sent again (R188).
type ToolUse struct {
	// ID is named by the ToolResult.
	ID string `json:"id"`
	// Name is one of the request's tools.
	Name string `json:"name"`
	// Input is the raw object of arguments; nil is encoded as an empty one.
	Input json.RawMessage `json:"input"`
}

// ToolUseContent returns a block in which a model uses a tool.
func ToolUseContent(use ToolUse) Content { return Content{Type: ContentToolUse, ToolUse: &use} }

// ToolResult is what came of a ToolUse.
type ToolResult struct {
	// ToolUseID is the ID of the ToolUse.
	ToolUseID string `json:"toolUseId"`
	// Content is empty rather than nil where a decoded result has none.
	Content []Content `json:"content"`
	// StructuredContent is raw; nil if there is none.
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	// IsError reports that the tool failed.
	IsError bool `json:"isError,omitempty"`
}

// ToolResultContent returns a block with a tool's result.
func ToolResultContent(result ToolResult) Content {
	return Content{Type: ContentToolResult, ToolResult: &result}
}

// readToolUse reads the block again, now that its type is known.
func readToolUse(block []byte) *ToolUse {
	use := &ToolUse{}
	_ = decodeObject(block, func(name []byte, c *jsonscan.Cursor) error {
		switch string(name) {
		case "id":
			use.ID = readText(c)
		case "name":
			use.Name = readText(c)
		case "input":
			use.Input = readKept(c)
		default:
			c.Value()
		}
		return nil
	})
	return use
}

func readToolResult(block []byte) *ToolResult {
	result := &ToolResult{}
	_ = decodeObject(block, func(name []byte, c *jsonscan.Cursor) error {
		switch string(name) {
		case "toolUseId":
			result.ToolUseID = readText(c)
		case "content":
			// No results within results: a peer could nest them without end.
			result.Content = readBlocks(c, (*Content).readMembers)
		case "structuredContent":
			result.StructuredContent = c.Value() // null is a value here (P18)
		case "isError":
			result.IsError = readTrue(c)
		default:
			c.Value()
		}
		return nil
	})
	if result.Content == nil {
		result.Content = []Content{}
	}
	return result
}

func (u ToolUse) marshal(meta json.RawMessage) ([]byte, error) {
	if u.Input == nil {
		u.Input = json.RawMessage("{}")
	}
	return json.Marshal(struct {
		Type string `json:"type"`
		ToolUse
		Meta json.RawMessage `json:"_meta,omitempty"`
	}{ContentToolUse, u, meta})
}

func (r ToolResult) marshal(meta json.RawMessage) ([]byte, error) {
	if r.Content == nil {
		r.Content = []Content{}
	}
	return json.Marshal(struct {
		Type string `json:"type"`
		ToolResult
		Meta json.RawMessage `json:"_meta,omitempty"`
	}{ContentToolResult, r, meta})
}
