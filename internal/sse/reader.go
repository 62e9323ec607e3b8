// Package sse reads event streams (text/event-stream) as the HTML standard
// defines them.
//
// The Reader finds lines in a buffer of its own and hands data out in place.
// Lines end with LF, CRLF or CR; a CR ends its line at once, and an LF that
// follows it is dropped when it comes, so that a complete event is never held
// back for one more byte. Data of several lines is joined in place, which is
// possible because a joined text is never longer than its lines were. A long
// event gets a buffer of its own size, which is given up behind it; the size is
// remembered, so that the next long event is met with one allocation.
package sse

import (
	"bytes"
	"fmt"
	"io"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/poison"
)

// DefaultMaxEvent is the size limit that New applies if it is given none:
// 32 MiB.
const DefaultMaxEvent = 32 << 20

const (
	// firstBuffer holds any ordinary event.
	firstBuffer = 4 << 10
	// keptBuffer is the largest buffer kept beyond the event that needed it.
	keptBuffer = 64 << 10
)

// Reader reads the events of one stream. It is not safe for concurrent use.
type Reader struct {
	source   io.Reader
	maxEvent int
	failure  error // sticky

	buffer   []byte
	line     int      // where the next line begins
	end      int      // behind the last byte read
	lf, cr   lineMark // the next terminators at or behind line
	dropLF   bool     // the last line ended with CR: an LF here belongs to it
	started  bool     // the first line has been seen
	size     int      // bytes since the last blank line, that is of this event
	lastLong int      // buffer size that the last long event needed

	event    Event
	lastID   string // shared by events that repeat it
	hasData  bool
	dataFrom int // the event's data in the buffer, valid if hasData
	dataTo   int
}

// New returns a Reader of the stream. An event, its comments and field names
// included, may be maxEvent bytes long; 0 or less stands for DefaultMaxEvent.
// Nothing is read or allocated for it until Next.
func New(source io.Reader, maxEvent int) *Reader {
	r := &Reader{}
	r.Reset(source, maxEvent)
	return r
}

// Reset makes the Reader read another stream and keeps its buffer, which is at
// most 64 KiB. Data handed out before is no longer valid, except by Take.
func (r *Reader) Reset(source io.Reader, maxEvent int) {
	if maxEvent <= 0 {
		maxEvent = DefaultMaxEvent
	}
	buffer := r.buffer
	poison.Memory(buffer)
	if len(buffer) > keptBuffer {
		buffer = nil
	}
	*r = Reader{source: source, maxEvent: maxEvent, buffer: buffer, lastLong: r.lastLong}
}

// LongEvent returns the size of the buffer that the last long event needed, of
// this stream or one before it; 0 if there was none.
func (r *Reader) LongEvent() int { return r.lastLong }

// ExpectLongEvent makes room for a long event at once when one begins: size is
// what LongEvent of another Reader of the same source returned.
func (r *Reader) ExpectLongEvent(size int) { r.lastLong = size }

// Next returns the next event. It returns as soon as the event's last byte was
// read, and reads from the source only when no complete event is buffered.
// Comments, unknown fields, events of a type but without data, and an event that
// the stream's end cuts off yield nothing (P23).
//
// At the end the error is io.EOF; other errors are the source's own, or wrap
// ErrMessageTooLarge if maxEvent bytes came without an event's end. Errors are
// final.
func (r *Reader) Next() (Event, error) {
	r.startEvent()
	for r.failure == nil {
		from, to, ok := r.nextLine()
		switch {
		case !ok:
			r.failure = r.fill()
		case r.size > r.maxEvent:
			r.failure = r.tooLarge()
		case from < to:
			r.field(from, to)
		case r.hasData || r.event.HasID || r.event.HasRetry:
			return r.finish(), nil
		default:
			r.event, r.size = Event{}, 0
		}
	}
	r.hasData = false // what was cut off is not an event
	return Event{}, r.failure
}

// Take returns the data of the event that Next returned last, in memory that is
// the caller's: a long one is handed over, a short one copied. It returns nil
// for an event without data and when called twice.
func (r *Reader) Take() []byte {
	if !r.hasData {
		return nil
	}
	data := r.buffer[r.dataFrom:r.dataTo:r.dataTo]
	r.hasData = false
	if len(r.buffer) <= keptBuffer || len(data) < len(r.buffer)/2 {
		return append(make([]byte, 0, len(data)), data...)
	}
	r.replaceBuffer()
	return data
}

// startEvent forgets the event returned before, and its buffer if that is a
// large one.
func (r *Reader) startEvent() {
	r.event = Event{}
	r.hasData = false
	if len(r.buffer) > keptBuffer && r.end-r.line <= keptBuffer/2 {
		r.replaceBuffer()
	}
}

// replaceBuffer moves what is not yet read into a fresh, small buffer.
func (r *Reader) replaceBuffer() {
	old := r.buffer[r.line:r.end]
	r.buffer = make([]byte, max(firstBuffer, len(old)))
	r.moveTo(old, r.line)
}

// moveTo copies kept, the buffer's contents from offset from on, to the front.
func (r *Reader) moveTo(kept []byte, from int) {
	r.end = copy(r.buffer, kept)
	r.line -= from
	r.lf.move(from)
	r.cr.move(from)
	if r.hasData {
		r.dataFrom -= from
		r.dataTo -= from
	}
}

// finish completes the event and returns it.
func (r *Reader) finish() Event {
	if r.size > keptBuffer {
		r.lastLong = r.size + r.size/8 + firstBuffer // the next one may be a bit longer
	}
	r.size = 0
	if r.hasData {
		r.event.Data = r.buffer[r.dataFrom:r.dataTo:r.dataTo]
	}
	if r.event.Type == "" {
		r.event.Type = "message"
	}
	return r.event
}

// nextLine finds the next complete line, without its terminator, and moves
// behind it.
func (r *Reader) nextLine() (from, to int, ok bool) {
	if r.dropLF && r.line < r.end {
		r.dropLF = false
		if r.buffer[r.line] == '\n' {
			r.line++
		}
	}
	from = r.line
	lf := r.lf.find(r.buffer, from, r.end, '\n')
	cr := r.cr.find(r.buffer, from, r.end, '\r')
	to = min(lf, cr)
	if to == r.end {
		return 0, 0, false
	}
	r.dropLF = cr < lf
	r.line = to + 1
	r.size += r.line - from
	if !r.started {
		r.started = true
		if bytes.HasPrefix(r.buffer[from:to], []byte("\xEF\xBB\xBF")) {
			from += 3
		}
	}
	return from, to, true
}

// fill makes room and reads once.
func (r *Reader) fill() error {
	if !r.hasData {
		poison.Part(r.buffer[:r.line])
	}
	if r.size+r.end-r.line > r.maxEvent {
		return r.tooLarge()
	}
	keep := r.line
	if r.hasData {
		keep = r.dataFrom
	}
	if keep == r.end {
		if r.end == len(r.buffer) && r.end > 0 && len(r.buffer) < keptBuffer {
			// More came at once than there was room for: read more at once.
			r.buffer = make([]byte, min(4*len(r.buffer), keptBuffer))
		}
		r.moveTo(nil, keep)
	} else if r.end == len(r.buffer) {
		r.grow(keep)
	}
	if r.buffer == nil {
		r.buffer = make([]byte, firstBuffer)
	}
	for range 100 {
		n, err := r.source.Read(r.buffer[r.end:])
		if n < 0 || n > len(r.buffer)-r.end {
			return errors.New("event stream: reader returned an impossible count")
		}
		r.end += n
		switch {
		case n > 0:
			// An error that came along is met again by the next Read, or is
			// remembered here, since not every reader repeats it.
			r.source = afterwards(r.source, err)
			return nil
		case err != nil:
			return err
		}
	}
	return io.ErrNoProgress
}

// grow makes room behind end: by moving to the front what is still needed if
// that frees half the buffer, else in a larger one.
func (r *Reader) grow(keep int) {
	kept := r.buffer[keep:r.end]
	if len(kept) <= len(r.buffer)/2 {
		r.moveTo(kept, keep)
		return
	}
	size := min(4*len(r.buffer), keptBuffer)
	if len(r.buffer) >= keptBuffer {
		// At most 32 times what is there: one huge event must not make every
		// later long one as expensive.
		size = max(2*len(r.buffer), min(r.lastLong, 32*len(r.buffer)))
	}
	r.buffer = make([]byte, size)
	r.moveTo(kept, keep)
}

func (r *Reader) tooLarge() error {
	return fmt.Errorf("%w: event stream: more than %d bytes without an event's end", errors.ErrMessageTooLarge, r.maxEvent)
}
