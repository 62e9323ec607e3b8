package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Kinds of content.
const (
	ContentText         = "text"
	ContentImage        = "image"
	ContentAudio        = "audio"
	ContentResource     = "resource"
	ContentResourceLink = "resource_link"

	// In sampling messages only.
	ContentToolUse    = "tool_use"
	ContentToolResult = "tool_result"
)

// Content is one block of content, in tool results and prompt messages. Which
// fields are set depends on Type; kinds that this module does not know survive
// in Raw. Everything in it comes from the server and is untrusted.
type Content struct {
	// Type is one of the Content constants, or the server's own.
	Type string `json:"type"`
	// Text is set for text.
	Text string `json:"text,omitempty"`
	// Data is set for image and audio: base64. Bytes decodes it.
	Data string `json:"data,omitempty"`
	// MIMEType is set for image, audio and, mostly, resource_link.
	MIMEType string `json:"mimeType,omitempty"`
	// URI, Name, Title and Description are set for resource_link. The resource
	// need not be listed (R160).
	URI         string `json:"uri,omitempty"`
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Size is set for resource_link, in bytes, if the server told it.
	Size *int64 `json:"size,omitempty"`
	// Resource is set for resource: the resource itself.
	Resource *ResourceContents `json:"resource,omitempty"`
	// ToolUse is set for tool_use, ToolResult for tool_result.
	ToolUse    *ToolUse    `json:"-"`
	ToolResult *ToolResult `json:"-"`
	// Annotations may be nil.
	Annotations *Annotations `json:"annotations,omitempty"`
	// Icons is raw; see ParseIcons.
	Icons json.RawMessage `json:"icons,omitempty"`
	// Meta is the block's _meta, raw, or nil.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// Raw is the whole block as the server sent it; nil if it was built here. It
	// must not be changed.
	Raw json.RawMessage `json:"-"`
}

// TextContent returns a block of text.
func TextContent(text string) Content { return Content{Type: ContentText, Text: text} }

// Bytes decodes Data, or the embedded resource's contents; for text it returns
// the text. The error wraps ErrProtocol.
func (c Content) Bytes() ([]byte, error) {
	switch {
	case c.Resource != nil:
		return c.Resource.Bytes()
	case c.Type == ContentText:
		return []byte(c.Text), nil
	default:
		return decodeBase64(c.Data)
	}
}

func decodeBase64(data string) ([]byte, error) {
	decoded, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("%w: data is not base64: %w", errors.ErrProtocol, err)
	}
	return decoded, nil
}

func (c *Content) read(cursor *jsonscan.Cursor) (problem string) {
	if problem = c.readMembers(cursor); problem != "" {
		return problem
	}
	switch c.Type {
	case ContentToolUse:
		c.ToolUse = readToolUse(c.Raw)
	case ContentToolResult:
		c.ToolResult = readToolResult(c.Raw)
	}
	return ""
}

func (c *Content) readMembers(cursor *jsonscan.Cursor) (problem string) {
	start := cursor.Pos()
	if !cursor.Object() {
		kind := kindOf(cursor.Value())
		return "must be an object, found " + kind
	}
	for name, ok := cursor.Member(); ok; name, ok = cursor.Member() {
		switch string(name) {
		case "type":
			c.Type = readText(cursor)
		case "text":
			c.Text = readText(cursor)
		case "data":
			c.Data = readText(cursor)
		case "mimeType":
			c.MIMEType = readText(cursor)
		case "uri":
			c.URI = readText(cursor)
		case "name":
			c.Name = readText(cursor)
		case "title":
			c.Title = readText(cursor)
		case "description":
			c.Description = readText(cursor)
		case "size":
			c.Size = readInteger(cursor)
		case "resource":
			c.Resource = readResourceContents(cursor)
		case "annotations":
			c.Annotations = readAnnotations(cursor)
		case "icons":
			c.Icons = readKept(cursor)
		case "_meta":
			c.Meta = readKept(cursor)
		default:
			cursor.Value()
		}
	}
	c.Raw = cursor.Slice(start)
	return ""
}

func (c *Content) decode(raw []byte) error { return decodeEntry(c, raw) }

// UnmarshalJSON decodes a block; Raw is a copy of data.
func (c *Content) UnmarshalJSON(data []byte) error { *c = Content{}; return unmarshal(c, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (c Content) MarshalJSON() ([]byte, error) {
	type fields Content
	switch {
	case c.Raw != nil:
		return c.Raw, nil
	case c.ToolUse != nil:
		return c.ToolUse.marshal(c.Meta)
	case c.ToolResult != nil:
		return c.ToolResult.marshal(c.Meta)
	}
	if c.Type == ContentText {
		// The text is required, also when it is empty.
		return json.Marshal(struct {
			fields
			Text string `json:"text"`
		}{fields(c), c.Text})
	}
	return json.Marshal(fields(c))
}

// Annotations tell whom a content or resource is for. They are untrusted hints.
type Annotations struct {
	// Audience holds "user", "assistant" or both.
	Audience []string `json:"audience,omitempty"`
	// Priority is from 0, optional, to 1, required; nil if not told.
	Priority *float64 `json:"priority,omitempty"`
	// LastModified is an ISO 8601 time as the server wrote it.
	LastModified string `json:"lastModified,omitempty"`
}

func readAnnotations(c *jsonscan.Cursor) *Annotations {
	if !c.Object() {
		c.Value()
		return nil
	}
	a := &Annotations{}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "audience":
			a.Audience = readTexts(c)
		case "priority":
			a.Priority = readFloat(c)
		case "lastModified":
			a.LastModified = readText(c)
		default:
			c.Value()
		}
	}
	return a
}
