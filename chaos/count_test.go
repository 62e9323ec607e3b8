package chaos

import (
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// sockets counts the connections that a server has, by what net/http tells.
type sockets struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
	all  int
}

func (s *sockets) changed(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		if s.open == nil {
			s.open = map[net.Conn]struct{}{}
		}
		s.open[conn] = struct{}{}
		s.all++
	case http.StateClosed, http.StateHijacked:
		delete(s.open, conn)
	}
}

func (s *sockets) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// bodies is a round tripper that counts the bodies of responses until they are
// closed.
type bodies struct {
	base        http.RoundTripper
	open, total atomic.Int64
}

func (b *bodies) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	b.open.Add(1)
	b.total.Add(1)
	response.Body = &countedBody{ReadCloser: response.Body, count: b}
	return response, nil
}

type countedBody struct {
	io.ReadCloser
	count  *bodies
	closed atomic.Bool
}

func (c *countedBody) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		c.count.open.Add(-1)
	}
	return c.ReadCloser.Close()
}
