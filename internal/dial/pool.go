package dial

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// Pool makes transports and shares them between those that ask with equal
// Settings. The zero Pool is ready to use. It is safe for concurrent use and
// must not be copied.
type Pool struct {
	// Resolver looks names up; nil is the system's. It is set before the first
	// use, by tests.
	Resolver *net.Resolver

	base     *http.Transport // nil: transports of our own
	patience time.Duration   // replaces lookupTimeout, in tests

	mu         sync.Mutex
	transports map[Settings]*pooled
}

// pooled is a transport of the pool, and how many use it.
type pooled struct {
	transport
	settings Settings
	shares   int // that were not released
}

// transport is an *http.Transport, or a guarded one.
type transport interface {
	http.RoundTripper
	CloseIdleConnections()
}

// NewPool returns a pool whose transports are our own.
func NewPool() *Pool { return &Pool{} }

// NewPoolFrom returns a pool whose transports are copies of base: how it dials,
// its proxy and its TLS settings are kept except where Settings say otherwise;
// the numbers of idle connections, compression and time limits are replaced.
// base itself is neither changed nor used.
func NewPoolFrom(base *http.Transport) *Pool { return &Pool{base: base} }

// Transport returns the transport for the settings, making it if it is the
// first of its kind. It reads the files that the settings name; a fault in them
// is returned each time until it is repaired. It does not connect.
//
// It is Share for a use without an end: what was given away so is never ended by
// others.
//
// Where the settings have a guard, a connection that it forbids fails with an
// *Error that wraps an *errors.ForbiddenAddressError. It cannot keep watch over
// the dialling of a base that dials by itself: there it looks at the host before
// and at the address that the connection has afterwards, before anything is sent;
// of a connection that is not TCP, only at the host. Before a proxy is asked for a
// host the guard looks up the host itself, for 5 s at most, and refuses where it
// finds nothing.
func (p *Pool) Transport(settings Settings) (http.RoundTripper, error) {
	share, err := p.Share(settings)
	if err != nil {
		return nil, err
	}
	return share.Transport(), nil
}

// find returns the transport for the settings, made if need be. The caller holds
// the lock.
func (p *Pool) find(settings Settings) (*pooled, error) {
	if found, ok := p.transports[settings]; ok {
		return found, nil
	}
	made, err := p.make(settings)
	if err != nil {
		return nil, err
	}
	if p.transports == nil {
		p.transports = make(map[Settings]*pooled)
	}
	found := &pooled{transport: made, settings: settings}
	p.transports[settings] = found
	return found, nil
}

func (p *Pool) make(settings Settings) (transport, error) {
	if settings.Guard.IsZero() || settings.Socket != "" {
		return p.makePlain(settings, nil)
	}
	return p.makeGuarded(settings)
}

// makePlain makes a transport all of whose connections a guard allows; nil
// allows everything.
func (p *Pool) makePlain(settings Settings, guard *rules) (*http.Transport, error) {
	if p.base != nil {
		return adopt(p.base, settings, p.Resolver, guard)
	}
	return newTransport(settings, p.Resolver, guard)
}

// Close closes every idle connection. Connections in use are left alone, and
// the transports remain usable. Idempotent.
func (p *Pool) Close() {
	p.mu.Lock()
	transports := make([]transport, 0, len(p.transports))
	for _, pooled := range p.transports {
		transports = append(transports, pooled.transport)
	}
	p.mu.Unlock()
	for _, transport := range transports {
		transport.CloseIdleConnections()
	}
}
