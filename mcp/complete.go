package mcp

import (
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// CompletionReference names what an argument belongs to that is being
// completed: a prompt or a resource template.
type CompletionReference struct {
	// Type is "ref/prompt" or "ref/resource".
	Type string `json:"type"`
	// Name is the prompt's name.
	Name string `json:"name,omitempty"`
	// URI is the resource template.
	URI string `json:"uri,omitempty"`
}

// PromptReference refers to a prompt by its name.
func PromptReference(name string) CompletionReference {
	return CompletionReference{Type: "ref/prompt", Name: name}
}

// ResourceTemplateReference refers to a resource template by its text.
func ResourceTemplateReference(uriTemplate string) CompletionReference {
	return CompletionReference{Type: "ref/resource", URI: uriTemplate}
}

// CompleteParams are the params of completion/complete.
type CompleteParams struct {
	Ref      CompletionReference `json:"ref"`
	Argument CompletionArgument  `json:"argument"`
	// Context may be nil.
	Context *CompletionContext `json:"context,omitempty"`
}

// CompletionArgument is the argument being completed and what is typed so far.
type CompletionArgument struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// CompletionContext holds the arguments that were chosen before (R167).
type CompletionContext struct {
	Arguments map[string]string `json:"arguments,omitempty"`
}

// CompleteResult is the result of completion/complete. Servers may leave out
// any part of it (R166).
type CompleteResult struct {
	// Values are the proposals; the specification allows at most 100.
	Values []string
	// Total is how many there are in all, nil if the server did not tell.
	Total *int64
	// HasMore reports that there are more than Values.
	HasMore bool
	// Meta is the result's _meta, raw, or nil.
	Meta json.RawMessage
	// Raw is the whole result as the server sent it; nil if it was built here.
	// It must not be changed.
	Raw json.RawMessage
}

// ParseCompleteResult decodes the proposals. The error wraps ErrProtocol: the
// result is no object. Missing parts are no error.
func ParseCompleteResult(r Result) (*CompleteResult, error) { return decodeResult[CompleteResult](r) }

func (r *CompleteResult) decode(raw []byte) error {
	*r = CompleteResult{Raw: raw}
	return decodeObject(raw, func(name []byte, c *jsonscan.Cursor) error {
		switch string(name) {
		case "completion":
			r.readCompletion(c)
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
		return nil
	})
}

func (r *CompleteResult) readCompletion(c *jsonscan.Cursor) {
	if !c.Object() {
		c.Value()
		return
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "values":
			r.Values = readTexts(c)
		case "total":
			r.Total = readInteger(c)
		case "hasMore":
			r.HasMore = readTrue(c)
		default:
			c.Value()
		}
	}
}

// UnmarshalJSON decodes the result; Raw is a copy of data.
func (r *CompleteResult) UnmarshalJSON(data []byte) error { return unmarshal(r, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r CompleteResult) MarshalJSON() ([]byte, error) {
	type completion struct {
		Values  []string `json:"values"`
		Total   *int64   `json:"total,omitempty"`
		HasMore bool     `json:"hasMore,omitempty"`
	}
	type fields struct {
		Completion completion      `json:"completion"`
		Meta       json.RawMessage `json:"_meta,omitempty"`
	}
	if r.Values == nil {
		r.Values = []string{}
	}
	return marshal(r.Raw, fields{completion{r.Values, r.Total, r.HasMore}, r.Meta})
}
