// Package dispatch calls listeners: code of the user's that may take as long as
// it likes, fail, and call back.
//
// A Queue calls one after the other, in order, on a goroutine that lives only
// while there is something to do. Nobody waits for it but who asks to, with a
// limit. IsListener tells whether the present goroutine is such a one, so that
// what would wait for itself need not.
package dispatch

import (
	"runtime/debug"
	"sync"
)

// The bounds of what may wait: calls, and bytes of the messages that they hold.
const (
	maxWaiting = 1024
	maxBytes   = 8 << 20
)

// Queue is a line of calls. The zero value is ready for use; it is safe for
// concurrent use.
type Queue struct {
	// OnPanic, if not nil, is told of a call that panicked; it must not panic
	// itself. The calls behind it are made all the same. Set before the first
	// use.
	OnPanic func(value any, stack []byte)

	mu      sync.Mutex
	waiting []call
	bytes   int
	offers  int // of those that wait
	running bool
	closed  bool
}

// call is one that waits. Offers are dropped when the queue is closed.
type call struct {
	run   func()
	size  int
	offer bool
	done  chan struct{} // nil: nobody wants to know
}

// Offer puts a call in line that holds size bytes of the peer's. It returns false
// if too much waits already, or after Close.
func (q *Queue) Offer(size int, run func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.offers >= maxWaiting || q.bytes > 0 && q.bytes+size > maxBytes {
		return false
	}
	q.add(call{run: run, size: size, offer: true})
	return true
}

// Post puts a call in line that must be made, however much waits, also after
// Close. The channel is closed when it has returned.
func (q *Queue) Post(run func()) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	done := make(chan struct{})
	q.add(call{run: run, done: done})
	return done
}

// add appends a call, and begins to work if nobody does. q.mu is held.
func (q *Queue) add(next call) {
	q.waiting = append(q.waiting, next)
	q.bytes += next.size
	if next.offer {
		q.offers++
	}
	if !q.running {
		q.running = true
		go q.run()
	}
}

// run makes the calls until none is left. IsListener knows it by its name.
func (q *Queue) run() {
	for next, ok := q.take(); ok; next, ok = q.take() {
		q.guard(next)
	}
}

func (q *Queue) take() (call, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.running = false
		q.waiting = nil
		return call{}, false
	}
	next := q.waiting[0]
	q.waiting[0] = call{}
	q.waiting = q.waiting[1:]
	q.forget(next)
	return next, true
}

// forget takes a call out of the account. q.mu is held.
func (q *Queue) forget(gone call) {
	q.bytes -= gone.size
	if gone.offer {
		q.offers--
	}
}

// guard makes one call. Its panic ends it alone.
func (q *Queue) guard(next call) {
	defer func() {
		if value := recover(); value != nil && q.OnPanic != nil {
			q.OnPanic(value, debug.Stack())
		}
		if next.done != nil {
			close(next.done)
		}
	}()
	next.run()
}

// Close refuses further offers and drops those that wait. It waits for nothing.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	kept := q.waiting[:0]
	for _, next := range q.waiting {
		if next.offer {
			q.forget(next)
			continue
		}
		kept = append(kept, next)
	}
	clear(q.waiting[len(kept):])
	q.waiting = kept
}
