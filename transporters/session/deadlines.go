package session

import "time"

// deadlines is one timer for the deadlines of all calls. Nearly every call is
// answered long before its deadlines, so that a timer for each would be set and
// stopped for nothing, and that is a good part of a short call. This one is set only
// for a deadline that comes before all others; it goes on running when the call
// leaves, and when it fires it is set for whichever comes next. If nothing runs then
// it stays off until the next call.
//
// The zero value is ready. It is guarded by the mutex of calls.
type deadlines struct {
	timer *time.Timer // nil before the first deadline
	due   time.Time   // when it fires, if isSet
	isSet bool
}

// within has c.check called no later than wait after from. It takes no function, which
// would be made for each call.
func (d *deadlines) within(from time.Time, wait time.Duration, c *calls) {
	if d.isSet && d.due.Sub(from) <= wait {
		return
	}
	d.due, d.isSet = from.Add(wait), true
	if d.timer == nil {
		d.timer = time.AfterFunc(wait, c.check)
		return
	}
	d.timer.Reset(wait)
}

// fired is for calls.check, which decides what is next.
func (d *deadlines) fired() { d.isSet = false }

// stop is for when no call runs and none will.
func (d *deadlines) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
	d.isSet = false
}
