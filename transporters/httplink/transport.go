package httplink

import (
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// transportSource gives the transport of a link when it is first needed, since
// making one may read files.
type transportSource func() (http.RoundTripper, error)

func fixedTransport(transport http.RoundTripper) transportSource {
	return func() (http.RoundTripper, error) { return transport, nil }
}

// pooled takes the transport of a link from a pool, and holds a share of it until
// the link is closed. Of what it is made of only the proxy can change, which may be a
// secret; as long as that stays the same, the pool need not be asked.
type pooled struct {
	pool   *dial.Pool
	cfg    *Config
	guard  dial.Guard
	socket string
	latest atomic.Pointer[pooledTransport]

	mu       sync.Mutex // held while latest is replaced
	isClosed bool       // no more shares
}

type pooledTransport struct {
	share *dial.Share
	proxy string
}

// transport is a transportSource.
func (p *pooled) transport() (http.RoundTripper, error) {
	if latest := p.latest.Load(); latest != nil {
		if proxy, err := p.cfg.Proxy.Reveal(); err == nil && proxy == latest.proxy {
			return latest.share.Transport(), nil
		}
	}
	settings, err := p.cfg.dialSettings()
	if err != nil {
		return nil, err
	}
	settings.Guard, settings.Socket = p.guard, p.socket
	return p.replace(settings)
}

// replace takes a share of the transport for the settings, in place of the one
// before.
func (p *pooled) replace(settings dial.Settings) (http.RoundTripper, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	latest := p.latest.Load()
	switch {
	case p.isClosed:
		return nil, closedError()
	case latest != nil && latest.proxy == settings.Proxy: // another request was first
		return latest.share.Transport(), nil
	}
	share, err := p.pool.Share(settings)
	if err != nil {
		return nil, err
	}
	p.latest.Store(&pooledTransport{share, settings.Proxy})
	if latest != nil {
		latest.share.Release()
	}
	return share.Transport(), nil
}

// release gives the share back: connections that are idle, or will be, are closed
// unless other links use the same transport.
func (p *pooled) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isClosed = true
	if latest := p.latest.Load(); latest != nil {
		latest.share.Release()
	}
}

// exchangeKey finds the exchange that a context belongs to.
type exchangeKey struct{}

// roundTripper is the innermost part of a request's way before the network. It
// leads each request to the transport of its link, so that one resty client can
// serve several, and lets requests that are not a link's pass.
type roundTripper struct {
	base http.RoundTripper // of the client that was taken over; nil if it is ours
	pool *dial.Pool        // copies base if that is an *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (r *roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	x, ok := request.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return r.foreign(request)
	}
	transport, err := x.link.roundTripper(r)
	if err != nil {
		return nil, &preparationError{err}
	}
	x.restoreHeader(request)
	return transport.RoundTrip(withoutReplay(request))
}

// setAside takes the header out of a request that resty has completed, unless x has
// it already, and gives the request the target that resty was not told.
// http.Client copies the header, and the URL if Host is set, before each request, for
// redirects and cookies; here checkRedirect does the one and there are none of the
// other. With a user's client nothing is set aside.
func (x *exchange) setAside(request *http.Request, none http.Header) {
	if x.header == nil {
		x.header = request.Header
	}
	request.Header = none
	if x.target != nil {
		request.URL, request.Host = x.target, x.header.Get("Host")
	} else if request.Host == request.URL.Host {
		request.Host = ""
	}
}

// restoreHeader completes a request that was made lighter. It is our own: nobody else
// has it at the time.
func (x *exchange) restoreHeader(request *http.Request) {
	if x.header == nil {
		return
	}
	request.Header = x.header
	if request.Host == "" {
		request.Host = request.URL.Host
	}
}

// foreign sends a request that is not a link's: one of the user's own through a
// client that was taken over.
func (r *roundTripper) foreign(request *http.Request) (*http.Response, error) {
	switch {
	case r.base != nil:
		return r.base.RoundTrip(request)
	case r.pool == nil:
		return nil, &preparationError{errors.New("the request has lost its context: middleware must derive from the one it gets")}
	}
	transport, err := r.pool.Transport(dial.Settings{})
	if err != nil {
		return nil, err
	}
	return transport.RoundTrip(request)
}

// CloseIdleConnections makes (*http.Client).CloseIdleConnections work.
func (r *roundTripper) CloseIdleConnections() {
	if closer, ok := r.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// roundTripper chooses what carries the link's requests.
func (l *Link) roundTripper(outer *roundTripper) (http.RoundTripper, error) {
	if l.transport == nil {
		return outer.base, nil // a user's client with a round tripper of its own
	}
	return l.transport()
}

// withoutReplay keeps net/http from sending a POST twice: it does so if it sees
// an idempotency key and can get at the body again, although the server may
// have carried the first one out. Without a key it sends again only
// what was never written.
func withoutReplay(request *http.Request) *http.Request {
	_, standard := request.Header["Idempotency-Key"]
	_, custom := request.Header["X-Idempotency-Key"]
	if request.GetBody == nil || !standard && !custom {
		return request
	}
	once := *request
	once.GetBody = nil
	return &once
}

// preparationError marks an error from before a request was begun.
type preparationError struct{ err error }

func (e *preparationError) Error() string { return e.err.Error() }
func (e *preparationError) Unwrap() error { return e.err }
