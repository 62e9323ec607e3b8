package httplink

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Link is a transporters.Link over HTTP. It also is a transporters.Terminator, a
// transporters.VersionSetter, and toward legacy servers a transporters.Standing
// and a transporters.Fallback. All methods are safe for concurrent use.
//
// An HTTP link is spent only when it is closed: there is no connection whose
// loss would end it. Start does no I/O.
type Link struct {
	server string
	cfg    *Config // never changed
	log    hclog.Logger

	endpoint  endpoint
	fault     error           // what is wrong with the configuration; every use returns it
	kept      *kept           // between requests
	isAside   bool            // see standsAside
	shared    func() *kept    // makes kept, which is one for links that were given one pool
	transport transportSource // nil: the user's round tripper
	pool      *dial.Pool
	ownsPool  bool
	pooled    *pooled // nil: the transport is not of a pool
	adopted   *adoptedClient
	headers   headers

	authorizer  Authorizer // nil: nobody
	credentials credentials

	readTimeout        time.Duration
	listenReadTimeout  time.Duration
	minimumStreamStall time.Duration
	maxBytes           int64

	warnings *sync.Once // shared by the links of one server; nil: this link's own

	in      atomic.Pointer[func(from transporters.Link, m mcp.Message)]
	batches atomic.Bool // the peer speaks 2025-03-26 (R018)
	readers sync.Pool   // of *sse.Reader

	longEvent atomic.Int64 // what the last long event of a stream needed, in bytes
	longBody  atomic.Int64 // how long the last long body was whose length was not told

	repaired atomic.Int64 // messages that were not UTF-8
	onFault  func(error)  // set before Start, or nil

	pending   pendingTable // of legacy exchanges
	listening atomic.Int32 // running Listens

	life  context.Context // ends with Close; every exchange is its child
	end   context.CancelCauseFunc
	tails tails

	running exchanges
}

// New makes a link to the endpoint of cfg. It does no I/O. A configuration that
// Check would refuse makes Start and every exchange fail with the fault.
func New(server string, cfg Config, options ...Option) *Link {
	return NewFrom(server, &cfg, options...)
}

// NewFrom is New for a configuration that several links share: cfg is kept, not
// copied, and must not be changed any more.
func NewFrom(server string, cfg *Config, options ...Option) *Link {
	l := &Link{
		server:            server,
		shared:            newKept,
		cfg:               cfg,
		log:               hclog.NewNullLogger(),
		readTimeout:       cfg.ReadTimeout.Or(defaultReadTimeout),
		listenReadTimeout: cfg.ListenReadTimeout.Or(0),
		maxBytes:          cfg.maxResponseBytes(),
	}
	l.life, l.end = context.WithCancelCause(context.Background())
	for _, option := range options {
		option(l)
	}
	endpoint, fault := parseEndpoint(cfg.BaseURL)
	if fault != nil {
		l.fault = configurationError(server, "base_url", fault.message, fault.found, urlWanted)
	}
	l.endpoint = endpoint
	l.headers = newHeaders(cfg, l.adopted)
	l.chooseClient()
	l.isAside = l.standsAside()
	l.headers.userAgent = l.kept.userAgent
	if l.fault == nil {
		l.fault = l.checkReach()
	}
	l.warn()
	return l
}

// checkReach returns why the endpoint cannot, or must not, be reached over the
// transport that was chosen.
func (l *Link) checkReach() error {
	if l.endpoint.socket != "" && l.hasForeignTransport() {
		return configurationError(l.server, "base_url", "a Unix socket is not reached by a round tripper of the program's own", l.endpoint.shown, "an http or https URL, or a socket without it")
	}
	if err := l.cfg.deniedBy(l.endpoint); err != nil {
		return configurationError(l.server, "network.deny", err.Error(), "", "")
	}
	return nil
}

// hasForeignTransport reports whether what carries the requests is none of ours.
func (l *Link) hasForeignTransport() bool { return l.pool == nil }

func configurationError(server, key, message, found, allowed string) error {
	fault := errors.Fault{Server: server, Key: key, Message: message, Found: found, Allowed: allowed}
	return &errors.ServerConfigurationError{Server: server, Faults: []errors.Fault{fault}}
}

// chooseClient decides what carries the requests: WithTransport goes before the
// transport of WithClient, that before WithPool, that before a pool of our own.
func (l *Link) chooseClient() {
	if l.adopted == nil {
		l.kept = l.shared()
	} else {
		l.kept = &kept{client: l.adopted.client, prepared: prepared{isOff: true}, userAgent: userAgent()}
		if l.transport == nil && l.adopted.pool == nil {
			l.pool = nil
			return
		}
		if l.adopted.pool != nil {
			l.pool, l.ownsPool = l.adopted.pool, true
		}
	}
	if l.transport != nil {
		l.pool, l.ownsPool = nil, false
		return
	}
	if l.pool == nil {
		l.pool, l.ownsPool = dial.NewPool(), true
	}
	l.pooled = &pooled{pool: l.pool, cfg: l.cfg, guard: l.cfg.ownGuard(), socket: l.endpoint.socket}
	l.transport = l.pooled.transport
}

// warn tells what is allowed but rarely meant.
func (l *Link) warn() {
	if l.warnings == nil {
		l.warnings = new(sync.Once)
	}
	l.warnings.Do(l.warnNow)
}

func (l *Link) warnNow() {
	if l.cfg.TLS.InsecureSkipVerify {
		l.log.Warn("tls.insecure_skip_verify is on: ANY certificate is accepted, so anybody on the way can read and change everything", "server", l.server)
	}
	if u := l.endpoint.url; u != nil && u.Scheme == "http" && l.headers.hasCredentials() && !dial.IsLoopbackHost(u.Hostname()) {
		l.log.Warn("credentials are sent over plain http, readable on the way", "server", l.server, "url", l.endpoint.shown)
	}
	for _, name := range l.headers.overridden {
		l.log.Warn("a configured header has no effect: the protocol sets it", "server", l.server, "header", name)
	}
	if !l.cfg.Token.IsZero() && l.headers.configures(authorizationHeader) {
		l.log.Warn("token has no effect: headers sets Authorization", "server", l.server)
	}
}

// Traits implements transporters.Link.
func (l *Link) Traits() transporters.Traits {
	return transporters.Traits{Name: "http", HTTP: true, Address: address(l.endpoint)}
}

// Start implements transporters.Link. It fails if the link was started or
// closed before, or if its configuration is wrong.
func (l *Link) Start(_ context.Context, in func(from transporters.Link, m mcp.Message)) error {
	switch {
	case l.fault != nil:
		return l.fault
	case l.life.Err() != nil:
		return context.Cause(l.life)
	case in == nil:
		in = func(transporters.Link, mcp.Message) {}
	}
	if !l.in.CompareAndSwap(nil, &in) {
		return errors.New("http link: started twice")
	}
	return nil
}

// SetVersion implements transporters.VersionSetter: only servers of 2025-03-26
// may answer with a batch (R018).
func (l *Link) SetVersion(version mcp.Version) { l.batches.Store(version == mcp.Version20250326) }

// Done implements transporters.Link. It is closed by Close alone.
func (l *Link) Done() <-chan struct{} { return l.life.Done() }

// Err implements transporters.Link.
func (l *Link) Err() error { return context.Cause(l.life) }

// Close ends every running exchange, which fails with ErrTransportClosed, waits
// within ctx for the tails of streams that are still being read, and closes
// idle connections, except those of a transport that was given, and of a pool's that
// other links use as well.
func (l *Link) Close(ctx context.Context) error {
	l.end(closedError())
	l.running.end(l.life)
	err := l.tails.close(ctx)
	l.closeIdle()
	return err
}

// closeIdle closes the connections nobody uses, and ends the dialling nobody
// waits for.
func (l *Link) closeIdle() {
	if l.pooled != nil {
		l.pooled.release()
	}
	if l.ownsPool {
		l.pool.Close()
	}
}

func closedError() error {
	return &errors.TransporterRequestError{Kind: errors.KindClosed, Err: errors.ErrTransportClosed}
}

// hand gives a message to the session's listener.
func (l *Link) hand(m mcp.Message) {
	if in := l.in.Load(); in != nil {
		(*in)(l, m)
	}
}

// stallLimit is the longest silence within the body of an answer; 0 is none.
// What a call may be silent for, its event stream may be too.
func (l *Link) stallLimit(x *exchange, c *conversation, media mediaType) time.Duration {
	switch {
	case media != mediaStream:
		return l.readTimeout
	case c.patience > 0:
		return c.patience
	case c.out.Method == mcp.MethodListen:
		return l.listenReadTimeout
	case l.readTimeout == 0:
		return 0
	}
	limit := max(l.readTimeout, l.minimumStreamStall)
	if idle := transporters.CallOptionsOf(x.values).RequestTimeout; idle != nil {
		if *idle == 0 {
			return 0
		}
		limit = max(limit, *idle)
	}
	return limit
}

var (
	_ transporters.Link          = (*Link)(nil)
	_ transporters.Terminator    = (*Link)(nil)
	_ transporters.VersionSetter = (*Link)(nil)
	_ transporters.Standing      = (*Link)(nil)
	_ transporters.Fallback      = (*Link)(nil)
	_ transporters.FaultReporter = (*Link)(nil)
	_ transporters.FaultReporter = (*SSELink)(nil)
	_ http.RoundTripper          = (*roundTripper)(nil)
)
