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
	set   atomic.Int64 // how long it was set for; see stop
}

// callTimers keeps timers that no call uses. The zero value is ready.
type callTimers struct{ unused sync.Pool }

// start has the call's deadlines looked at after wait. The call's timer must not
// run.
func (t *callTimers) start(c *call, wait time.Duration) {
	if c.timer == nil {
		c.timer = t.take()
		c.timer.call.Store(c)
	}
	c.isTimed = true
	c.timer.reset(wait)
}

func (t *callTimers) take() *callTimer {
	if unused, ok := t.unused.Get().(*callTimer); ok {
		return unused
	}
	made := &callTimer{}
	made.timer = time.AfterFunc(math.MaxInt64, made.fire)
	return made
}

// release takes a stopped timer from its call. One that has fired is of no further
// use: its function may still be running.
func (t *callTimers) release(timer *callTimer, isQuiet bool) {
	timer.call.Store(nil)
	if isQuiet {
		t.unused.Put(timer)
	}
}

// stop ends the timer, and reports whether its function does not run now. One that ran
// before, and has set the timer anew, has read the call for the last time before that.
// The time package promises no such order; what was set does.
func (t *callTimer) stop() (isQuiet bool) {
	isQuiet = t.timer.Stop()
	t.set.Load()
	return isQuiet
}

func (t *callTimer) fire() {
	if c := t.call.Load(); c != nil {
		c.check()
	}
}

func (t *callTimer) reset(wait time.Duration) {
	t.set.Store(int64(wait))
	t.timer.Reset(wait)
}
