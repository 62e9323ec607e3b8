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
	"github.com/mcp-client-go/mcpclient/internal/dispatch"
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
	source           transporters.Source
	settings         *Settings // complete, and never changed
	log              hclog.Logger
	clientInfo       *mcp.Implementation
	handlers         *Handlers
	extensions       map[string]json.RawMessage // of options; New adds them to those of the handlers
	sessionLostMatch []string                   // nil: the built-in list
	closeTimeout     time.Duration
	healthCheck      *HealthCheck  // nil: none
	verdicts         *verdictPlace // nil: nowhere

	link         transporters.Link
	reconnecting transporters.Reconnecting // the same link, nil if it does not reconnect
	traits       transporters.Traits
	ownsMessages bool // the link keeps nothing of an answer
	frames       frameBuffers

	ctx    context.Context // the connection's: ends with Close
	cancel context.CancelCauseFunc

	ids       *IDs
	current   atomic.Pointer[peer]
	connector connector
	remembered
	calls         calls
	tasks         tasks
	serving       serving
	pauses        pauses         // while a request of the server is served that may concern any call
	notifications dispatch.Queue // of handlers and hooks
	subscriptions subscriptions
	arrivals      arrivals
	changes       arrivals // of the state
	tickets       tickets
	mirrors       mirrors
	logLevel      logLevel
	counters      counters
	meter         transporters.Meter

	observers    transporters.Observers
	ownListeners *transporters.Listeners
	hooks        *transporters.Hooks
	states       states

	watching  sync.Once // of a plain link
	ending    sync.Once // by itself
	own       sync.Once // makes ownListeners
	closing   atomic.Bool
	retryLost bool
	closed    chan struct{}
	closeErr  error // written before closed is closed
}

var (
	_ transporters.Base       = (*Session)(nil)
	_ transporters.Observable = (*Session)(nil)
	_ transporters.Drainer    = (*Session)(nil)
)

// counters are the totals behind Stats.
type counters struct {
	handshakes, restarts, sessionsLost, sessionsRecovered, orphans atomic.Uint64

	connectFailure atomic.Pointer[transporters.Failure] // of the newest attempt; nil if it succeeded
}

// New returns a Session for the server over the link. It does no I/O: the
// handshake happens with the first request. A zero Settings means the
// documented defaults; zero fields of it likewise.
func New(server string, settings Settings, link transporters.Link, options ...Option) *Session {
	return NewFrom(server, &settings, link, options...)
}

// NewFrom is New for settings that several sessions share: they are kept, not
// copied, if they are complete, and must not be changed any more.
func NewFrom(server string, settings *Settings, link transporters.Link, options ...Option) *Session {
	s := &Session{
		server:       server,
		source:       transporters.Source{Server: server},
		settings:     settings.complete(),
		log:          hclog.NewNullLogger(),
		closeTimeout: defaultCloseTimeout,
		link:         link,
		traits:       link.Traits(),
		ids:          &IDs{},
		closed:       make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	for _, option := range options {
		option(s)
	}
	s.notifications.OnPanic = s.panicked
	if s.handlers == nil {
		s.handlers = &noHandlers
	}
	if len(s.extensions) > 0 {
		own := *s.handlers
		own.Extensions = joined(own.Extensions, s.extensions)
		s.handlers = &own
	}
	if reconnecting, ok := link.(transporters.Reconnecting); ok {
		s.reconnecting = reconnecting
		reconnecting.OnPrepare(s.prepare)
		reconnecting.OnReconnect(s.reconnected)
		reconnecting.OnConnectionClosed(s.connectionClosed)
	}
	if faulty, ok := link.(transporters.FaultReporter); ok {
		faulty.OnFault(s.fault)
	}
	if restarting, ok := link.(interface{ OnError(func(error)) }); ok {
		restarting.OnError(s.restartFailed)
	}
	return s
}

func joined(extensions, more map[string]json.RawMessage) map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, len(extensions)+len(more))
	maps.Copy(all, extensions)
	maps.Copy(all, more)
	return all
}

// announced is what the client tells of itself.
func (s *Session) announced() mcp.Implementation {
	if s.clientInfo == nil {
		return mcp.ClientInfo()
	}
	return *s.clientInfo
}

// ServerInfo makes sure that the handshake has happened and returns what it
// told. Its errors are those of Request.
func (s *Session) ServerInfo(ctx context.Context) (transporters.ServerInfo, error) {
	c := newCall(ctx, s, time.Now(), "", nil, nil)
	defer c.finish()
	if err := s.calls.enter(c); err != nil {
		return transporters.ServerInfo{}, s.failure(err, "", nil)
	}
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
	stats := s.meter.Stats()
	stats.InFlight = s.calls.count()
	stats.Handshakes = s.counters.handshakes.Load()
	stats.Restarts = s.counters.restarts.Load()
	stats.SessionsLost = s.counters.sessionsLost.Load()
	stats.SessionsRecovered = s.counters.sessionsRecovered.Load()
	stats.Orphans = s.counters.orphans.Load()
	if p := s.current.Load(); p != nil {
		stats.Era, stats.Version, stats.ConnectedAt = p.info.Era, p.info.Version, p.connection.At
	}
	if failure := s.counters.connectFailure.Load(); failure != nil {
		stats.ConnectFailure = *failure
	}
	return stats
}

func spent(link transporters.Link) bool {
	select {
	case <-link.Done():
		return true
	default:
		return false
	}
}
