package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Params are the encoded params of one request: a JSON object on one line,
// encoded once, and what the layers between caller and wire need to know of it.
// A Params is immutable and safe for concurrent use; the nil *Params stands for
// an empty object. Every round and every resend of a request writes the same
// bytes (P16).
type Params struct {
	raw       json.RawMessage // the caller's object
	rest      json.RawMessage // raw without its _meta member
	meta      json.RawMessage // the caller's _meta object, nil if there is none
	arguments json.RawMessage
	name      string
	uri       string
	taskID    string
	continues bool
	empty     bool // rest has no members
}

// ParamsOf encodes params. It accepts nil, which gives an empty object, as JSON
// null does; a *Params, which is returned as it is; JSON text as
// json.RawMessage or []byte, which is copied; a Result; and anything that
// encoding/json encodes to an object, big integers digit for digit. The order
// of the members is kept, < > & are not escaped, and white space is removed
// only where there are newlines.
//
// Errors wrap ErrInvalidParams: params that do not encode, or not to an object;
// a _meta that is no object; a member that occurs twice in the object, in its
// _meta or in its arguments, since client and server could understand a
// different one.
func ParamsOf(params any) (*Params, error) {
	switch v := params.(type) {
	case nil:
		return emptyParams(), nil
	case *Params:
		if v == nil {
			return emptyParams(), nil
		}
		return v, nil
	case Result:
		params = v.Raw()
	}
	raw, err := encode(params)
	if err != nil {
		return nil, fmt.Errorf("%w: params do not encode: %w", errors.ErrInvalidParams, err)
	}
	return scanParams(raw)
}

func emptyParams() *Params {
	return &Params{raw: json.RawMessage("{}"), rest: json.RawMessage("{}"), empty: true}
}

// scanParams reads an encoded, validated object that it may keep.
func scanParams(raw []byte) (*Params, error) {
	cursor := jsonscan.TrustedCursor(raw)
	if cursor.Kind() == 'n' {
		return emptyParams(), nil
	}
	if !cursor.Object() {
		return nil, fmt.Errorf("%w: params must be a JSON object, found %s", errors.ErrInvalidParams, kindOf(raw))
	}
	p := &Params{raw: raw, rest: raw, empty: true}
	for name, ok := cursor.Member(); ok; name, ok = cursor.Member() {
		value := cursor.Value()
		switch string(name) {
		case "_meta":
			p.meta = value
			continue
		case "name":
			p.name, _ = jsonscan.String(value)
		case "uri":
			p.uri, _ = jsonscan.String(value)
		case "taskId":
			p.taskID, _ = jsonscan.String(value)
		case "arguments":
			p.arguments = value
		case "inputResponses", "requestState":
			p.continues = true
		}
		p.empty = false
	}
	if err := cursor.End(); err != nil {
		return nil, fmt.Errorf("%w: %w", errors.ErrInvalidParams, err)
	}
	if err := refuseDuplicates("params", raw); err != nil {
		return nil, err
	}
	if err := refuseDuplicates("params.arguments", p.arguments); err != nil {
		return nil, err
	}
	if err := p.splitMeta(); err != nil {
		return nil, err
	}
	return p, nil
}

func refuseDuplicates(where string, object []byte) error {
	if name, found := jsonscan.Duplicate(object); found {
		return fmt.Errorf("%w: %s has the member %q twice", errors.ErrInvalidParams, where, shortened(name))
	}
	return nil
}

// shortened bounds a member name for an error text.
func shortened(name string) string {
	const limit = 64
	if len(name) > limit {
		return name[:limit] + "..."
	}
	return name
}

// splitMeta sets rest where the caller gave a _meta of its own.
func (p *Params) splitMeta() error {
	if p.meta == nil {
		return nil
	}
	p.rest = appendMembersExcept(make([]byte, 0, len(p.raw)), p.raw, "_meta")
	switch cursor := jsonscan.TrustedCursor(p.meta); cursor.Kind() {
	case 'n':
		p.meta = nil
		return nil
	case '{':
		return refuseDuplicates("params._meta", p.meta)
	default:
		return fmt.Errorf("%w: params._meta must be a JSON object, found %s", errors.ErrInvalidParams, kindOf(p.meta))
	}
}

// Raw returns the caller's object as it was encoded. It must not be changed.
func (p *Params) Raw() json.RawMessage {
	if p == nil {
		return json.RawMessage("{}")
	}
	return p.raw
}

// Name returns the "name" member: the tool or prompt. It is empty if there is
// none or if it is not a string.
func (p *Params) Name() string {
	if p == nil {
		return ""
	}
	return p.name
}

// URI returns the "uri" member, or "".
func (p *Params) URI() string {
	if p == nil {
		return ""
	}
	return p.uri
}

// TaskID returns the "taskId" member, or "".
func (p *Params) TaskID() string {
	if p == nil {
		return ""
	}
	return p.taskID
}

// Arguments returns the raw "arguments" member, or nil. It must not be changed.
func (p *Params) Arguments() json.RawMessage {
	if p == nil {
		return nil
	}
	return p.arguments
}

// Meta returns the caller's own "_meta" object, raw, or nil. It must not be
// changed.
func (p *Params) Meta() json.RawMessage {
	if p == nil {
		return nil
	}
	return p.meta
}

// LogLevel returns the log level that the caller asks for in _meta, or "".
func (p *Params) LogLevel() string {
	value, found := jsonscan.Find(p.Meta(), MetaLogLevel)
	if !found {
		return ""
	}
	level, _ := jsonscan.String(value)
	return level
}

// IsContinuation reports whether the request goes on with one that was answered
// by input_required: it has inputResponses or requestState. Such a request is a
// round of its own and its result is never cached (R212, R229).
func (p *Params) IsContinuation() bool { return p != nil && p.continues }

// IsZero reports whether the object has no members.
func (p *Params) IsZero() bool { return p == nil || (p.empty && p.meta == nil) }

// Len returns about how many bytes the params have, for sizing a buffer.
func (p *Params) Len() int {
	if p == nil {
		return 0
	}
	return len(p.rest) + len(p.meta)
}

// String tells the size only: arguments and request states are nobody's to log.
func (p *Params) String() string { return fmt.Sprintf("params of %d bytes", len(p.Raw())) }

// GoString is String, so that %#v shows no contents either.
func (p *Params) GoString() string { return p.String() }

// MarshalJSON returns the caller's object.
func (p *Params) MarshalJSON() ([]byte, error) { return p.Raw(), nil }

// With returns a copy in which one member has a new value; value is encoded as
// ParamsOf encodes. A member that is not there yet is added at the end. It is
// how cursors, inputResponses and requestState get into a request. The error
// wraps ErrInvalidParams.
func (p *Params) With(key string, value any) (*Params, error) {
	encoded, err := encode(value)
	if err != nil {
		return nil, fmt.Errorf("%w: params.%s does not encode: %w", errors.ErrInvalidParams, shortened(key), err)
	}
	raw := p.Raw()
	dst := make([]byte, 0, len(raw)+len(key)+len(encoded)+8)
	dst = appendMembersExcept(dst, raw, key)
	dst = dst[:len(dst)-1]
	if len(dst) > 1 {
		dst = append(dst, ',')
	}
	dst = appendMember(dst, []byte(key), encoded)
	return scanParams(append(dst, '}'))
}
