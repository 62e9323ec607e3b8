package supervise

import "time"

// budget counts restarts (supervised) or deaths (on demand) over a tumbling
// window. The window opens at the first one counted, so up to 2*limit-1 can
// fall within one window's length across the edge of two. It is not safe for
// concurrent use.
type budget struct {
	limit  int
	window time.Duration

	opened time.Time // with the monotonic clock, so a clock step is harmless
	spent  int
}

// spend counts one more and returns its number within the window, and whether
// the limit allows it. One that comes strictly later than the window's length
// opens a fresh window.
func (b *budget) spend(now time.Time) (number int, within bool) {
	if b.spent == 0 || b.over(now) {
		b.opened, b.spent = now, 0
	}
	b.spent++
	return b.spent, b.spent <= b.limit
}

// exhausted returns how long it takes until the window is over, or 0 if the
// limit has not been passed or the window is over already.
func (b *budget) exhausted(now time.Time) time.Duration {
	if b.spent <= b.limit || b.over(now) {
		return 0
	}
	return b.window - now.Sub(b.opened) + 1 // the edge itself belongs to the window
}

func (b *budget) over(now time.Time) bool { return now.Sub(b.opened) > b.window }
