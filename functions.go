package mcpclient

import (
	"bytes"
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// OpenAITool is a tool as OpenAI's chat completions, and the many interfaces made
// after them, take it: {"type":"function","function":{...}}.
type OpenAITool struct {
	Type     string         `json:"type"`
	Function OpenAIFunction `json:"function"`
}

// OpenAIFunction describes the function of an OpenAITool.
type OpenAIFunction struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Parameters is the tool's input schema as the server sent it.
	Parameters json.RawMessage `json:"parameters"`
	// Strict asks for arguments that follow the schema to the letter. It is left
	// out: few servers' schemas are within what strict mode allows.
	Strict *bool `json:"strict,omitempty"`
}

// AnthropicTool is a tool as Anthropic's messages take it.
type AnthropicTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// InputSchema is the tool's input schema as the server sent it.
	InputSchema json.RawMessage `json:"input_schema"`
}

// OpenAITools returns the tools of a group for a request, in order. What a model
// then calls is the name that Group.CallTool takes; its arguments, a JSON text, go
// there as json.RawMessage.
//
// Schemas are passed on raw, so that nothing is lost that one provider or other
// understands. A tool without an object for a schema gets one that allows any
// arguments. A tool without a description is described by its title.
func OpenAITools(tools Collection[GroupTool]) []OpenAITool {
	converted := make([]OpenAITool, 0, tools.Len())
	for name, tool := range tools.All() {
		converted = append(converted, NewOpenAITool(name, tool.Entry))
	}
	return converted
}

// NewOpenAITool returns one tool under a name; see OpenAITools.
func NewOpenAITool(name string, tool mcp.Tool) OpenAITool {
	return OpenAITool{Type: "function", Function: OpenAIFunction{
		Name: name, Description: describe(tool), Parameters: inputSchema(tool),
	}}
}

// AnthropicTools returns the tools of a group for a request, in order; see
// OpenAITools.
func AnthropicTools(tools Collection[GroupTool]) []AnthropicTool {
	converted := make([]AnthropicTool, 0, tools.Len())
	for name, tool := range tools.All() {
		converted = append(converted, NewAnthropicTool(name, tool.Entry))
	}
	return converted
}

// NewAnthropicTool returns one tool under a name; see OpenAITools.
func NewAnthropicTool(name string, tool mcp.Tool) AnthropicTool {
	return AnthropicTool{Name: name, Description: describe(tool), InputSchema: inputSchema(tool)}
}

func describe(tool mcp.Tool) string {
	switch {
	case tool.Description != "":
		return tool.Description
	case tool.DisplayName() != tool.Name:
		return tool.DisplayName()
	default:
		return ""
	}
}

// inputSchema returns the tool's schema, or one that allows everything: providers
// refuse a whole request for the sake of one tool without an object there.
func inputSchema(tool mcp.Tool) json.RawMessage {
	if schema := bytes.TrimLeft(tool.InputSchema, " \t\r\n"); len(schema) > 0 && schema[0] == '{' {
		return tool.InputSchema
	}
	return json.RawMessage(`{"type":"object","properties":{}}`)
}
