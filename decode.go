package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Decode returns the structured content of a tool's result as a T. A server that
// sends none may have sent the same as text: one text block that holds JSON is
// decoded instead. Decoding is that of encoding/json: unknown members are
// ignored, and numbers in an interface value are json.Number.
//
// A result with IsError set gives an error that wraps errors.ErrToolFailed and
// holds the tool's text. One that holds no T gives an error that wraps
// errors.ErrProtocol.
func Decode[T any](result *mcp.CallToolResult) (T, error) {
	var value T
	if result == nil {
		return value, fmt.Errorf("%w: there is no result to decode", errors.ErrProtocol)
	}
	if result.IsError {
		return value, fmt.Errorf("%w: %s", errors.ErrToolFailed, errors.PeerText(result.Text(), 1000))
	}
	content, err := structuredContent(result)
	if err != nil {
		return value, err
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		var none T
		return none, fmt.Errorf("%w: the tool's result does not decode into %T: %w", errors.ErrProtocol, value, err)
	}
	return value, nil
}

// structuredContent returns the structured content, or JSON that was sent as
// text in its place.
func structuredContent(result *mcp.CallToolResult) (json.RawMessage, error) {
	if content, found := result.Structured(); found {
		return content, nil
	}
	var blocks []mcp.Content
	for block := range result.Content() {
		blocks = append(blocks, block)
	}
	if len(blocks) != 1 || blocks[0].Type != mcp.ContentText {
		return nil, fmt.Errorf("%w: the tool's result has no structured content, nor one text block in its place; it has %d blocks", errors.ErrProtocol, len(blocks))
	}
	if text := []byte(blocks[0].Text); json.Valid(text) {
		return text, nil
	}
	return nil, fmt.Errorf("%w: the tool's result has no structured content, and its text is not JSON; the text begins \"%s\"",
		errors.ErrProtocol, errors.PeerText(blocks[0].Text, 80))
}
