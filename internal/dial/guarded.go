package dial

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// lookupTimeout bounds the look at a name before a proxy is asked for it.
const lookupTimeout = 5 * time.Second

// guardedTransport has two transports, so that it is never in doubt whether what
// is dialled is the place itself or a proxy.
type guardedTransport struct {
	rules    *rules
	proxy    func(*http.Request) (*url.URL, error) // nil: none
	direct   *http.Transport                       // every connection is guarded
	proxied  *http.Transport                       // connects to proxies only
	resolver *net.Resolver
	patience time.Duration // for one look at a name
}

// errNoProxy cannot occur: what has no proxy goes the direct way.
var errNoProxy = errors.New("no proxy for a request that had one")

func (p *Pool) makeGuarded(settings Settings) (*guardedTransport, error) {
	guard, err := settings.Guard.compile()
	if err != nil {
		return nil, err
	}
	proxyGuard := &rules{allowPrivate: true, deny: guard.deny} // the operator names proxies
	made := &guardedTransport{rules: guard, resolver: cmp.Or(p.Resolver, net.DefaultResolver), patience: cmp.Or(p.patience, lookupTimeout)}
	if made.direct, err = p.makePlain(settings, guard); err != nil {
		return nil, err
	}
	if made.proxied, err = p.makePlain(settings, proxyGuard); err != nil {
		return nil, err
	}
	made.proxy = made.proxied.Proxy // which knows then what it dials
	made.direct.Proxy = nil
	made.proxied.Proxy = made.mustProxy
	return made, nil
}

// RoundTrip implements http.RoundTripper.
func (g *guardedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	proxy, err := g.choose(request)
	switch {
	case err != nil:
	case proxy == nil:
		return g.direct.RoundTrip(request)
	default:
		if err = g.checkBeforeProxy(request.Context(), request.URL); err == nil {
			return g.proxied.RoundTrip(request)
		}
	}
	if request.Body != nil {
		_ = request.Body.Close()
	}
	return nil, err
}

func (g *guardedTransport) choose(request *http.Request) (*url.URL, error) {
	if g.proxy == nil || request.URL == nil {
		return nil, nil
	}
	proxy, err := g.proxy(request)
	if err != nil {
		return nil, &Error{Address: request.URL.Host, Err: err}
	}
	return proxy, nil
}

// mustProxy is the proxy of the transport for proxies, which must not connect
// anywhere else.
func (g *guardedTransport) mustProxy(request *http.Request) (*url.URL, error) {
	proxy, err := g.choose(request)
	if proxy == nil && err == nil {
		err = errNoProxy
	}
	return proxy, err
}

// checkBeforeProxy looks the name up, since it is the proxy that connects, and
// refuses if one of its addresses is forbidden or if there are none to be seen. A
// proxy that resolves the name to something else cannot be noticed.
func (g *guardedTransport) checkBeforeProxy(ctx context.Context, target *url.URL) error {
	host, port := target.Hostname(), portOf(target)
	fail := func(err error) error { return &Error{Address: net.JoinHostPort(host, port), Err: err} }
	isOpen, err := g.rules.checkHost(host, port)
	if err != nil {
		return fail(err)
	}
	if _, literal := parseLiteral(host); literal || !g.rules.needsAddress(isOpen) {
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, g.patience)
	defer cancel()
	addresses, err := g.resolver.LookupNetIP(bounded, "ip", host)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil || len(addresses) == 0:
		key := keyAllow
		if isOpen { // only what deny says of addresses is in question
			key = keyDeny
		}
		return fail(forbidden(host, errors.ForbiddenAddressError{
			Reason: "a name that cannot be resolved here, so that nothing is known of the address that the proxy would connect to", Key: key,
		}))
	}
	for _, address := range addresses {
		if err := g.rules.checkAddress(host, port, address, isOpen); err != nil {
			return fail(err)
		}
	}
	return nil
}

// CloseIdleConnections makes (*http.Client).CloseIdleConnections work.
func (g *guardedTransport) CloseIdleConnections() {
	g.direct.CloseIdleConnections()
	g.proxied.CloseIdleConnections()
}

// guarding makes a dialler of our own refuse addresses: the hook runs for each
// address that a name was resolved to, before the system is told to connect.
func guarding(guard *rules, dialer *net.Dialer) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, isOpen, err := guard.admit(address)
		if err != nil {
			return nil, err
		}
		guarded := *dialer
		guarded.ControlContext = func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			place, err := netip.ParseAddrPort(resolved)
			if err != nil {
				return forbidden(host, errors.ForbiddenAddressError{Reason: "not an address of the internet", Key: keyAllow})
			}
			return guard.checkAddress(host, port, place.Addr(), isOpen)
		}
		return guarded.DialContext(ctx, network, address)
	}
}

// guardingForeign does what can be done about a dialler of the user's, which
// resolves names as it likes: the host is looked at before, and where the
// connection has got to is looked at after, when nothing was sent yet.
func guardingForeign(guard *rules, connect dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, isOpen, err := guard.admit(address)
		if err != nil {
			return nil, err
		}
		connection, err := connect(ctx, network, address)
		if err != nil {
			return nil, err
		}
		remote, ok := connection.RemoteAddr().(*net.TCPAddr)
		if !ok {
			return connection, nil // a pipe, a tunnel: nothing is known
		}
		if err := guard.checkAddress(host, port, remote.AddrPort().Addr(), isOpen); err != nil {
			_ = connection.Close()
			return nil, err
		}
		return connection, nil
	}
}

// admit looks at the host of an address as a dialler is given it.
func (r *rules) admit(address string) (host, port string, isOpen bool, err error) {
	host, port, err = net.SplitHostPort(address)
	if err != nil {
		return "", "", false, err
	}
	isOpen, err = r.checkHost(host, port)
	return host, port, isOpen, err
}
