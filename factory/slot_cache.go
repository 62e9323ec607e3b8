package factory

import (
	"context"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// hear takes in what a server notifies the principal of, for the cache.
func (s *Slot) hear(principal string, m mcp.Message) {
	if cache := s.hears.Load(); cache != nil {
		cache.Notify(principal, m)
	}
}

// hearing returns the handler of a principal's subscription with the cache before it:
// what the handler asks for is not what has just become stale.
func (s *Slot) hearing(principal string, handler func(mcp.Message)) func(mcp.Message) {
	if handler == nil {
		return nil
	}
	return func(m mcp.Message) {
		s.hear(principal, m)
		handler(m)
	}
}

// cachePeer is a slot as the cache sees it.
type cachePeer struct{ slot *Slot }

var _ policy.CachePeer = cachePeer{}

// Generation is that of the base that the principal has now.
func (p cachePeer) Generation(principal string) policy.Generation {
	p.slot.mu.RLock()
	t := p.slot.tenants.of(principal)
	p.slot.mu.RUnlock()
	if t == nil {
		return policy.Generation{}
	}
	handshakes := t.handshakes()
	if handshakes == 0 {
		return policy.Generation{}
	}
	return policy.Generation{Connection: t.serial, Handshakes: handshakes}
}

// handshakes is how many the base has made. Of several instances behind one the
// first of each count as one: an instance that is started later takes the place of
// none.
func (t *tenant) handshakes() uint64 {
	if !t.opened.Load() {
		return 0
	}
	if several, ok := t.base.(interface{ Renewals() (uint64, bool) }); ok {
		renewals, isConnected := several.Renewals()
		if !isConnected {
			return 0
		}
		return renewals + 1
	}
	return t.base.Stats().Handshakes
}

// Era is unknown if there is no telling.
func (p cachePeer) Era(ctx context.Context) mcp.Era {
	info, err := p.slot.ServerInfo(ctx)
	if err != nil {
		return mcp.EraUnknown
	}
	return info.Era
}

// Background leaves the goroutine to the slot.
func (p cachePeer) Background(f func()) bool { return p.slot.background(f) }

// Watch is Listen, except that the base may be evicted and closed in spite of the
// subscription: there is nothing to watch for then.
func (p cachePeer) Watch(ctx context.Context, filter mcp.SubscriptionFilter, handler func(mcp.Message)) (policy.CacheWatch, error) {
	t, base, err := p.slot.enter(ctx, mcp.MethodListen)
	if err != nil {
		return nil, err
	}
	defer p.slot.leave(t)
	listening, ok := base.(listener)
	if !ok {
		return nil, p.slot.refuse(mcp.MethodListen, errors.ErrCapabilityMissing)
	}
	watch, err := listening.Listen(ctx, filter, handler)
	if err != nil {
		return nil, err
	}
	return watch, nil
}
