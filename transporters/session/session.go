package session

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	defaultCloseTimeout = 3 * time.Second
	// linkCloseTimeout is a last resort: links bound their own closing.
	linkCloseTimeout = time.Minute
	// tasksCloseTimeout bounds the wait for our own goroutines, all of which
	// end when the connection's context does.
	tasksCloseTimeout = 5 * time.Second
)

// Session makes calls over a Link. It is safe for concurrent use.
type Session struct {
	server           string
	principal        string
	settings         Settings
	log              hclog.Logger
	clientInfo       mcp.Implementation
	handlers         Handlers
	extensions       map[string]json.RawMessage // of options; New adds them to those of the handlers
	sessionLostMatch []string
	closeTimeout     time.Duration
	retryLost        bool
	healthCheck      HealthCheck
	verdictStore     VerdictStore
	verdictKey       string

	link         transporters.Link
	reconnecting transporters.Reconnecting // the same link, nil if it does not reconnect
	traits       transporters.Traits

	ctx    context.Context // the connection's: ends with Close
	cancel context.CancelCauseFunc

	nextID    atomic.Uint64
	current   atomic.Pointer[peer]
	connector connector
	remembered
	calls         calls
	tasks         tasks
	serving       serving
	pauses        pauses // while a request of the server is served that may concern any call
	notifications dispatcher
	subscriptions subscriptions
	arrivals      arrivals
	changes       arrivals // of the state
	tickets       tickets
	mirrors       mirrors
	logLevel      logLevel
	counters      counters

	closing sync.Once
	closed  chan struct{}
}

var _ transporters.Base = (*Session)(nil)

// counters are the totals behind Stats.
type counters struct {
	requests, failures, handshakes, sessionsLost, orphans atomic.Uint64
}

// New returns a Session for the server over the link. It does no I/O: the
// handshake happens with the first request. A zero Settings means the
// documented defaults; zero fields of it likewise.
func New(server string, settings Settings, link transporters.Link, options ...Option) *Session {
	s := &Session{
		server:           server,
		settings:         settings.withDefaults(),
		log:              hclog.NewNullLogger(),
		clientInfo:       mcp.ClientInfo(),
		sessionLostMatch: defaultSessionLostMatch(),
		closeTimeout:     defaultCloseTimeout,
		link:             link,
		traits:           link.Traits(),
		closed:           make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	for _, option := range options {
		option(s)
	}
	s.handlers.Extensions = joined(s.handlers.Extensions, s.extensions)
	if reconnecting, ok := link.(transporters.Reconnecting); ok {
		s.reconnecting = reconnecting
		reconnecting.OnPrepare(s.prepare)
		reconnecting.OnReconnect(s.reconnected)
		reconnecting.OnConnectionClosed(func(error) { s.changes.announce() })
	}
	return s
}

func joined(extensions, more map[string]json.RawMessage) map[string]json.RawMessage {
	if len(more) == 0 {
		return extensions
	}
	all := make(map[string]json.RawMessage, len(extensions)+len(more))
	maps.Copy(all, extensions)
	maps.Copy(all, more)
	return all
}

// ServerInfo makes sure that the handshake has happened and returns what it
// told. Its errors are those of Request.
func (s *Session) ServerInfo(ctx context.Context) (transporters.ServerInfo, error) {
	if err := s.calls.enter(); err != nil {
		return transporters.ServerInfo{}, s.failure(err, "", nil)
	}
	defer s.calls.leave()
	c := newCall(ctx, s, "", nil, nil)
	defer c.finish()
	p, err := s.connected(c.ctx, nil)
	if err != nil {
		return transporters.ServerInfo{}, s.failure(c.explain(err), "", c)
	}
	return p.info, nil
}

// State says what the session is doing now.
func (s *Session) State() transporters.State {
	if s.ctx.Err() != nil {
		return transporters.StateClosed
	}
	if spent(s.link) {
		if errors.Is(s.link.Err(), errors.ErrSupervisionExhausted) {
			return transporters.StateExhausted
		}
		return transporters.StateClosed
	}
	if s.reconnecting != nil && s.reconnecting.IsReconnecting() {
		return transporters.StateReconnecting
	}
	p := s.current.Load()
	switch {
	case p != nil && p.usable():
		return transporters.StateReady
	case s.connector.isRunning() && p != nil:
		return transporters.StateReconnecting
	case s.connector.isRunning():
		return transporters.StateStarting
	default:
		return transporters.StateIdle
	}
}

// Stats returns counters.
func (s *Session) Stats() transporters.Stats {
	return transporters.Stats{
		InFlight:     s.calls.count(),
		Requests:     s.counters.requests.Load(),
		Failures:     s.counters.failures.Load(),
		Handshakes:   s.counters.handshakes.Load(),
		SessionsLost: s.counters.sessionsLost.Load(),
		Orphans:      s.counters.orphans.Load(),
	}
}

// Close ends the session: running requests fail with ErrTransportClosed, an
// HTTP session is deleted (bounded by the close timeout), the link is closed,
// our goroutines are waited for. It does not wait for callbacks. Further calls
// return when the first has settled. It returns the link's error, if any.
func (s *Session) Close() error {
	var err error
	s.closing.Do(func() {
		defer close(s.closed)
		defer s.changes.announce()
		s.calls.refuse()
		s.notifications.close()
		s.cancel(errors.ErrTransportClosed)
		s.terminate()
		ctx, cancel := context.WithTimeout(context.Background(), linkCloseTimeout)
		defer cancel()
		err = s.link.Close(ctx)
		if !s.tasks.close(tasksCloseTimeout) {
			s.log.Warn("closing: goroutines are still running", "server", s.server)
		}
	})
	<-s.closed
	return err
}

// terminate tells an HTTP server that its session is over (R102).
func (s *Session) terminate() {
	terminator, ok := s.link.(transporters.Terminator)
	p := s.current.Load()
	if !ok || p == nil || p.sessionID == "" || !p.usable() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.closeTimeout)
	defer cancel()
	if err := terminator.Terminate(ctx, p.era.header("", "")); err != nil {
		s.log.Debug("could not delete the session", "server", s.server, "error", err)
	}
}

// Shutdown refuses new requests, waits for the running ones, then closes. If
// ctx ends first it closes at once and returns ctx's error. It must not be
// called from a callback, which would wait for itself.
func (s *Session) Shutdown(ctx context.Context) error {
	drained := s.calls.refuse()
	select {
	case <-drained:
		return s.Close()
	case <-s.closed:
		return nil
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), s.Close())
	}
}

func spent(link transporters.Link) bool {
	select {
	case <-link.Done():
		return true
	default:
		return false
	}
}

// calls counts the requests that have not returned, and refuses new ones once
// the session is to end.
type calls struct {
	mu      sync.Mutex
	running int64
	refused bool
	drained chan struct{} // made by refuse
}

func (c *calls) enter() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused {
		return notSent(errors.ErrTransportClosed)
	}
	c.running++
	return nil
}

func (c *calls) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	if c.refused && c.running == 0 {
		close(c.drained)
	}
}

// refuse lets no further call in and returns a channel that is closed when the
// last one has left.
func (c *calls) refuse() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.refused {
		c.refused = true
		c.drained = make(chan struct{})
		if c.running == 0 {
			close(c.drained)
		}
	}
	return c.drained
}

func (c *calls) count() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}
