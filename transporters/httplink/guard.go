package httplink

import (
	"net/http"

	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// Redirects and the endpoint of HTTP+SSE stay on the origin of base_url, which the
// operator wrote. Everything else that a server points to is asked for through the
// transport that is made here.

// ownGuard is for what the configuration names: only network.deny counts. With an
// entry that is none, which Check would have reported, nothing is connected to.
func (c Config) ownGuard() dial.Guard { return dial.DenyGuard(c.Network.Deny) }

// PointerGuard returns the rules for what the server points to. The host of
// base_url is allowed on every port; a server on loopback may point to this
// machine.
func (c Config) PointerGuard() dial.Guard {
	guard := dial.NewGuard(c.Network.AllowPrivate, c.Network.Allow, c.Network.Deny)
	if endpoint, fault := parseEndpoint(c.BaseURL); fault == nil && endpoint.socket == "" {
		guard = guard.AllowServer(endpoint.url)
	}
	return guard
}

// deniedBy returns an *errors.ForbiddenAddressError if network.deny forbids the
// endpoint by its name or literal address.
func (c Config) deniedBy(e endpoint) error {
	if e.socket != "" || e.url == nil {
		return nil
	}
	return c.ownGuard().CheckURL(e.url)
}

// IsSocket reports whether base_url is the address of a Unix socket.
func (c Config) IsSocket() bool {
	endpoint, fault := parseEndpoint(c.BaseURL)
	return fault == nil && endpoint.socket != ""
}

// NewPointerTransport returns what carries requests to the places that the server
// of cfg points to, under the guard's rules: the same way out as a link that was
// made with the same options has, but without the client's certificate and the
// server's name. A round tripper of the user's is returned as it is: there the
// caller has to ask the guard about each URL. It does no I/O, and is safe for
// concurrent use.
func NewPointerTransport(cfg Config, guard dial.Guard, options ...Option) http.RoundTripper {
	var l Link
	for _, option := range options {
		option(&l)
	}
	switch {
	case l.transport != nil:
		return &pointerTransport{l.transport}
	case l.adopted != nil && l.adopted.pool == nil:
		return l.adopted.client.GetClient().Transport
	case l.adopted != nil:
		l.pool = l.adopted.pool
	case l.pool == nil:
		l.pool = dial.NewPool()
	}
	return &pointerTransport{func() (http.RoundTripper, error) {
		settings, err := cfg.dialSettings()
		if err != nil {
			return nil, err
		}
		return l.pool.Transport(dial.Settings{
			CAFile: settings.CAFile, InsecureSkipVerify: settings.InsecureSkipVerify, Proxy: settings.Proxy, Guard: guard,
		})
	}}
}

// pointerTransport takes its transport at each request, since making one may read
// files.
type pointerTransport struct{ source transportSource }

// RoundTrip implements http.RoundTripper.
func (p *pointerTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	transport, err := p.source()
	if err != nil {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, err
	}
	return transport.RoundTrip(request)
}

// CloseIdleConnections makes (*http.Client).CloseIdleConnections work.
func (p *pointerTransport) CloseIdleConnections() {
	transport, err := p.source()
	if err != nil {
		return
	}
	if closer, ok := transport.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}
