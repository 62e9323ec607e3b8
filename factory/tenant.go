package factory

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// tenant is one principal's place in a slot: its base, which is opened by the
// first call, and the number of calls and subscriptions that use it. Once retired
// it takes no further call; whoever brings the number of calls to zero after that
// closes the base, which therefore happens exactly once. A subscription keeps a
// base from being evicted, but not a retired one from being closed: it would
// never end by itself.
type tenant struct {
	principal   string
	serial      uint64 // tells it from others of the same principal
	credentials *Credentials
	generation  *generation
	lastUse     atomic.Uint64 // the slot's clock
	idleSince   atomic.Int64  // when the last call left; see expiry
	uses        atomic.Int64  // running calls, plus heldUnit for each subscription, plus retiredBit
	closing     bool          // the slot has begun to close it; guarded by the slot's mu
	overdue     *time.Timer   // ends a retired one whose calls take too long, or nil; guarded likewise

	observed atomic.Bool // the slot's listeners are told of the base

	once   sync.Once // decides the two below
	base   transporters.Base
	failed error
	opened atomic.Bool // once has opened the base: it may be asked for its state
}

const (
	heldUnit   = 1 << 31
	callsMask  = heldUnit - 1
	retiredBit = 1 << 62
)

func newTenant(principal string, of *generation) *tenant {
	return &tenant{principal: principal, credentials: &Credentials{}, generation: of}
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

// release ends a call; it returns true if it was the last one of a retired
// tenant, which is now to be closed.
func (t *tenant) release() bool {
	uses := t.uses.Add(-1)
	return uses&retiredBit != 0 && uses&callsMask == 0
}

// hold begins a subscription, within a call.
func (t *tenant) hold() { t.uses.Add(heldUnit) }

// drop ends a subscription.
func (t *tenant) drop() { t.uses.Add(-heldUnit) }

// retire lets no further call in. It returns true if no call runs, so that the
// tenant is now to be closed; otherwise release will tell.
func (t *tenant) retire() bool { return t.uses.Or(retiredBit)&callsMask == 0 }

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

// stopTimer is for one that is being closed. The slot's mu is held.
func (t *tenant) stopTimer() {
	if t.overdue != nil {
		t.overdue.Stop()
	}
}

// open returns the base, opening it if this is the first call. Callers wait for
// each other, not for I/O: opening does none.
func (t *tenant) open() (transporters.Base, error) {
	t.once.Do(func() {
		t.failed = errors.New("its constructor gave up") // if Open panics
		t.base, t.failed = t.generation.Open(Caller{Principal: t.principal, Credentials: t.credentials})
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
