package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/pause"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// maxConnectBackoff is what connect_backoff doubles to.
const maxConnectBackoff = 10 * time.Second

// connector makes sure that only one attempt to connect runs at a time, and
// that failures are not repeated faster than connect_backoff allows.
type connector struct {
	mu      sync.Mutex
	running *connecting
	started bool // the link's Start has succeeded

	failure  error
	retryAt  time.Time
	failures int
}

// connecting is one try to connect, shared by all who wait for it.
type connecting struct {
	done chan struct{}
	peer *peer
	err  error
}

func (c *connector) isRunning() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running != nil
}

// remembered is what outlives a connection. It is written by the
// negotiation only, which is single-flight.
type remembered struct {
	mu sync.Mutex
	verdict
}

// verdict is what is known of the peer's era.
type verdict struct {
	era     mcp.Era
	version mcp.Version
	// exitedOnProbe: the process ended when it was probed (S14).
	exitedOnProbe bool
	// workedAsModern: this server has worked as a modern one before.
	workedAsModern bool
}

func (r *remembered) recall() verdict {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.verdict
}

func (r *remembered) remember(change func(*verdict)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.verdict)
}

// connected returns a usable peer other than stale, connecting if need be. ctx
// bounds the wait of this caller only; the attempt itself runs on the
// connection's context. All errors are notSent.
func (s *Session) connected(ctx context.Context, stale *peer) (*peer, error) {
	for {
		p, running, err := s.join(stale)
		if err != nil {
			return nil, notSent(err)
		}
		if p != nil {
			return p, nil
		}
		select {
		case <-running.done:
		case <-ctx.Done():
			return nil, notSent(context.Cause(ctx))
		}
		if running.err != nil {
			return nil, notSent(running.err)
		}
		if running.peer != stale {
			return running.peer, nil
		}
		// It was the attempt that had made the stale peer, just about to end.
	}
}

// join returns a usable peer other than stale, or else the running attempt,
// starting one if there is none.
func (s *Session) join(stale *peer) (*peer, *connecting, error) {
	if p := s.current.Load(); p != nil && p != stale && p.usable() && !p.settling.Load() {
		return p, nil, nil
	}
	c := &s.connector
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		return nil, c.running, nil
	}
	if p := s.current.Load(); p != nil && p != stale && p.usable() {
		return p, nil, nil
	}
	if s.ctx.Err() != nil {
		return nil, nil, context.Cause(s.ctx)
	}
	if c.failure != nil && time.Now().Before(c.retryAt) {
		return nil, nil, c.failure
	}
	running := &connecting{done: make(chan struct{})}
	if !s.tasks.start(func() { s.connect(running) }) {
		return nil, nil, errors.ErrTransportClosed
	}
	c.running = running
	return nil, running, nil
}

// connect connects once, and releases those who wait for it.
func (s *Session) connect(running *connecting) {
	s.changed()
	ctx, cancel := s.connectContext()
	defer cancel()
	running.peer, running.err = s.establish(ctx)
	if running.err != nil && ctx.Err() != nil {
		running.err = because(context.Cause(ctx), running.err)
	}

	c := &s.connector
	c.mu.Lock()
	c.running = nil
	c.note(running.err, s.settings.ConnectBackoff.Or(0))
	c.mu.Unlock()
	s.noteConnect(running.err)
	s.changed() // before somebody goes on, and changes it again
	close(running.done)
}

// noteConnect notes, and tells, whether an attempt to connect has succeeded. That
// a replacement is pending is no attempt, and what has ended for good is told
// elsewhere.
func (s *Session) noteConnect(err error) {
	switch {
	case err == nil:
		s.counters.connectFailure.Store(nil)
	case errors.Is(err, errors.ErrReconnecting), s.ctx.Err() != nil:
	default:
		failure := transporters.FailureOf("", s.failure(err, "", nil))
		s.counters.connectFailure.Store(&failure)
		if !spent(s.link) {
			s.fault(err)
		}
	}
}

// restartFailed is told by a reconnecting link of what went wrong while nobody
// waited for it: restarts above all. That it has given up is told elsewhere.
func (s *Session) restartFailed(err error) {
	if s.ctx.Err() != nil || errors.Is(err, errors.ErrSupervisionExhausted) {
		return
	}
	failure := transporters.FailureOf("", err)
	s.counters.connectFailure.Store(&failure)
	s.report(err)
}

// Start begins to connect and returns at once: what the first call would have to
// wait for is done, or under way. It does nothing if the session is connected, or
// connecting. What comes of it State and the listeners of OnError and OnState
// tell. The error, of kind KindClosed, says that the session is closed; after an
// attempt that failed it is that of the attempt, as long as connect_backoff lasts.
func (s *Session) Start() error {
	if _, _, err := s.join(nil); err != nil {
		return s.failure(notSent(err), "", nil)
	}
	return nil
}

// connectContext bounds an attempt to connect. While somebody is asked, for
// example to agree to an authorization, its clock stands still and those of all
// calls do, since they wait for it (P53).
func (s *Session) connectContext() (context.Context, context.CancelFunc) {
	ctx := pause.With(s.ctx, &s.pauses)
	timeout, ok := s.settings.ConnectTimeout.Value()
	if !ok {
		return context.WithCancel(ctx)
	}
	cause := fmt.Errorf("%w: no handshake within %v (connect_timeout): %w", errors.ErrConnectTimeout, timeout, errors.ErrRequestTimeout)
	return pause.WithTimeoutCause(ctx, timeout, cause)
}

// note remembers a failure for the back-off. A replacement that is pending
// anyway, or a closed session, is no failure to start; nor is a server that wants
// credentials, for the next call may bring them.
func (c *connector) note(err error, backoff time.Duration) {
	if err == nil || errors.Is(err, errors.ErrReconnecting) || errors.Is(err, errors.ErrSupervisionExhausted) || errors.Is(err, errors.ErrAuthRequired) {
		c.failure, c.failures = nil, 0
		return
	}
	wait := min(backoff<<min(c.failures, 10), maxConnectBackoff)
	c.failure, c.retryAt = err, time.Now().Add(wait)
	c.failures++
}

// establish returns a negotiated peer.
func (s *Session) establish(ctx context.Context) (*peer, error) {
	if s.reconnecting == nil {
		return s.establishPlain(ctx)
	}
	if p := s.current.Load(); p != nil && p.lost.Load() && !spent(p.link) {
		// The peer is alive, only what was negotiated with it is void.
		return s.negotiate(ctx, p.link)
	}
	connect := s.reconnecting.Connect
	if !s.connector.started {
		connect = func(ctx context.Context) error { return s.link.Start(ctx, s.inbound) }
	}
	if err := connect(ctx); err != nil {
		return nil, err
	}
	s.connector.started = true
	p := s.current.Load()
	if p == nil || !p.usable() {
		return nil, errors.ErrPeerLost
	}
	return p, nil
}

func (s *Session) establishPlain(ctx context.Context) (*peer, error) {
	if spent(s.link) {
		return nil, s.link.Err()
	}
	if !s.connector.started {
		if err := s.link.Start(ctx, s.inbound); err != nil {
			return nil, err
		}
		s.connector.started = true
	}
	return s.negotiate(ctx, s.link)
}

// prepare is what a reconnecting link runs on every fresh connection.
func (s *Session) prepare(ctx context.Context, fresh transporters.Link) error {
	_, err := s.negotiate(ctx, fresh)
	return err
}
