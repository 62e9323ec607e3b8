package mcp

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// CallToolResult is the result of tools/call. It keeps the bytes and decodes
// what is asked for. It is immutable and safe for concurrent use. A nil result, as
// it comes with an error, has nothing in it.
type CallToolResult struct {
	// IsError reports that the tool failed. That is a result like any other,
	// meant for the model (R150, R151).
	IsError bool

	raw        json.RawMessage
	content    jsonscan.Span // in raw; zero if there is none
	structured json.RawMessage
	meta       json.RawMessage
	long       jsonscan.Span // in the content; a hint
	own        *ownBytes     // nil: others may hold the bytes
}

// ParseCallToolResult reads a result without decoding its content. The error
// wraps ErrProtocol: the result is no object, its content is no array, or its
// isError is neither true nor false. A result may lack its content.
func ParseCallToolResult(r Result) (*CallToolResult, error) { return decodeResult[CallToolResult](r) }

func (r *CallToolResult) decode(raw []byte) error { return r.decodeAround(raw, jsonscan.Span{}, nil) }

// decodeAround is decode where one long value of the result is known. Of a text that
// own may have decoded in place, which is that value, nothing is read.
func (r *CallToolResult) decodeAround(raw []byte, long jsonscan.Span, own *ownBytes) error {
	*r = CallToolResult{raw: raw, own: own}
	c := jsonscan.TrustedCursorAround(raw, long)
	if !c.Object() {
		return fmt.Errorf("must be an object, found %s", kindOf(raw))
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		kind, start := c.Kind(), c.Pos()
		if err := r.take(name, kind, c.Value()); err != nil {
			return err
		}
		if string(name) == "content" && kind == '[' {
			r.content = jsonscan.Span{From: start, To: c.Pos()}
			r.long = long.Within(start, c.Pos())
		}
	}
	return c.End()
}

// take keeps a member whose value is of the kind.
func (r *CallToolResult) take(name []byte, kind byte, value []byte) error {
	switch string(name) {
	case "content":
		if kind != '[' && kind != 'n' {
			return fmt.Errorf("%q must be an array, found %s", name, kindOf(value))
		}
	case "structuredContent":
		r.structured = value
	case "isError":
		switch kind {
		case 't', 'f', 'n':
			r.IsError = kind == 't'
		default:
			return fmt.Errorf("%q must be true or false, found %s", name, kindOf(value))
		}
	case "_meta":
		if kind != 'n' {
			r.meta = value
		}
	}
	return nil
}

// Content iterates over the blocks, decoding one at a time. A block that is no
// object is yielded with nothing but its Raw.
func (r *CallToolResult) Content() iter.Seq[Content] {
	return func(yield func(Content) bool) {
		c := jsonscan.TrustedCursorAround(r.wireContent())
		if !c.Array() {
			return
		}
		for c.Element() {
			start := c.Pos()
			var block Content
			if block.read(&c) != "" {
				block = Content{Raw: c.Slice(start)}
			}
			if c.Err() != nil || !yield(block) {
				return
			}
		}
	}
}

// wireContent returns the content as the server sent it, to be read anywhere, and
// the long value that is known of it.
func (r *CallToolResult) wireContent() ([]byte, jsonscan.Span) {
	if r == nil || r.content.To == 0 {
		return nil, jsonscan.Span{}
	}
	return r.Raw()[r.content.From:r.content.To:r.content.To], r.long
}

// Text returns the text of all text blocks, joined by newlines. Other blocks are
// passed over without decoding them. The text of a single block may share the
// result's bytes: it then is not copied, and keeps them in memory.
func (r *CallToolResult) Text() string {
	if r == nil {
		return ""
	}
	content := r.raw[r.content.From:r.content.To]
	c := jsonscan.TrustedCursorAround(content, r.long)
	if !c.Array() {
		return ""
	}
	var single [1]jsonscan.Span // the usual result has one block
	texts := single[:0]
	for c.Element() {
		if text, ok := findText(&c); ok {
			texts = append(texts, text)
		}
	}
	if len(texts) == 1 {
		return r.singleText(content, texts[0])
	}
	decoded := make([]string, 0, len(texts))
	for _, text := range texts {
		if text, ok := jsonscan.SharedString(content[text.From:text.To]); ok {
			decoded = append(decoded, text)
		}
	}
	return strings.Join(decoded, "\n")
}

// singleText decodes the only text of the content.
func (r *CallToolResult) singleText(content []byte, at jsonscan.Span) string {
	if r.own != nil && at == r.long {
		return r.own.text()
	}
	text, _ := jsonscan.SharedString(content[at.From:at.To])
	return text
}

// findText consumes a block and returns where its text stands if it is text.
func findText(c *jsonscan.Cursor) (text jsonscan.Span, ok bool) {
	if !c.Object() {
		c.Value()
		return text, false
	}
	var kind []byte
	for name, more := c.Member(); more; name, more = c.Member() {
		switch string(name) {
		case "type":
			kind = c.Value()
		case "text":
			text.From, ok = c.Pos(), c.Kind() == '"'
			c.Value()
			text.To = c.Pos()
		default:
			c.Value()
		}
	}
	return text, ok && string(kind) == `"`+ContentText+`"`
}

// Structured returns the raw structured content and whether there is any: it
// may be any JSON value, null included (R149, P18).
func (r *CallToolResult) Structured() (json.RawMessage, bool) {
	if r == nil {
		return nil, false
	}
	return r.structured, r.structured != nil
}

// Meta returns the result's _meta, raw, or nil.
func (r *CallToolResult) Meta() json.RawMessage {
	if r == nil {
		return nil
	}
	return r.meta
}

// Raw returns the whole result as the server sent it. It must not be changed.
func (r *CallToolResult) Raw() json.RawMessage {
	switch {
	case r == nil:
		return nil
	case r.own != nil:
		return r.own.wire()
	default:
		return r.raw
	}
}

// UnmarshalJSON decodes a result from a copy of data.
func (r *CallToolResult) UnmarshalJSON(data []byte) error { return unmarshal(r, data) }

// MarshalJSON returns Raw; for the zero value, an empty result.
func (r *CallToolResult) MarshalJSON() ([]byte, error) {
	if r == nil || r.raw == nil {
		return []byte(`{"content":[]}`), nil
	}
	return r.Raw(), nil
}
