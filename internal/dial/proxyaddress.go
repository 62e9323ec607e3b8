package dial

import (
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
)

// httpsProxies are the addresses of the proxies that a transport was told to use and
// that are spoken to over TLS. net/http dials them as it dials servers: only the
// address tells that tls.server_name, and HTTP/2, are not meant for them. The zero
// value is empty and ready; it is safe for concurrent use.
type httpsProxies struct {
	latest    atomic.Pointer[url.URL] // of which the address is known
	addresses sync.Map                // of string to struct{}; as many as the operator names
}

// noting is choose, whose choices are remembered. nil stays nil.
func (p *httpsProxies) noting(choose func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	if choose == nil {
		return nil
	}
	return func(request *http.Request) (*url.URL, error) {
		proxy, err := choose(request)
		if err == nil && proxy != nil && proxy.Scheme == "https" && p.latest.Load() != proxy {
			p.addresses.Store(net.JoinHostPort(proxy.Hostname(), portOf(proxy)), struct{}{})
			p.latest.Store(proxy)
		}
		return proxy, err
	}
}

func (p *httpsProxies) has(address string) bool {
	_, found := p.addresses.Load(address)
	return found
}
