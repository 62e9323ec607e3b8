package sse

import (
	"bytes"
	"math"
	"time"
)

// Event is one event of a stream.
type Event struct {
	// Type is the event's type, "message" if the stream names none.
	Type string
	// Data is the event's data, lines joined by LF. It is nil if there was no
	// data line: such an event only sets the id or the reconnection time, as the
	// priming event of 2025-11-25 does; many servers send an empty data line
	// with it. So nothing is to be parsed if it is empty (P22). It is valid until
	// the next call of Next, Take or Reset.
	Data []byte
	// ID is the event's id if HasID. The empty id resets the resume point (P25).
	ID string
	// HasID reports whether there was a usable id line.
	HasID bool
	// Retry is the reconnection time if HasRetry; it holds until the next (P24).
	Retry time.Duration
	// HasRetry reports whether there was a usable retry line.
	HasRetry bool
}

// field handles one line that is not blank.
func (r *Reader) field(from, to int) {
	line := r.buffer[from:to]
	colon := bytes.IndexByte(line, ':')
	name, value := line, line[len(line):]
	if colon >= 0 {
		name, value = line[:colon], line[colon+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(name) {
	case "data":
		r.addData(to-len(value), to)
	case "event":
		r.event.Type = typeName(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			if r.lastID != string(value) {
				r.lastID = string(value)
			}
			r.event.ID, r.event.HasID = r.lastID, true
		}
	case "retry":
		if delay, ok := milliseconds(value); ok {
			r.event.Retry, r.event.HasRetry = delay, true
		}
	}
}

// addData joins one more line to the data.
func (r *Reader) addData(from, to int) {
	if !r.hasData {
		r.hasData = true
		r.dataFrom, r.dataTo = from, to
		return
	}
	r.buffer[r.dataTo] = '\n'
	r.dataTo += 1 + copy(r.buffer[r.dataTo+1:], r.buffer[from:to])
}

// typeName spares the usual names an allocation.
func typeName(value []byte) string {
	switch string(value) {
	case "message":
		return "message"
	case "endpoint":
		return "endpoint"
	case "ping":
		return "ping"
	}
	return string(value)
}

// milliseconds reads a number of digits and nothing else; one that is beyond
// what a Duration holds becomes the longest.
func milliseconds(value []byte) (time.Duration, bool) {
	const limit = math.MaxInt64 / int64(time.Millisecond)
	if len(value) == 0 {
		return 0, false
	}
	var n int64
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int64(c-'0'), limit)
	}
	return time.Duration(n) * time.Millisecond, true
}
