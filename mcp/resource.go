package mcp

import (
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Resource describes a resource. All text is the server's and untrusted.
type Resource struct {
	// URI is what the resource is read by.
	URI string `json:"uri"`
	// Name and Title are for people; see DisplayName.
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	// Size is in bytes, nil if the server did not tell it.
	Size *int64 `json:"size,omitempty"`
	// Annotations may be nil.
	Annotations *Annotations `json:"annotations,omitempty"`
	// Icons is raw; see ParseIcons.
	Icons json.RawMessage `json:"icons,omitempty"`
	// Meta is the resource's _meta, raw, or nil.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// Raw is the whole resource as the server sent it; nil if it was built here.
	// It must not be changed.
	Raw json.RawMessage `json:"-"`
}

// Key returns the URI, by which resources are told apart.
func (r Resource) Key() string { return r.URI }

// DisplayName returns the title, else the name, else the URI.
func (r Resource) DisplayName() string { return firstOf(r.Title, r.Name, r.URI) }

func (r *Resource) read(c *jsonscan.Cursor) (problem string) {
	start := c.Pos()
	if !c.Object() {
		kind := kindOf(c.Value())
		return "must be an object, found " + kind
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "uri":
			r.URI = readText(c)
		case "name":
			r.Name = readText(c)
		case "title":
			r.Title = readText(c)
		case "description":
			r.Description = readText(c)
		case "mimeType":
			r.MIMEType = readText(c)
		case "size":
			r.Size = readInteger(c)
		case "annotations":
			r.Annotations = readAnnotations(c)
		case "icons":
			r.Icons = readKept(c)
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
	}
	r.Raw = c.Slice(start)
	if r.URI == "" {
		return "has no uri"
	}
	return ""
}

func (r *Resource) decode(raw []byte) error { return decodeEntry(r, raw) }

// UnmarshalJSON decodes a resource; Raw is a copy of data. A resource without a
// URI is an error.
func (r *Resource) UnmarshalJSON(data []byte) error { *r = Resource{}; return unmarshal(r, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r Resource) MarshalJSON() ([]byte, error) {
	type fields Resource
	return marshal(r.Raw, fields(r))
}

// ResourceTemplate describes a family of resources by a URI template (RFC 6570).
type ResourceTemplate struct {
	// URITemplate is what URIs are made from.
	URITemplate string `json:"uriTemplate"`
	// Name and Title are for people; see DisplayName.
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// MIMEType is set only if all resources of the family have it.
	MIMEType string `json:"mimeType,omitempty"`
	// Annotations may be nil.
	Annotations *Annotations `json:"annotations,omitempty"`
	// Icons is raw; see ParseIcons.
	Icons json.RawMessage `json:"icons,omitempty"`
	// Meta is the template's _meta, raw, or nil.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// Raw is the whole template as the server sent it; nil if it was built here.
	// It must not be changed.
	Raw json.RawMessage `json:"-"`
}

// Key returns the URI template, by which templates are told apart.
func (r ResourceTemplate) Key() string { return r.URITemplate }

// DisplayName returns the title, else the name, else the URI template.
func (r ResourceTemplate) DisplayName() string { return firstOf(r.Title, r.Name, r.URITemplate) }

func (r *ResourceTemplate) read(c *jsonscan.Cursor) (problem string) {
	start := c.Pos()
	if !c.Object() {
		kind := kindOf(c.Value())
		return "must be an object, found " + kind
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "uriTemplate":
			r.URITemplate = readText(c)
		case "name":
			r.Name = readText(c)
		case "title":
			r.Title = readText(c)
		case "description":
			r.Description = readText(c)
		case "mimeType":
			r.MIMEType = readText(c)
		case "annotations":
			r.Annotations = readAnnotations(c)
		case "icons":
			r.Icons = readKept(c)
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
	}
	r.Raw = c.Slice(start)
	if r.URITemplate == "" {
		return "has no uriTemplate"
	}
	return ""
}

func (r *ResourceTemplate) decode(raw []byte) error { return decodeEntry(r, raw) }

// UnmarshalJSON decodes a template; Raw is a copy of data. One without a URI
// template is an error.
func (r *ResourceTemplate) UnmarshalJSON(data []byte) error {
	*r = ResourceTemplate{}
	return unmarshal(r, data)
}

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r ResourceTemplate) MarshalJSON() ([]byte, error) {
	type fields ResourceTemplate
	return marshal(r.Raw, fields(r))
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
