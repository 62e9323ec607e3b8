package session

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// callTimer watches the deadlines of one call after the other.
type callTimer struct {
	timer *time.Timer
	call  atomic.Pointer[call]
}

// callTimers keeps timers that no call uses. The zero value is ready.
type callTimers struct{ unused sync.Pool }

// start has the call's deadlines looked at after wait.
func (t *callTimers) start(c *call, wait time.Duration) {
	timer, ok := t.unused.Get().(*callTimer)
	if !ok {
		timer = &callTimer{}
		timer.timer = time.AfterFunc(math.MaxInt64, timer.fire)
	}
	timer.call.Store(c)
	c.timer = timer
	timer.timer.Reset(wait)
}

// stop ends the timer. One that has fired is of no further use: its function may
// still be running.
func (t *callTimers) stop(timer *callTimer) {
	timer.call.Store(nil)
	if timer.timer.Stop() {
		t.unused.Put(timer)
	}
}

func (t *callTimer) fire() {
	if c := t.call.Load(); c != nil {
		c.check()
	}
}

// reset is for the function that fires.
func (t *callTimer) reset(wait time.Duration) { t.timer.Reset(wait) }
