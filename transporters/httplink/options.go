package httplink

import (
	"net/http"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// Option sets what configuration files cannot hold.
type Option func(*Link)

// WithLogger sets the logger; the default discards.
func WithLogger(logger hclog.Logger) Option {
	return func(l *Link) {
		if logger != nil {
			l.log = logger
		}
	}
}

// WithClient sends every request through a resty client of the user's: its
// request middleware, pre-request hook, rate limiter, headers, query parameters
// and round tripper take part. One option may serve many links.
//
// The client is handed over. Calling WithClient reconfigures the *http.Client
// inside it, for resty cannot copy that: cookie jar and timeout are removed and
// the redirect policy is replaced. Requests that others send through the same
// client work on without them. From resty's own settings a copy is made, in
// which retries, debug output (it would print secrets), form data and path
// parameters are off; a token or basic authentication set on the client counts
// as the lowest of the configured headers. Later changes of the client have no
// effect, except on its *http.Client.
//
// An *http.Transport inside is copied and tuned, keeping how it dials, its
// proxy and its TLS settings where the configuration says nothing. A dialler of
// its own resolves names as it likes: the rules of network are held against the
// host before, and, if the connection is one of TCP, against the address that it
// has afterwards, before anything is sent. Of any other round tripper the
// configuration's tls and proxy keys know nothing, it is asked only for hosts that
// network allows by name or literal address, and it must not ask for compression
// or send a request twice.
//
// After-response middleware does not run, since bodies are streams; a success
// hook must not read the body. Resty's digest authentication relies on that
// middleware and does not work here.
func WithClient(client *resty.Client) Option {
	if client == nil {
		return func(*Link) {}
	}
	adopted := adoptClient(client)
	return func(l *Link) { l.adopted = adopted }
}

// WithTransport replaces what carries the requests: a seam for tests and for
// round trippers of one's own. The configuration's tls and proxy keys do not
// apply to it, nor do the rules of network beyond names and literal addresses, and
// the link never closes it. It cannot be asked for a Unix socket.
func WithTransport(transport http.RoundTripper) Option {
	return func(l *Link) {
		if transport != nil {
			l.transport = fixedTransport(transport)
		}
	}
}

// WithPool takes the transport from a pool, so that links with equal settings
// share connections; links that are given the same option also share what else of
// an HTTP client is the same for all. The pool's owner closes it. Without it the
// link has a pool of its own.
func WithPool(pool *dial.Pool) Option {
	if pool == nil {
		return func(*Link) {}
	}
	shared := sync.OnceValue(newKept)
	return func(l *Link) { l.pool, l.shared = pool, shared }
}

// WithWarnings has links that are given the same once warn together, once: the
// links of one server, of which there is one for each principal.
func WithWarnings(once *sync.Once) Option {
	return func(l *Link) { l.warnings = once }
}

// WithMinimumStreamStall keeps read_timeout from ending event streams sooner
// than the given time, which is to be the configured request timeout: the
// server's work may well be silent so long. A request timeout of a call's own
// (CallOptions) has the same effect.
func WithMinimumStreamStall(minimum time.Duration) Option {
	return func(l *Link) { l.minimumStreamStall = minimum }
}
