package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// ResourceContents is one item of a resource that was read: text or, base64, a
// blob (R158).
type ResourceContents struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType,omitempty"`
	// Text is set if the item is text.
	Text string `json:"text,omitempty"`
	// Blob is set if the item is binary: base64. Bytes decodes it.
	Blob string `json:"blob,omitempty"`
	// Meta is the item's _meta, raw, or nil.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// Raw is the whole item as the server sent it; nil if it was built here. It
	// must not be changed.
	Raw json.RawMessage `json:"-"`

	blob bool // there was a blob member, perhaps an empty one
}

// IsBlob reports whether the item is binary.
func (r ResourceContents) IsBlob() bool { return r.blob || r.Blob != "" }

// Bytes returns the contents: the decoded blob, or the text. The error wraps
// ErrProtocol.
func (r ResourceContents) Bytes() ([]byte, error) {
	if r.IsBlob() {
		return decodeBase64(r.Blob)
	}
	return []byte(r.Text), nil
}

func (r *ResourceContents) read(c *jsonscan.Cursor) (problem string) {
	start := c.Pos()
	if !c.Object() {
		kind := kindOf(c.Value())
		return "must be an object, found " + kind
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "uri":
			r.URI = readText(c)
		case "mimeType":
			r.MIMEType = readText(c)
		case "text":
			r.Text = readText(c)
		case "blob":
			r.Blob, r.blob = c.SharedText()
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
	}
	r.Raw = c.Slice(start)
	return ""
}

func readResourceContents(c *jsonscan.Cursor) *ResourceContents {
	r := &ResourceContents{}
	if r.read(c) != "" {
		return nil
	}
	return r
}

func (r *ResourceContents) decode(raw []byte) error { return decodeEntry(r, raw) }

// UnmarshalJSON decodes an item; Raw is a copy of data.
func (r *ResourceContents) UnmarshalJSON(data []byte) error {
	*r = ResourceContents{}
	return unmarshal(r, data)
}

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r ResourceContents) MarshalJSON() ([]byte, error) {
	type fields ResourceContents
	if r.Raw == nil && !r.IsBlob() {
		// The text is required, also when it is empty.
		return json.Marshal(struct {
			fields
			Text string `json:"text"`
		}{fields(r), r.Text})
	}
	return marshal(r.Raw, fields(r))
}

// ReadResourceResult is the result of resources/read.
type ReadResourceResult struct {
	Caching
	// Contents may hold several items (R158).
	Contents []ResourceContents
	// Faults describes items, at most 16, that are no objects and were left out.
	Faults []error
	// Meta is the result's _meta, raw, or nil.
	Meta json.RawMessage
	// Raw is the whole result as the server sent it; nil if it was built here.
	// It must not be changed.
	Raw json.RawMessage
}

// ParseReadResourceResult decodes the contents of a resource. The error wraps
// ErrProtocol: the result is no object or has no contents array.
func ParseReadResourceResult(r Result) (*ReadResourceResult, error) {
	return decodeResult[ReadResourceResult](r)
}

func (r *ReadResourceResult) decode(raw []byte) error {
	*r = ReadResourceResult{Raw: raw}
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) (err error) {
		switch string(name) {
		case "contents":
			r.Contents, err = readEntries[ResourceContents](c, "contents", &r.Faults)
		case "_meta":
			r.Meta = readKept(c)
		default:
			if !r.readMember(name, c) {
				c.Value()
			}
		}
		return err
	})
	if err == nil && r.Contents == nil {
		err = fmt.Errorf("%q is missing", "contents")
	}
	return err
}

// UnmarshalJSON decodes the result; Raw is a copy of data.
func (r *ReadResourceResult) UnmarshalJSON(data []byte) error { return unmarshal(r, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r ReadResourceResult) MarshalJSON() ([]byte, error) {
	return marshalList(&Page{Caching: r.Caching, Meta: r.Meta, Raw: r.Raw}, "contents", r.Contents)
}
