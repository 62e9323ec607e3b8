package dial

//lint:file-ignore SA1019 a base that somebody else made may dial the old way

import (
	"context"
	"net"
	"net/http"
)

// adopt makes a transport of somebody's own: what it does to reach its peers is
// kept, unless the settings say otherwise.
func adopt(base *http.Transport, settings Settings, resolver *net.Resolver, guard *rules) (*http.Transport, error) {
	transport := base.Clone()
	if settings.Proxy != "" {
		proxy, err := ParseProxy(settings.Proxy)
		if err != nil {
			return nil, err
		}
		transport.Proxy = proxy
	}
	if settings.hasTLS() {
		security, err := tlsConfig(settings)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig, transport.DialTLSContext, transport.DialTLS = security, nil, nil
	}
	if settings.Socket != "" {
		transport.Proxy, transport.DialContext, transport.DialTLSContext, transport.DialTLS = nil, nil, nil, nil
	}
	transport.DialContext = foreignDial(guard, transport.DialContext, transport.Dial)
	transport.DialTLSContext = foreignDial(guard, transport.DialTLSContext, transport.DialTLS)
	transport.Dial, transport.DialTLS = nil, nil
	if transport.DialContext == nil {
		transport.DialContext = ownDial(settings, resolver, guard)
	}
	tune(transport, settings)
	return transport, nil
}

// foreignDial is how the base connects, nil if it leaves that to others. The
// older form without a context counts where the newer one is not given.
func foreignDial(guard *rules, connect dialFunc, older func(network, address string) (net.Conn, error)) dialFunc {
	switch {
	case connect != nil:
	case older != nil:
		connect = func(_ context.Context, network, address string) (net.Conn, error) { return older(network, address) }
	default:
		return nil
	}
	if guard != nil {
		connect = guardingForeign(guard, connect)
	}
	return reporting(connect)
}
