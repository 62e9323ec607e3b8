package stdiolink

import (
	"bytes"
	"io"

	"github.com/mcp-client-go/mcpclient/internal/poison"
)

// lineReader cuts a stream into lines with one buffer. A line that fits is
// returned in place; for one that does not the buffer grows, at first by
// doubling, and is given away with a long line, so that it is not copied again.
type lineReader struct {
	from       io.Reader
	limit      int    // longest line, without its end
	buffer     []byte // buffer[start:end] is unread
	start, end int
	lastLong   int // length of the last line that was given away
	failed     error
}

const (
	// lineBuffer is the usual size of the buffer: that of a pipe.
	lineBuffer = 64 << 10
	// longLine is the length from which a line takes the buffer with it.
	longLine = 16 << 10
)

func newLineReader(from io.Reader, limit int) *lineReader {
	return &lineReader{from: from, limit: limit, buffer: make([]byte, lineBuffer)}
}

// next returns the next line without its end (LF or CRLF). If owned is set the
// caller may keep it, else it is valid until the next call. At the end of the
// stream the rest that has no line end comes with io.EOF, then nothing with
// io.EOF. A line beyond the limit is errLineTooLong, and nothing comes after it.
func (r *lineReader) next() (line []byte, owned bool, err error) {
	scanned := r.start
	for {
		if at := bytes.IndexByte(r.buffer[scanned:r.end], '\n'); at >= 0 {
			end := scanned + at
			line = trimReturn(r.buffer[r.start:end:end])
			r.start = end + 1
			if len(line) <= r.limit {
				return line, r.giveAway(line), nil
			}
			r.failed, r.start = errLineTooLong, r.end
		}
		scanned = r.end
		if r.end-r.start > r.limit+len("\r") {
			r.failed = errLineTooLong
			r.start = r.end
		}
		if r.failed != nil {
			line = trimReturn(r.buffer[r.start:r.end:r.end])
			r.start = r.end
			return line, false, r.failed
		}
		poison.Part(r.buffer[:r.start]) // the lines before
		scanned -= r.makeRoom()
		n, err := r.from.Read(r.buffer[r.end:])
		r.end += n
		if n == 0 && err != nil {
			r.failed = err
		}
	}
}

// makeRoom makes the buffer have room at its end and returns by how much the
// unread part moved.
func (r *lineReader) makeRoom() (moved int) {
	if r.end < len(r.buffer) {
		return 0
	}
	unread := r.end - r.start
	if unread <= len(r.buffer)/2 {
		moved = r.start
		copy(r.buffer, r.buffer[r.start:r.end])
		r.start, r.end = 0, unread
		return moved
	}
	// A long line. Servers tend to send several of one size: make room for one
	// like the last at once.
	size := min(max(2*len(r.buffer), r.lastLong+r.lastLong/8), r.limit+lineBuffer)
	size = max(size, len(r.buffer)+lineBuffer)
	grown := make([]byte, size)
	copy(grown, r.buffer[r.start:r.end])
	moved = r.start
	r.buffer, r.start, r.end = grown, 0, unread
	return moved
}

// giveAway lets a long line have the buffer if it fills a good part of it.
func (r *lineReader) giveAway(line []byte) bool {
	if len(line) < longLine || len(line) < len(r.buffer)/4 {
		if len(r.buffer) > lineBuffer && r.end-r.start <= lineBuffer/2 {
			r.replaceBuffer() // it was for a longer line, and is too large to keep
		}
		return false
	}
	r.lastLong = len(line)
	r.replaceBuffer()
	return true
}

// replaceBuffer goes on with a fresh buffer that has the unread part.
func (r *lineReader) replaceBuffer() {
	unread := r.buffer[r.start:r.end]
	fresh := make([]byte, max(lineBuffer, len(unread)))
	r.start, r.end = 0, copy(fresh, unread)
	r.buffer = fresh
}

func trimReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
