package mcp

import (
	"bytes"
	"sync"
	"unsafe"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// A text with escapes needs memory of its own beside the bytes that the server
// sent, twice the size of a large result; and most callers want nothing but the
// text. Where nobody else has the bytes yet, the text is therefore decoded in their
// place. What it takes to write the escapes back is kept (a few hundredths of the
// size), so that whoever asks for the server's bytes afterwards gets them exactly.
//
// Once bytes were given away that the text is part of, they are never changed: the
// text is then decoded into memory of its own. Either way a text, or bytes, that
// somebody has got stay what they are for ever.
//
// Only the inside of one string is ever changed. Readers that know where it stands
// (jsonscan.TrustedCursorAround) never look there, and need no lock.

// leastOwned is how long a text must be to be worth it.
const leastOwned = 16 << 10

// ownBytes are those of a result that nobody else has. It is safe for concurrent
// use, and shared by all values that stand for the result.
type ownBytes struct {
	raw    []byte
	string jsonscan.Span // in raw, quotes included

	mu      sync.Mutex
	stays   bool // raw was given away, or cannot be decoded in place: it stays as it is
	decoded bool // raw has the text in place of the string
	length  int  // of the text; if decoded
	gaps    []byte
	again   []byte // a copy with the string as it was; nil until it is asked for
}

// newOwnBytes returns nil if there is no long string that could be decoded in place.
func newOwnBytes(raw []byte, long jsonscan.Span) *ownBytes {
	if long.Len() < leastOwned || long.From < 0 || long.To > len(raw) || raw[long.From] != '"' || raw[long.To-1] != '"' {
		return nil
	}
	return &ownBytes{raw: raw, string: long}
}

func (o *ownBytes) inside(raw []byte) []byte { return raw[o.string.From+1 : o.string.To-1] }

// text returns the decoded string.
func (o *ownBytes) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	inside := o.inside(o.raw)
	if !o.decoded && !o.stays {
		length, gaps, ok := jsonscan.DecodeInPlace(inside)
		if ok && gaps == nil {
			return unsafe.String(unsafe.SliceData(inside), length) // no escapes: nothing was changed
		}
		o.decoded, o.stays, o.length, o.gaps = ok, !ok, length, gaps
	}
	if o.decoded {
		return unsafe.String(unsafe.SliceData(inside), o.length)
	}
	text, _ := jsonscan.SharedString(o.raw[o.string.From:o.string.To])
	return text
}

// wire returns the result as the server sent it.
func (o *ownBytes) wire() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.decoded {
		o.stays = true
		return o.raw
	}
	if o.again == nil {
		again := bytes.Clone(o.raw)
		jsonscan.EncodeInPlace(o.inside(again), o.length, o.gaps)
		o.again = again
	}
	return o.again
}
