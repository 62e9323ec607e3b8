package httplink

import (
	"math"
	"sync"
	"time"
)

// stallTimer ends an exchange whose read takes too long. It serves one exchange
// after the other.
//
// Nearly every read finds its bytes there already, so that to start and stop a timer
// of the runtime for each would be wasted. This one is left running: when it fires it
// looks whether a read waits, and since when.
type stallTimer struct {
	timer *time.Timer
	made  time.Time // what the times below are counted from

	mu       sync.Mutex
	exchange *exchange // whose read waits; nil: no read does
	deadline time.Duration
	fires    time.Duration // when the timer fires; 0: it is not running
}

// stallTimers keeps timers that nobody uses. The zero value is ready.
type stallTimers struct{ unused sync.Pool }

func (s *stallTimers) get() *stallTimer {
	if t, ok := s.unused.Get().(*stallTimer); ok {
		return t
	}
	t := &stallTimer{made: time.Now()}
	t.timer = time.AfterFunc(math.MaxInt64, t.fire)
	t.timer.Stop()
	return t
}

// put takes a timer back that was stopped.
func (s *stallTimers) put(t *stallTimer) { s.unused.Put(t) }

// start begins the wait of a read.
func (t *stallTimer) start(x *exchange, limit time.Duration) {
	deadline := time.Since(t.made) + limit
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exchange, t.deadline = x, deadline
	if t.fires == 0 || t.fires > deadline {
		t.fires = deadline
		t.timer.Reset(limit)
	}
}

// stop ends it.
func (t *stallTimer) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exchange = nil
}

func (t *stallTimer) fire() {
	if x := t.overdue(); x != nil {
		x.stalled()
	}
}

// overdue returns whose read has waited too long. If one has not yet, the timer runs
// on.
func (t *stallTimer) overdue() *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fires = 0
	if t.exchange == nil {
		return nil
	}
	if left := t.deadline - time.Since(t.made); left > 0 {
		t.fires = t.deadline
		t.timer.Reset(left)
		return nil
	}
	return t.exchange
}
