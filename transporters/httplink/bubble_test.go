package httplink

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// pipes is a listener whose connections are in memory, so that a real server and
// a real client can run on a bubble's clock.
type pipes struct {
	incoming chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.incoming:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.incoming <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, &net.OpError{Op: "dial", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// seen is one request as the bubble's server saw it.
type seen struct {
	after  time.Duration // since the server was started
	method string
	header http.Header
}

// journal keeps what a server saw.
type journal struct {
	mu       sync.Mutex
	began    time.Time
	requests []seen
}

func (j *journal) note(r *http.Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.requests = append(j.requests, seen{time.Since(j.began), r.Method, r.Header.Clone()})
}

// of returns the requests of a method.
func (j *journal) of(method string) []seen {
	j.mu.Lock()
	defer j.mu.Unlock()
	var found []seen
	for _, request := range j.requests {
		if request.method == method {
			found = append(found, request)
		}
	}
	return found
}

// moments returns when the requests of a method came.
func (j *journal) moments(method string) []time.Duration {
	var moments []time.Duration
	for _, request := range j.of(method) {
		moments = append(moments, request.after)
	}
	return moments
}

// world is a server and a link to it within a bubble.
type world struct {
	*journal
	link    *Link
	box     *inbox
	server  *http.Server
	options []Option
}

const worldURL = "http://127.0.0.1/mcp"

// inBubble starts a server and a link, to be ended by close.
func inBubble(t *testing.T, cfg Config, handler http.HandlerFunc) *world {
	t.Helper()
	listener := &pipes{incoming: make(chan net.Conn), closed: make(chan struct{})}
	w := &world{journal: &journal{began: time.Now()}, box: &inbox{}}
	w.server = &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.note(r)
		_, _ = io.Copy(io.Discard, r.Body) // only then net/http notices that the client has gone
		handler(rw, r)
	})}
	go func() { _ = w.server.Serve(listener) }()
	transport := &http.Transport{DialContext: listener.dial, DisableCompression: true}
	cfg.BaseURL = worldURL
	w.options = []Option{WithTransport(transport)}
	w.link = New("test", cfg, w.options...)
	require.NoError(t, w.link.Start(t.Context(), w.box.take))
	t.Cleanup(func() {
		shut(t, w.link)
		transport.CloseIdleConnections()
		_ = w.server.Close()
	})
	return w
}

// begin begins an event stream and writes text to it.
func begin(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	_, _ = io.WriteString(w, text)
	w.(http.Flusher).Flush()
}

// hold waits until the client has gone.
func hold(r *http.Request) { <-r.Context().Done() }

// resumable is a call of a legacy session.
func resumable(id uint64) *transporters.Outbound {
	out := outbound(id)
	out.Resumable = true
	return out
}
