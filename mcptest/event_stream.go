package mcptest

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// eventStream is an HTTP response that becomes an event stream with the first
// message that is sent before the answer. It is safe for concurrent use; after
// finish or close nothing is written any more.
type eventStream struct {
	w      http.ResponseWriter
	always bool // the answer comes as an event too where nothing preceded it

	mu     sync.Mutex
	opened bool
	closed bool
}

// open begins the stream.
func (s *eventStream) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(nil)
	s.flush()
}

// send writes one event.
func (s *eventStream) send(m mcp.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.begin(nil)
	s.write(m)
}

// finish writes the answer, in the form that fits.
func (s *eventStream) finish(answer httpAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	switch {
	case s.opened && answer.message.IsZero():
	case s.opened:
		s.write(answer.message)
	case s.always && answer.status == http.StatusOK && !answer.message.IsZero():
		s.begin(answer.header)
		s.write(answer.message)
	default:
		write(s.w, answer)
	}
}

func (s *eventStream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *eventStream) begin(header http.Header) {
	if s.opened {
		return
	}
	s.opened = true
	for name, values := range header {
		s.w.Header()[name] = values
	}
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Cache-Control", "no-cache")
	s.w.Header().Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
}

func (s *eventStream) write(m mcp.Message) {
	// A client that went away is noticed by its context, not here.
	_, _ = fmt.Fprintf(s.w, "event: message\ndata: %s\n\n", m.Raw)
	s.flush()
}

func (s *eventStream) flush() { _ = http.NewResponseController(s.w).Flush() }

// isSubscribed reports whether the message belongs to a subscription, which has
// no other form than a stream.
func isSubscribed(m mcp.Message) bool {
	_, ok := jsonrpc.SubscriptionID(m.Params)
	return ok
}
