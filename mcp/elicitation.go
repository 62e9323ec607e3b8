package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Modes of elicitation. A request that names none is for a form (R193).
const (
	ElicitModeForm = "form"
	ElicitModeURL  = "url"
)

// Actions of an elicitation's answer.
const (
	// ElicitAccept: the user agreed; for a form, the content is there.
	ElicitAccept = "accept"
	// ElicitDecline: the user said no.
	ElicitDecline = "decline"
	// ElicitCancel: the user went away without an answer.
	ElicitCancel = "cancel"
)

// ElicitRequest asks the user for data in a form, or to open a page. It is the
// server's and untrusted: whoever shows it says which server asks and offers to
// decline and to cancel (R195); a URL is not fetched, and not opened before the
// user has seen all of it and agreed (R199, R200).
type ElicitRequest struct {
	// Mode is ElicitModeForm, also where the server named none, ElicitModeURL,
	// or the server's own, which is to be refused (R194).
	Mode string `json:"mode"`
	// Message is the server's text for the user.
	Message string `json:"message"`
	// RequestedSchema is set for forms: the raw, flat JSON Schema of the content,
	// or nil if the server sent none. See ApplyDefaults and ValidateContent.
	RequestedSchema json.RawMessage `json:"requestedSchema,omitempty"`
	// URL is set for ElicitModeURL: the page to open.
	URL string `json:"url,omitempty"`
	// ElicitationID is set for ElicitModeURL in 2025-11-25 only: opaque, see
	// ElicitationCompleteParams (R203).
	ElicitationID string `json:"elicitationId,omitempty"`
	// Meta is the params' _meta, raw, or nil.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// Raw is the whole params object as the server sent it; nil if it was built
	// here. It must not be changed.
	Raw json.RawMessage `json:"-"`
}

// ParseElicitRequest decodes the params of elicitation/create. The error wraps
// ErrProtocol: params are no object, or the mode is url and there is no URL.
func ParseElicitRequest(params json.RawMessage) (*ElicitRequest, error) {
	return decodeParams[ElicitRequest](params)
}

func (r *ElicitRequest) read(c *jsonscan.Cursor) (problem string) {
	start := c.Pos()
	if !c.Object() {
		return "must be an object, found " + kindOf(c.Value())
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "mode":
			r.Mode = readText(c)
		case "message":
			r.Message = readText(c)
		case "requestedSchema":
			r.RequestedSchema = readKept(c)
		case "url":
			r.URL = readText(c)
		case "elicitationId":
			r.ElicitationID = readText(c)
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
	}
	r.Raw = c.Slice(start)
	r.Mode = firstOf(r.Mode, ElicitModeForm)
	if r.Mode == ElicitModeURL && r.URL == "" {
		return "has no url"
	}
	return ""
}

func (r *ElicitRequest) decode(raw []byte) error {
	*r = ElicitRequest{}
	return decodeEntry(r, raw)
}

// UnmarshalJSON decodes the params; Raw is a copy of data.
func (r *ElicitRequest) UnmarshalJSON(data []byte) error { return unmarshal(r, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r ElicitRequest) MarshalJSON() ([]byte, error) {
	type fields ElicitRequest
	r.Mode = firstOf(r.Mode, ElicitModeForm)
	return marshal(r.Raw, fields(r))
}

// ElicitResult is the user's answer.
type ElicitResult struct {
	// Action is ElicitAccept, ElicitDecline or ElicitCancel.
	Action string
	// Content is the accepted form: anything that encodes to a JSON object, such
	// as a map[string]any or a struct, whose values are strings, numbers,
	// booleans or, since 2025-11-25, arrays of strings (R198). It stays nil for
	// URLs and for what was not accepted. In a decoded result it is a
	// json.RawMessage or nil.
	Content any
	// Meta is the result's _meta, raw, or nil.
	Meta json.RawMessage
}

// RawContent encodes Content, big integers digit for digit; nil where there is
// none. The error says that it is no JSON object.
func (r ElicitResult) RawContent() (json.RawMessage, error) {
	if r.Content == nil {
		return nil, nil
	}
	raw, err := encode(r.Content)
	if err != nil {
		return nil, fmt.Errorf("elicitation content does not encode: %w", err)
	}
	switch cursor := jsonscan.TrustedCursor(raw); cursor.Kind() {
	case '{':
		return raw, nil
	case 'n':
		return nil, nil
	default:
		return nil, fmt.Errorf("elicitation content must be a JSON object, found %s", kindOf(raw))
	}
}

func (r *ElicitResult) decode(raw []byte) error {
	*r = ElicitResult{}
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) error {
		switch string(name) {
		case "action":
			r.Action = readText(c)
		case "content":
			if content := readKept(c); content != nil {
				r.Content = content
			}
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
		return nil
	})
	if err == nil && r.Action == "" {
		err = errors.New("has no action")
	}
	return err
}

// UnmarshalJSON decodes the result from a copy of data.
func (r *ElicitResult) UnmarshalJSON(data []byte) error { return unmarshal(r, data) }

// MarshalJSON encodes the result as the specification has it.
func (r ElicitResult) MarshalJSON() ([]byte, error) {
	content, err := r.RawContent()
	if err != nil {
		return nil, err
	}
	return encode(struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content,omitempty"`
		Meta    json.RawMessage `json:"_meta,omitempty"`
	}{r.Action, content, r.Meta})
}

// String tells the action only: what a user entered is nobody's to log.
func (r ElicitResult) String() string { return "elicitation " + r.Action }

// GoString is String, so that %#v shows no content either.
func (r ElicitResult) GoString() string { return r.String() }

// ParseURLElicitations reads the data of an error with code
// CodeURLElicitationRequired: the pages to open before the request is tried
// again (R205). The error wraps ErrProtocol: there are none that can be used.
func ParseURLElicitations(data json.RawMessage) ([]ElicitRequest, error) {
	var faults []error
	var requests []ElicitRequest
	err := decodeObject(data, func(name []byte, c *jsonscan.Cursor) (err error) {
		if string(name) == "elicitations" {
			requests, err = readEntries[ElicitRequest](c, "elicitations", &faults)
			return err
		}
		c.Value()
		return nil
	})
	if err == nil && len(requests) == 0 {
		err = errors.Join(append(faults, errors.New(`"elicitations" has no entry`))...)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: data of error %d: %w", errors.ErrProtocol, CodeURLElicitationRequired, err)
	}
	return requests, nil
}

// ElicitationCompleteParams are the params of notifications/elicitation/complete
// of 2025-11-25: what was to be done on the page is done. Ids that are unknown
// or finished are ignored (R203).
type ElicitationCompleteParams struct {
	ElicitationID string `json:"elicitationId"`
}

// ParseElicitationCompleteParams decodes them. The error wraps ErrProtocol:
// params are no object or have no elicitationId.
func ParseElicitationCompleteParams(params json.RawMessage) (*ElicitationCompleteParams, error) {
	return decodeParams[ElicitationCompleteParams](params)
}

func (p *ElicitationCompleteParams) decode(raw []byte) error {
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) error {
		if string(name) == "elicitationId" {
			p.ElicitationID = readText(c)
			return nil
		}
		c.Value()
		return nil
	})
	if err == nil && p.ElicitationID == "" {
		err = errors.New("has no elicitationId")
	}
	return err
}
