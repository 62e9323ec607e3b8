package httplink

import (
	"net/http"
	"time"

	"github.com/mcp-client-go/mcpclient/internal/sse"
	"github.com/mcp-client-go/mcpclient/mcp"
)

const (
	// defaultRetry is the pause before a stream is taken up again if the server
	// gave none.
	defaultRetry = time.Second
	// shortestRetry keeps a server that asks for no pause from being stormed.
	shortestRetry = 50 * time.Millisecond
	// longestBackoff is what the pause after failures doubles to.
	longestBackoff = 30 * time.Second
	// maxEventID is the longest event id that is kept, in bytes: it has to fit
	// into a header.
	maxEventID = 4 << 10
)

// position is where a stream can be taken up again, and what pause the server
// wants before (P24, P25). An id is of one stream, and survives its breaks.
type position struct {
	lastEventID string
	retry       time.Duration
	hasRetry    bool
}

// note takes over what an event says. An id that no header can carry leaves
// nothing to resume from.
func (p *position) note(event *sse.Event) {
	if event.HasID {
		p.lastEventID = event.ID
		if len(event.ID) > maxEventID || !isHeaderValue(event.ID) {
			p.lastEventID = ""
		}
	}
	if event.HasRetry {
		p.retry, p.hasRetry = max(event.Retry, shortestRetry), true
	}
}

// pause is the wait before the stream is taken up again after a number of
// failures in a row. The first time it is exactly what the server gave (R108);
// later it grows.
func (p *position) pause(failures int) time.Duration {
	pause := defaultRetry
	if p.hasRetry {
		pause = p.retry
	}
	if failures == 0 {
		return pause
	}
	return max(pause, min(defaultRetry<<min(failures-1, 10), longestBackoff))
}

// streamHeader makes the header of a GET from that of a POST (R098, R099, R103,
// R107).
func (p *position) streamHeader(protocol http.Header) http.Header {
	header := make(http.Header, len(protocol)+2)
	for name, values := range protocol {
		header[http.CanonicalHeaderKey(name)] = values
	}
	delete(header, "Content-Type")
	header["Accept"] = []string{"text/event-stream"}
	if p.lastEventID != "" {
		header[mcp.HeaderLastEventID] = []string{p.lastEventID}
	}
	return header
}
