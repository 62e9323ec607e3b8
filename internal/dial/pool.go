package dial

import (
	"net/http"
	"sync"
)

// Pool makes transports and shares them between those that ask with equal
// Settings. The zero Pool is ready to use. It is safe for concurrent use and
// must not be copied.
type Pool struct {
	base *http.Transport // nil: transports of our own

	mu         sync.Mutex
	transports map[Settings]*http.Transport
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
func (p *Pool) Transport(settings Settings) (*http.Transport, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if transport, ok := p.transports[settings]; ok {
		return transport, nil
	}
	transport, err := p.make(settings)
	if err != nil {
		return nil, err
	}
	if p.transports == nil {
		p.transports = make(map[Settings]*http.Transport)
	}
	p.transports[settings] = transport
	return transport, nil
}

func (p *Pool) make(settings Settings) (*http.Transport, error) {
	if p.base != nil {
		return adopt(p.base, settings)
	}
	return newTransport(settings)
}

// Close closes every idle connection. Connections in use are left alone, and
// the transports remain usable. Idempotent.
func (p *Pool) Close() {
	p.mu.Lock()
	transports := make([]*http.Transport, 0, len(p.transports))
	for _, transport := range p.transports {
		transports = append(transports, transport)
	}
	p.mu.Unlock()
	for _, transport := range transports {
		transport.CloseIdleConnections()
	}
}
