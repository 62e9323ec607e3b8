package factory

import (
	"sync/atomic"
	"time"
)

// DefaultPrincipalIdleTimeout is how long a principal's base is kept that nobody
// uses.
const DefaultPrincipalIdleTimeout = 15 * time.Minute

// WithPrincipalIdleTimeout has bases of principals closed that no call has used for
// so long; 0 or less keeps them. The client's own base is always kept. The default
// is DefaultPrincipalIdleTimeout.
func WithPrincipalIdleTimeout(limit time.Duration) SlotOption {
	return func(g *generation) { g.idle = limit }
}

// expiry closes what is idle. Its timer runs only while there is something to
// close: the call that leaves arms it if it does not run, and when it fires it is
// set for the next base in line, or not at all.
//
// That no base is forgotten follows from the order: a call notes the time, then
// lets go of the base, then looks whether the timer is armed; the timer says that
// it is not armed any more, then looks which bases are in use. One of the two sees
// the other.
type expiry struct {
	began time.Time
	armed atomic.Bool // written with the slot's mu held
	timer *time.Timer // guarded by the slot's mu
}

func newExpiry() expiry { return expiry{began: time.Now()} }

// now is the time on the slot's own clock, which no correction of the system's
// clock moves.
func (e *expiry) now() int64 { return int64(time.Since(e.began)) }

// stop ends the timer for good; the slot is closed.
func (e *expiry) stop() {
	if e.timer != nil {
		e.timer.Stop()
	}
}

// expires reports whether the tenant's base may grow old.
func (s *Slot) expires(t *tenant) bool { return t.generation.idle > 0 && t.principal != "" }

// noteUse is called before the base is let go of, armAfter afterwards.
func (s *Slot) noteUse(t *tenant) {
	if s.expires(t) {
		t.idleSince.Store(s.expiry.now())
	}
}

// armAfter starts the timer unless it runs.
func (s *Slot) armAfter(t *tenant) {
	if !s.expires(t) || s.expiry.armed.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armFor(t.generation.idle)
}

// armFor starts the timer unless it runs; s.mu is held.
func (s *Slot) armFor(wait time.Duration) {
	if s.closed || !s.expiry.armed.CompareAndSwap(false, true) {
		return
	}
	if s.expiry.timer == nil {
		s.expiry.timer = time.AfterFunc(wait, s.expire)
		return
	}
	s.expiry.timer.Reset(wait)
}

// expire closes the bases that were idle for long enough, and arms the timer for
// the next one. For those in use the call that leaves will do it.
func (s *Slot) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.expiry.armed.Store(false)
	now, next := s.expiry.now(), time.Duration(0)
	for t := range s.tenants.all() {
		if !s.expires(t) || !t.isIdle() {
			continue
		}
		left := t.generation.idle - time.Duration(now-t.idleSince.Load())
		switch {
		case left > 0 && (next == 0 || left < next):
			next = left
		case left <= 0 && t.retireIdle():
			s.tenants.remove(t)
			s.closeLater(t)
		}
	}
	if next > 0 {
		s.armFor(next)
	}
}
