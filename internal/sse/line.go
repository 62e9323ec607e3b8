package sse

import (
	"bytes"
	"io"
)

// lineMark remembers where a terminator was found, or how far there is none, so
// that no byte is searched twice, however many lines of the other kind come or
// in however many pieces a long line arrives.
type lineMark struct {
	at    int  // offset of the terminator if found, else where to go on
	found bool // at is a terminator
}

// find returns the offset of the first terminator in buffer[from:end], or end.
func (m *lineMark) find(buffer []byte, from, end int, terminator byte) int {
	if m.found && m.at >= from {
		return m.at
	}
	start := from
	if !m.found {
		start = max(from, m.at)
	}
	offset := bytes.IndexByte(buffer[start:end], terminator)
	if m.found = offset >= 0; m.found {
		m.at = start + offset
		return m.at
	}
	m.at = end
	return end
}

// move follows the buffer's contents by distance towards the front.
func (m *lineMark) move(distance int) {
	m.at -= distance
	if m.at < 0 {
		*m = lineMark{}
	}
}

// afterwards returns source, or, if err came together with bytes, a reader that
// reports it at the next Read.
func afterwards(source io.Reader, err error) io.Reader {
	if err == nil {
		return source
	}
	return failed{err}
}

type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }
