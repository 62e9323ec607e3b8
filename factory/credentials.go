package factory

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
)

// Credentials keeps what the latest call of a principal brought to prove who it
// is for. It is safe for concurrent use.
type Credentials struct {
	latest atomic.Pointer[credential]
}

type credential struct {
	token  string
	header http.Header // identity headers only; other headers belong to their call
}

// Latest returns the token and the identity headers of the latest call that
// brought any; zero if there was none. The header is shared: it must not be
// changed.
func (c *Credentials) Latest() (token string, header http.Header) {
	if latest := c.latest.Load(); latest != nil {
		return latest.token, latest.header
	}
	return "", nil
}

func (c *Credentials) keep(options *transporters.CallOptions, identityHeaders []string) {
	header := identityOf(options.Header, identityHeaders)
	if options.Token == "" && header == nil {
		return
	}
	if latest := c.latest.Load(); latest != nil && latest.token == options.Token && sameHeader(latest.header, header) {
		return
	}
	c.latest.Store(&credential{token: options.Token, header: header})
}

// identityOf returns the headers that say whom a call is for, nil if there are
// none.
func identityOf(header http.Header, names []string) http.Header {
	var identity http.Header
	for _, name := range names {
		name = http.CanonicalHeaderKey(name)
		if values := header[name]; len(values) > 0 {
			if identity == nil {
				identity = make(http.Header)
			}
			identity[name] = values
		}
	}
	return identity
}

func sameHeader(a, b http.Header) bool {
	if len(a) != len(b) {
		return false
	}
	for name, values := range a {
		if !slices.Equal(values, b[name]) {
			return false
		}
	}
	return true
}

// credentialed is a link that gives a principal's credentials to what is sent
// without any: the handshake, answers to the server. A call's own token is never
// replaced.
type credentialed struct {
	transporters.Link
	credentials *Credentials
}

// Start begins to receive; messages are told to come from this link.
func (c *credentialed) Start(ctx context.Context, in func(transporters.Link, mcp.Message)) error {
	return c.Link.Start(c.fill(ctx), func(_ transporters.Link, m mcp.Message) { in(c, m) })
}

// Exchange is the inner link's, with credentials.
func (c *credentialed) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	return c.Link.Exchange(c.fill(ctx), out, sink)
}

// Send is the inner link's, with credentials.
func (c *credentialed) Send(ctx context.Context, out *transporters.Outbound) error {
	return c.Link.Send(c.fill(ctx), out)
}

// OnFault is the inner link's.
func (c *credentialed) OnFault(report func(error)) {
	if faulty, ok := c.Link.(transporters.FaultReporter); ok {
		faulty.OnFault(report)
	}
}

// credentialedHTTP is credentialed for streamable HTTP, whose link can do more:
// all that it sends of its own accord has the credentials too.
type credentialedHTTP struct {
	credentialed
	http *httplink.Link
}

var (
	_ transporters.Terminator    = (*credentialedHTTP)(nil)
	_ transporters.Standing      = (*credentialedHTTP)(nil)
	_ transporters.Fallback      = (*credentialedHTTP)(nil)
	_ transporters.VersionSetter = (*credentialedHTTP)(nil)
)

func withCredentials(link *httplink.Link, credentials *Credentials) *credentialedHTTP {
	return &credentialedHTTP{credentialed: credentialed{link, credentials}, http: link}
}

// Start begins to receive; messages are told to come from this link.
func (c *credentialedHTTP) Start(ctx context.Context, in func(transporters.Link, mcp.Message)) error {
	return c.http.Start(c.fill(ctx), func(_ transporters.Link, m mcp.Message) { in(c, m) })
}

// Terminate is the inner link's, with credentials.
func (c *credentialedHTTP) Terminate(ctx context.Context, header http.Header) error {
	return c.http.Terminate(c.fill(ctx), header)
}

// SetVersion is the inner link's.
func (c *credentialedHTTP) SetVersion(version mcp.Version) { c.http.SetVersion(version) }

// Listen is the inner link's, with credentials.
func (c *credentialedHTTP) Listen(ctx context.Context, header http.Header, tried func()) error {
	return c.http.Listen(c.fill(ctx), header, tried)
}

// Legacy is the inner link's, with credentials, also for the link it returns.
func (c *credentialedHTTP) Legacy(ctx context.Context, in func(transporters.Link, mcp.Message)) (transporters.Link, error) {
	older := &credentialed{credentials: c.credentials}
	started := make(chan struct{}) // older.Link is set
	link, err := c.http.Legacy(c.fill(ctx), func(_ transporters.Link, m mcp.Message) {
		<-started
		in(older, m)
	})
	if err != nil {
		return nil, err
	}
	older.Link = link
	close(started)
	return older, nil
}

// fill adds the latest credentials where the context brings none: a request for
// a principal must not go out under the client's own name.
func (c *credentialed) fill(ctx context.Context) context.Context {
	token, header := c.credentials.Latest()
	if token == "" && header == nil || transporters.CallOptionsOf(ctx).Token != "" {
		return ctx
	}
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) {
		o.Token = token
		if len(o.Header) == 0 {
			o.Header = header
		}
	})
}
