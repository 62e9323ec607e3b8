package supervise

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Dial makes one connection: a fresh, plain Link that was not started yet. It
// ends when ctx does.
type Dial func(ctx context.Context) (transporters.Link, error)

// Link is a transporters.Reconnecting over any kind of plain Link. It is safe
// for concurrent use.
type Link struct {
	server         string
	settings       settings
	dial           Dial
	logger         hclog.Logger
	traits         transporters.Traits
	connectTimeout time.Duration
	retireTimeout  time.Duration

	ctx       context.Context // of the work that nobody called for; ends with Close
	cancel    context.CancelCauseFunc
	workers   sync.WaitGroup // flights, watchers and the closing of links
	announcer announcer
	done      chan struct{}

	mu          sync.Mutex
	onError     []func(error)
	onFault     func(error) // of every connection
	prepare     func(ctx context.Context, fresh transporters.Link) error
	onClosed    []func(error)
	onReconnect []func()
	in          func(from transporters.Link, m mcp.Message)
	current     *generation // the last one that served, dead or alive; nil before the first
	open        map[*generation]struct{}
	flight      *flight       // a Start or an on-demand dial under way
	pending     chan struct{} // not nil while a replacement is promised; closed when that is settled
	attempt     int           // the number of the promised restart within its window
	budget      budget
	lost        error         // why the last peer ended, or could not be started
	err         error         // why the link ended for good
	closed      chan struct{} // made by the first Close, closed at its end
	closeErr    error         // written by the workers of that Close
}

var (
	_ transporters.Reconnecting  = (*Link)(nil)
	_ transporters.Terminator    = (*Link)(nil)
	_ transporters.Aborter       = (*Link)(nil)
	_ transporters.VersionSetter = (*Link)(nil)
	_ transporters.FaultReporter = (*Link)(nil)
)

// New returns a Link to the named server. A nil cfg means on-demand mode. In a
// cfg made by hand, fields that are absent, or that Check would refuse, have
// their default. It does no I/O: dial is called by Start.
func New(server string, cfg *Config, dial func(ctx context.Context) (transporters.Link, error), options ...Option) *Link {
	l := &Link{
		server:         server,
		settings:       resolve(cfg),
		dial:           dial,
		logger:         hclog.NewNullLogger(),
		traits:         transporters.Traits{Name: "stdio", SilenceIsEvidence: true},
		connectTimeout: defaultConnectTimeout,
		retireTimeout:  defaultRetireTimeout,
		done:           make(chan struct{}),
		open:           make(map[*generation]struct{}),
	}
	l.budget = budget{limit: l.settings.maxRestarts, window: l.settings.window}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	for _, option := range options {
		option(l)
	}
	return l
}

// Traits are those of WithTraits.
func (l *Link) Traits() transporters.Traits { return l.traits }

// OnPrepare sets the function that every fresh link must pass before it serves.
// It must not call the supervised link itself, only fresh.
func (l *Link) OnPrepare(prepare func(ctx context.Context, fresh transporters.Link) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prepare = prepare
}

// OnConnectionClosed adds a listener, which hears of the end of each connection
// once: with why its link ended, or with ErrTransportClosed after Close. It
// hears once more if a replacement was promised and then withdrawn, by Close or
// by failed restarts that spent the budget. A Close before any connection was
// made is announced once as well. It must not wait for the replacement, which
// waits for it. A panic is reported to the error listeners.
func (l *Link) OnConnectionClosed(listener func(error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onClosed = append(l.onClosed, listener)
}

// OnReconnect adds a listener, which hears of each replacement once it serves,
// after the close of the connection it replaces, and never of the first
// connection. It may use the new peer. A panic is reported to the error
// listeners, and the other listeners still run.
func (l *Link) OnReconnect(listener func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onReconnect = append(l.onReconnect, listener)
}

// OnError adds a listener as WithErrorListener does.
func (l *Link) OnError(listener func(error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onError = append(l.onError, listener)
}

// OnFault has every connection tell report what it cannot use of what comes in.
func (l *Link) OnFault(report func(error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.onFault = report
}

// IsReconnecting reports whether a replacement is promised: from the moment a
// death is noticed, before it is announced, until the replacement serves or is
// given up. It is always false in on-demand mode, which promises nothing.
func (l *Link) IsReconnecting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pending != nil
}

// Exchange is that of the peer that serves now. Without one it does what
// Connect does first; that failing, its error wraps ErrNotSent as well.
func (l *Link) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	g, err := l.serving(ctx)
	if err != nil {
		return transporters.Reply{}, fmt.Errorf("%w: %w", errors.ErrNotSent, err)
	}
	return g.Exchange(ctx, out, sink)
}

// Send is that of the peer that serves now, as with Exchange.
func (l *Link) Send(ctx context.Context, out *transporters.Outbound) error {
	g, err := l.serving(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", errors.ErrNotSent, err)
	}
	return g.Send(ctx, out)
}

// Done is closed when the link has ended for good: by Close, or because the
// restart budget is spent.
func (l *Link) Done() <-chan struct{} { return l.done }

// Err says why the link ended for good: ErrTransportClosed or
// ErrSupervisionExhausted, the latter together with what the last peer died of.
// It is nil before Done is closed.
func (l *Link) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Terminate is that of the peer that serves now, if there is one.
func (l *Link) Terminate(ctx context.Context, header http.Header) error {
	if g := l.peer(); g != nil {
		return g.Terminate(ctx, header)
	}
	return nil
}

// Abort is that of the peer that serves now, if there is one.
func (l *Link) Abort(id uint64) {
	if g := l.peer(); g != nil {
		g.Abort(id)
	}
}

// SetVersion is that of the peer that serves now, if there is one.
func (l *Link) SetVersion(version mcp.Version) {
	if g := l.peer(); g != nil {
		g.SetVersion(version)
	}
}

// peer returns the generation that serves now, or nil. It neither waits nor
// dials.
func (l *Link) peer() *generation {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || l.current == nil || isClosed(l.current.gone) {
		return nil
	}
	return l.current
}
