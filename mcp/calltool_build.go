package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
)

// NewTextResult returns a result of one text block, for the fakes of tests.
func NewTextResult(text string) *CallToolResult {
	result, err := buildCallToolResult(map[string]any{"content": textBlocks(text)})
	if err != nil {
		panic("mcp: a text does not encode: " + err.Error()) // it always does
	}
	return result
}

// NewStructuredResult returns a result with structured content, which must encode
// to a JSON object, and the same as a text block, as servers send it. The error
// wraps ErrInvalidParams.
func NewStructuredResult(value any) (*CallToolResult, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("%w: the structured content does not encode: %w", errors.ErrInvalidParams, err)
	}
	if kind := kindOf(encoded); encoded[0] != '{' {
		return nil, fmt.Errorf("%w: structured content must be an object, found %s", errors.ErrInvalidParams, kind)
	}
	return buildCallToolResult(map[string]any{
		"content":           textBlocks(string(encoded)),
		"structuredContent": json.RawMessage(encoded),
	})
}

func buildCallToolResult(members map[string]any) (*CallToolResult, error) {
	raw, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return ParseCallToolResult(NewResult(raw))
}

func textBlocks(text string) []map[string]string {
	return []map[string]string{{"type": ContentText, "text": text}}
}
