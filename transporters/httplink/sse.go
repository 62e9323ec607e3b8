package httplink

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// SSELink is a transporters.Link over HTTP+SSE, the transport of 2024-11-05
// (R113-R117): one event stream, opened by Start, on which everything comes, and
// POSTs to the URL that it names first. It also is a transporters.VersionSetter.
// All methods are safe for concurrent use.
//
// It is spent when its stream ends, for the server knows the session by it: what
// runs fails at once with ErrPeerLost, and what begins later with ErrNotSent. It
// is to be put into supervise, which makes another one for the next call.
//
// One goroutine reads the stream. Each request is posted by a goroutine of its
// own, since some servers answer on the stream before they answer the POST.
type SSELink struct {
	http  *Link // carries the requests
	owned bool  // closed with this link

	opening sync.Mutex // held by Start
	in      func(from transporters.Link, m mcp.Message)
	target  atomic.Pointer[string] // where to POST; nil until the stream is open
	pending pendingTable

	life context.Context // ends with Close, with the stream, with http
	end  context.CancelCauseFunc
	work tails
}

var (
	_ transporters.Link          = (*SSELink)(nil)
	_ transporters.VersionSetter = (*SSELink)(nil)
)

// NewSSE makes a link to the HTTP+SSE endpoint of cfg, of which BaseURL is the
// URL of the stream. It does no I/O. Configuration and options mean the same as
// for New; listen_read_timeout is the longest silence of the stream, off by
// default. A configuration that Check would refuse makes Start fail with the
// fault.
func NewSSE(server string, cfg Config, options ...Option) *SSELink {
	return NewSSEFrom(server, &cfg, options...)
}

// NewSSEFrom is NewSSE for a configuration that several links share; see NewFrom.
func NewSSEFrom(server string, cfg *Config, options ...Option) *SSELink {
	return newSSE(NewFrom(server, cfg, options...), true)
}

func newSSE(carrier *Link, owned bool) *SSELink {
	s := &SSELink{http: carrier, owned: owned}
	s.life, s.end = context.WithCancelCause(carrier.life)
	return s
}

// Traits implements transporters.Link.
func (s *SSELink) Traits() transporters.Traits {
	traits := SSETraits()
	traits.Address = address(s.http.endpoint)
	return traits
}

// SSETraits are the traits of every SSELink but for its address, for the
// supervision that makes them.
func SSETraits() transporters.Traits {
	return transporters.Traits{Name: "sse", HTTP: true, Legacy: true}
}

// SetVersion implements transporters.VersionSetter.
func (s *SSELink) SetVersion(version mcp.Version) { s.http.SetVersion(version) }

// Done implements transporters.Link.
func (s *SSELink) Done() <-chan struct{} { return s.life.Done() }

// Err implements transporters.Link.
func (s *SSELink) Err() error { return context.Cause(s.life) }

// Close ends the stream and every running exchange, and waits within ctx for the
// link's goroutines.
func (s *SSELink) Close(ctx context.Context) error {
	s.end(closedError())
	err := s.work.close(ctx)
	if s.owned {
		err = errors.Join(err, s.http.Close(ctx))
	}
	return err
}

// spawn runs f in a goroutine that Close waits for. It returns false if the link
// is closed.
func (s *SSELink) spawn(f func()) bool {
	if !s.http.tails.begin() {
		return false
	}
	if !s.work.begin() {
		s.http.tails.end()
		return false
	}
	go func() {
		defer s.http.tails.end()
		defer s.work.end()
		f()
	}()
	return true
}

// read takes messages off the stream until it ends, which ends the link.
func (s *SSELink) read(x *exchange, f *feed) {
	defer x.end()
	defer s.http.keepReader(f.reader)
	err := f.run()
	if errors.Is(err, io.EOF) {
		s.end(peerLost("the server ended the event stream", nil))
		return
	}
	s.end(s.http.explain(x, err))
}

// take hands on one message of the stream.
func (s *SSELink) take(m mcp.Message) {
	if s.life.Err() == nil && !s.pending.route(m) {
		s.in(s, m)
	}
}

// usable reports why nothing can be sent, or nil.
func (s *SSELink) usable(ctx context.Context) error {
	switch {
	case s.http.fault != nil:
		return unsent(s.http.fault)
	case ctx.Err() != nil:
		return unsent(context.Cause(ctx))
	case s.life.Err() != nil:
		return s.gone()
	case s.target.Load() == nil:
		return notSent(errors.New("the event stream is not open: the link is not started"))
	default:
		return nil
	}
}

// gone is why an ended link sends nothing.
func (s *SSELink) gone() error {
	err := context.Cause(s.life)
	if errors.Is(err, errors.ErrPeerLost) {
		return failure(errors.KindTransport, errors.DeliveryNotSent, detail(err), errors.ErrNotSent, errors.ErrPeerLost)
	}
	return unsent(err)
}
