package httplink

import (
	"context"
	"sync"
	"time"
)

// ending is the cancellation of an exchange's context. net/http derives a context
// of its own from that of every request. Were this one made by the context package
// it would cost five allocations, among them a map in each of two parents; this one
// is part of the exchange, and knows its one child, as a rule, without a map.
//
// The zero value has not ended. All methods are safe for concurrent use.
type ending struct {
	mu       sync.Mutex
	done     chan struct{} // made by Done
	cause    error         // why it ended; nil before
	follower follower      // what AfterFunc was told first
}

// follower is a function to be called at the end.
type follower struct {
	call func() // nil: it was stopped, or is free
	uses int    // how often the place was taken
	next *follower
}

// Done implements context.Context.
func (e *ending) Done() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done == nil {
		e.done = make(chan struct{})
		if e.cause != nil {
			close(e.done)
		}
	}
	return e.done
}

// Err implements context.Context. Why it really ended says reason.
func (e *ending) Err() error {
	if e.reason() == nil {
		return nil
	}
	return context.Canceled
}

// Deadline implements context.Context: it has none.
func (e *ending) Deadline() (time.Time, bool) { return time.Time{}, false }

// reason returns why it ended, nil if it has not.
func (e *ending) reason() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cause
}

// cancel ends it, once.
func (e *ending) cancel(cause error) {
	e.mu.Lock()
	if e.cause != nil {
		e.mu.Unlock()
		return
	}
	e.cause = cause
	if e.done != nil {
		close(e.done)
	}
	first := e.follower
	e.follower = follower{}
	e.mu.Unlock()
	for f := &first; f != nil; f = f.next {
		if f.call != nil {
			f.call()
		}
	}
}

// AfterFunc is how the context package derives from a context that is none of its
// own: the function ends the derived one. Those that stop come and go one by one, so
// that a free place at the front is the rule.
func (e *ending) AfterFunc(call func()) (stop func() bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cause != nil {
		go call() // whoever derives may hold a lock that it needs
		return func() bool { return false }
	}
	place := &e.follower
	if place.call != nil {
		place = &follower{next: e.follower.next}
		e.follower.next = place
	}
	place.call = call
	place.uses++
	use := place.uses
	return func() bool { return e.stop(place, use) }
}

// stop frees the place of a function that is not to be called any more. It returns
// false if that is too late.
func (e *ending) stop(place *follower, use int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cause != nil || place.call == nil || place.uses != use {
		return false
	}
	place.call = nil
	for before := &e.follower; before.next != nil; before = before.next {
		if before.next == place {
			before.next = place.next
			break
		}
	}
	return true
}
