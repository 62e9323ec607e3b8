package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// MessageKind tells the JSON-RPC message shapes apart.
type MessageKind uint8

// The shapes of a message.
const (
	// KindInvalid is neither request, notification nor response.
	KindInvalid MessageKind = iota
	// KindRequest has a method and an id.
	KindRequest
	// KindNotification has a method and no id.
	KindNotification
	// KindResponse has a result, or an error, and no method.
	KindResponse
)

// Message is one decoded JSON-RPC 2.0 envelope. The slices are raw JSON and
// alias Raw; nil means that the member was absent, while an explicit null is
// the four bytes "null" (P17). A Message owns its bytes: whoever received it
// may keep it, and nobody may change it.
type Message struct {
	// Raw is the whole envelope.
	Raw json.RawMessage
	// ID is the "id" member.
	ID ID
	// Method is the "method" member, empty for responses.
	Method string
	// Params is the "params" member.
	Params json.RawMessage
	// Result is the "result" member.
	Result json.RawMessage
	// Error is the "error" member.
	Error json.RawMessage
	// LongValue is where the value stands of which Result mostly consists, if
	// whoever read the message noticed one: a hint that spares those who read the
	// result looking for its end. The zero value is no hint.
	LongValue jsonscan.Span
}

// Kind classes the message. A message with a method and a null id counts as a
// request, since only its absence makes a notification (R004, R007).
func (m *Message) Kind() MessageKind {
	switch {
	case m.Method != "" && !m.ID.IsZero():
		return KindRequest
	case m.Method != "":
		return KindNotification
	case m.Result != nil || m.Error != nil:
		return KindResponse
	default:
		return KindInvalid
	}
}

// IsZero reports whether there is no message.
func (m *Message) IsZero() bool { return m.Raw == nil }

// Failure decodes the "error" member. It returns nil if there is none. An
// error that lacks its message or code, or is not an object, still yields an
// *Error with a text that says so: the peer did refuse.
func (m *Message) Failure() *Error {
	if m.Error == nil {
		return nil
	}
	failure := &Error{}
	if err := json.Unmarshal(m.Error, failure); err != nil {
		return &Error{Message: "unreadable error object: " + bounded(string(m.Error))}
	}
	if failure.Message == "" {
		failure.Message = "error without a message"
	}
	return failure
}

func bounded(text string) string {
	const limit = 200
	if len(text) > limit {
		return text[:limit] + "..."
	}
	return text
}

// Error is a JSON-RPC error object.
type Error struct {
	// Code is one of the Code constants or the peer's own.
	Code int `json:"code"`
	// Message is the peer's description: untrusted text.
	Message string `json:"message"`
	// Data is raw, nil where absent.
	Data json.RawMessage `json:"data,omitempty"`
}

// Error renders code and message.
func (e *Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// Request is a JSON-RPC request as a value, for those who build messages by
// hand, such as test peers. The hot path appends bytes instead.
type Request struct {
	ID     ID
	Method string
	Params json.RawMessage
}

// MarshalJSON writes the envelope.
func (r Request) MarshalJSON() ([]byte, error) {
	return json.Marshal(envelope{Version: "2.0", ID: r.ID, Method: r.Method, Params: r.Params})
}

// Notification is a JSON-RPC notification as a value.
type Notification struct {
	Method string
	Params json.RawMessage
}

// MarshalJSON writes the envelope.
func (n Notification) MarshalJSON() ([]byte, error) {
	return json.Marshal(envelope{Version: "2.0", Method: n.Method, Params: n.Params})
}

// Response is a JSON-RPC response as a value. If Error is nil, Result is
// written, a nil one as an empty object.
type Response struct {
	ID     ID
	Result json.RawMessage
	Error  *Error
}

// MarshalJSON writes the envelope, with exactly one of result and error (R008).
func (r Response) MarshalJSON() ([]byte, error) {
	e := envelope{Version: "2.0", ID: r.ID, Error: r.Error}
	if len(e.ID) == 0 {
		e.ID = ID("null")
	}
	if r.Error == nil {
		e.Result = r.Result
		if e.Result == nil {
			e.Result = json.RawMessage("{}")
		}
	}
	return json.Marshal(e)
}

type envelope struct {
	Version string          `json:"jsonrpc"`
	ID      ID              `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}
