package httplink

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// stallTimer ends an exchange whose read takes too long. It serves one exchange
// after the other.
type stallTimer struct {
	timer    *time.Timer
	exchange atomic.Pointer[exchange]
	fired    bool // it is of no further use: its function may still be running
}

// stallTimers keeps timers that nobody uses. The zero value is ready.
type stallTimers struct{ unused sync.Pool }

func (s *stallTimers) get(x *exchange) *stallTimer {
	t, ok := s.unused.Get().(*stallTimer)
	if !ok {
		t = &stallTimer{}
		t.timer = time.AfterFunc(math.MaxInt64, t.fire)
		t.timer.Stop()
	}
	t.exchange.Store(x)
	return t
}

// put takes a timer back that was stopped.
func (s *stallTimers) put(t *stallTimer) {
	t.exchange.Store(nil)
	if !t.fired {
		s.unused.Put(t)
	}
}

func (t *stallTimer) start(limit time.Duration) { t.timer.Reset(limit) }

func (t *stallTimer) stop() {
	if !t.timer.Stop() {
		t.fired = true
	}
}

func (t *stallTimer) fire() {
	if x := t.exchange.Load(); x != nil {
		x.stalled()
	}
}
