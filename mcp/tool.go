package mcp

import (
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Tool describes a tool. All text and all annotations are the server's and
// untrusted (R146). Names are case-sensitive (R147).
type Tool struct {
	// Name is what the tool is called by.
	Name string `json:"name"`
	// Title is a name for people; see DisplayName.
	Title string `json:"title,omitempty"`
	// Description is for the model.
	Description string `json:"description,omitempty"`
	// InputSchema is the JSON Schema of the arguments, byte for byte as the
	// server sent it (R038).
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	// OutputSchema is the JSON Schema of the structured content, or nil.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	// Annotations may be nil.
	Annotations *ToolAnnotations `json:"annotations,omitempty"`
	// Execution is the raw execution member of 2025-11-25, or nil.
	Execution json.RawMessage `json:"execution,omitempty"`
	// Icons is raw; see ParseIcons.
	Icons json.RawMessage `json:"icons,omitempty"`
	// Meta is the tool's _meta, raw, or nil.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// Raw is the whole tool as the server sent it; nil if it was built here. It
	// must not be changed.
	Raw json.RawMessage `json:"-"`
}

// Key returns the name, by which tools are told apart.
func (t Tool) Key() string { return t.Name }

// DisplayName returns the name to show to people: the title, else the title
// among the annotations, else the name (R155).
func (t Tool) DisplayName() string {
	switch {
	case t.Title != "":
		return t.Title
	case t.Annotations != nil && t.Annotations.Title != "":
		return t.Annotations.Title
	default:
		return t.Name
	}
}

func (t *Tool) read(c *jsonscan.Cursor) (problem string) {
	start := c.Pos()
	if !c.Object() {
		kind := kindOf(c.Value())
		return "must be an object, found " + kind
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "name":
			t.Name = readText(c)
		case "title":
			t.Title = readText(c)
		case "description":
			t.Description = readText(c)
		case "inputSchema":
			t.InputSchema = readKept(c)
		case "outputSchema":
			t.OutputSchema = readKept(c)
		case "annotations":
			t.Annotations = readToolAnnotations(c)
		case "execution":
			t.Execution = readKept(c)
		case "icons":
			t.Icons = readKept(c)
		case "_meta":
			t.Meta = readKept(c)
		default:
			c.Value()
		}
	}
	t.Raw = c.Slice(start)
	if t.Name == "" {
		return "has no name"
	}
	return ""
}

func (t *Tool) decode(raw []byte) error { return decodeEntry(t, raw) }

// UnmarshalJSON decodes a tool; Raw is a copy of data. A tool without a name is
// an error.
func (t *Tool) UnmarshalJSON(data []byte) error { *t = Tool{}; return unmarshal(t, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (t Tool) MarshalJSON() ([]byte, error) {
	type fields Tool
	return marshal(t.Raw, fields(t))
}

// ToolAnnotations are the server's hints on what a tool does. They are
// untrusted unless the server is trusted (R146). A nil hint was not given; the
// methods apply the specification's defaults and work on a nil receiver.
type ToolAnnotations struct {
	Title           string `json:"title,omitempty"`
	ReadOnlyHint    *bool  `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool  `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool  `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool  `json:"openWorldHint,omitempty"`

	given [4]bool // what the hints of a decoded tool point to: one allocation
}

// IsReadOnly reports whether the tool changes nothing; default false.
func (a *ToolAnnotations) IsReadOnly() bool {
	return a != nil && a.ReadOnlyHint != nil && *a.ReadOnlyHint
}

// IsDestructive reports whether the tool may destroy something; default true,
// and false if it is read-only.
func (a *ToolAnnotations) IsDestructive() bool {
	if a.IsReadOnly() {
		return false
	}
	return a == nil || a.DestructiveHint == nil || *a.DestructiveHint
}

// IsIdempotent reports whether a second call with the same arguments has no
// further effect; default false. A read-only tool has none either.
func (a *ToolAnnotations) IsIdempotent() bool {
	return a.IsReadOnly() || a != nil && a.IdempotentHint != nil && *a.IdempotentHint
}

// IsOpenWorld reports whether the tool deals with things outside the server's
// own domain; default true.
func (a *ToolAnnotations) IsOpenWorld() bool {
	return a == nil || a.OpenWorldHint == nil || *a.OpenWorldHint
}

func readToolAnnotations(c *jsonscan.Cursor) *ToolAnnotations {
	if !c.Object() {
		c.Value()
		return nil
	}
	a := &ToolAnnotations{}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "title":
			a.Title = readText(c)
		case "readOnlyHint":
			a.ReadOnlyHint = readHint(c, &a.given[0])
		case "destructiveHint":
			a.DestructiveHint = readHint(c, &a.given[1])
		case "idempotentHint":
			a.IdempotentHint = readHint(c, &a.given[2])
		case "openWorldHint":
			a.OpenWorldHint = readHint(c, &a.given[3])
		default:
			c.Value()
		}
	}
	return a
}

func readHint(c *jsonscan.Cursor, place *bool) *bool {
	switch string(c.Value()) {
	case "true":
		*place = true
	case "false":
		*place = false
	default:
		return nil
	}
	return place
}
