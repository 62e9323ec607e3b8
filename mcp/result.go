package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Result is the result of one request, as the raw bytes that the server sent.
// It is a small value: copy it freely. It is safe for concurrent use as long as
// nobody changes the bytes.
type Result struct {
	raw      json.RawMessage
	envelope bool
	long     jsonscan.Span // in raw; a hint
	own      *ownBytes     // nil: others may hold the bytes
}

// NewResult returns the result whose "result" member is raw. raw must be valid
// JSON, which every link has checked on arrival; it is not checked again, nor
// copied.
func NewResult(raw json.RawMessage) Result { return Result{raw: raw} }

// EnvelopeResult returns the result that stands for a null or scalar "result"
// member: the full envelope, so that nothing of it is lost. envelope must be
// valid JSON; it is not copied.
func EnvelopeResult(envelope json.RawMessage) Result { return Result{raw: envelope, envelope: true} }

// ResultOf returns the result of a response: its "result" member if that is an
// object or an array, else the full envelope. For a message without one it
// returns the zero Result.
func ResultOf(m *Message) Result {
	if m.Result == nil {
		return Result{}
	}
	switch cursor := jsonscan.TrustedCursor(m.Result); cursor.Kind() {
	case '{', '[':
		return Result{raw: m.Result, long: m.LongValue}
	default:
		return EnvelopeResult(m.Raw)
	}
}

// OwnedResultOf is ResultOf for a message whose bytes nobody else has, nor will
// have: the caller vouches for it, and forgets the message. The text of a large tool
// result is then decoded where it stands, once it is asked for, without a copy; Raw
// and all that reads it give the server's bytes as ever.
func OwnedResultOf(m *Message) Result {
	r := ResultOf(m)
	if !r.envelope {
		r.own = newOwnBytes(r.raw, r.long)
	}
	return r
}

// Raw returns the bytes: the "result" member, or the full envelope if
// IsEnvelope. They must not be changed.
func (r Result) Raw() json.RawMessage {
	if r.own != nil {
		return r.own.wire()
	}
	return r.raw
}

// IsEnvelope reports whether Raw is the full JSON-RPC envelope, because the
// result was null or a scalar.
func (r Result) IsEnvelope() bool { return r.envelope }

// IsZero reports whether there is no result at all.
func (r Result) IsZero() bool { return r.raw == nil }

// Type returns the "resultType" member; a result without one is complete
// (R011). If the member is not a string, its raw text is returned, which is no
// known type (R012).
func (r Result) Type() string {
	if r.envelope || r.surelyLacks("resultType") {
		return ResultComplete
	}
	value, found := jsonscan.FindAround(r.raw, "resultType", r.long)
	switch {
	case !found:
		return ResultComplete
	case string(value) == `"`+ResultComplete+`"`:
		return ResultComplete
	}
	if text, ok := jsonscan.String(value); ok {
		return text
	}
	return string(value)
}

// surelyLacks reports at little cost that a result has no such member; it may fail to
// notice. The name must be of letters: only \u escapes could hide one.
func (r Result) surelyLacks(name string) bool {
	const short = 4 << 10 // longer ones have a hint, and may be decoded in place
	return len(r.raw) <= short && !bytes.Contains(r.raw, []byte(name)) && !bytes.Contains(r.raw, []byte(`\u`))
}

// Meta returns the raw "_meta" member, or nil.
func (r Result) Meta() json.RawMessage {
	if r.envelope {
		return nil
	}
	value, found := jsonscan.FindAround(r.raw, "_meta", r.long)
	if !found || string(value) == "null" {
		return nil
	}
	return value
}

// aliasing is implemented by the result types of this package: they decode
// bytes that they may keep.
type aliasing interface{ decode(raw []byte) error }

// Decode decodes Raw into v, as encoding/json does, except that a number in an
// interface value becomes a json.Number, which keeps every digit (P12). The
// types of this package alias the result's bytes. The error wraps ErrProtocol.
func (r Result) Decode(v any) error {
	var err error
	switch target := v.(type) {
	case aliasing:
		if r.envelope {
			return fmt.Errorf("%w: result must be an object, found null or a scalar", errors.ErrProtocol)
		}
		if tool, ok := target.(*CallToolResult); ok {
			err = tool.decodeAround(r.raw, r.long, r.own)
		} else {
			err = target.decode(r.Raw())
		}
	default:
		decoder := json.NewDecoder(bytes.NewReader(r.Raw()))
		decoder.UseNumber()
		err = decoder.Decode(v)
	}
	if err != nil {
		return fmt.Errorf("%w: result, %s, does not decode into %T: %w", errors.ErrProtocol, kindOf(r.raw), v, err)
	}
	return nil
}

// Map decodes Raw into a map; numbers are json.Number. The error wraps
// ErrProtocol: the result is not an object.
func (r Result) Map() (map[string]any, error) {
	if kind := kindOf(r.raw); kind != "an object" {
		return nil, fmt.Errorf("%w: result must be an object, found %s", errors.ErrProtocol, kind)
	}
	var m map[string]any
	if err := r.Decode(&m); err != nil {
		return nil, err
	}
	return m, nil
}

// MarshalJSON returns Raw, or null if there is no result.
func (r Result) MarshalJSON() ([]byte, error) {
	if r.raw == nil {
		return []byte("null"), nil
	}
	return r.Raw(), nil
}

// UnmarshalJSON keeps a copy of data.
func (r *Result) UnmarshalJSON(data []byte) error {
	*r = Result{raw: bytes.Clone(data)}
	return nil
}
