package factory

import (
	"sync"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// tenant is one principal's place in a slot: its base, which is opened by the
// first call, and the number of calls that use it. Once retired it takes no
// further call; whoever brings the number to zero after that closes the base,
// which therefore happens exactly once.
type tenant struct {
	principal   string
	credentials *Credentials
	openBase    BaseFunc
	lastUse     atomic.Uint64 // the slot's clock
	idleSince   atomic.Int64  // when the last call left; see expiry
	uses        atomic.Int64  // running calls, plus retiredBit
	closing     bool          // the slot has begun to close it; guarded by the slot's mu

	once   sync.Once // decides the two below
	base   transporters.Base
	failed error
	opened atomic.Bool // once has opened the base: it may be asked for its state
}

const retiredBit = 1 << 62

func newTenant(principal string, open BaseFunc) *tenant {
	return &tenant{principal: principal, credentials: &Credentials{}, openBase: open}
}

// acquire begins a use; it returns false if the tenant is retired.
func (t *tenant) acquire() bool {
	for {
		uses := t.uses.Load()
		if uses&retiredBit != 0 {
			return false
		}
		if t.uses.CompareAndSwap(uses, uses+1) {
			return true
		}
	}
}

// release ends a use; it returns true if it was the last one of a retired
// tenant, which is now to be closed.
func (t *tenant) release() bool { return t.uses.Add(-1) == retiredBit }

// retire lets no further call in. It returns true if nobody uses the tenant,
// which is now to be closed; otherwise release will tell.
func (t *tenant) retire() bool { return t.uses.Or(retiredBit) == 0 }

// retireIdle retires the tenant only if nobody uses it.
func (t *tenant) retireIdle() bool { return t.uses.CompareAndSwap(0, retiredBit) }

func (t *tenant) isIdle() bool { return t.uses.Load() == 0 }

// goesBefore reports whether the tenant is to make room rather than another one.
func (t *tenant) goesBefore(other *tenant) bool {
	if t.principal == "" || other.principal == "" {
		return other.principal == ""
	}
	return t.lastUse.Load() < other.lastUse.Load()
}

// open returns the base, opening it if this is the first call. Callers wait for
// each other, not for I/O: opening does none.
func (t *tenant) open() (transporters.Base, error) {
	t.once.Do(func() {
		t.failed = errors.New("its constructor gave up") // if openBase panics
		t.base, t.failed = t.openBase(Caller{Principal: t.principal, Credentials: t.credentials})
		t.opened.Store(t.failed == nil)
	})
	return t.base, t.failed
}

// end ends the base; one that was never opened never will be.
func (t *tenant) end(end func(transporters.Base) error) error {
	t.once.Do(func() { t.failed = errors.ErrTransportClosed })
	if !t.opened.Load() {
		return nil
	}
	return end(t.base)
}

func (t *tenant) state() transporters.State {
	if !t.opened.Load() {
		return transporters.StateIdle
	}
	return t.base.State()
}

func (t *tenant) stats() transporters.Stats {
	if !t.opened.Load() {
		return transporters.Stats{}
	}
	return t.base.Stats()
}
