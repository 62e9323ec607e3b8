package httplink

import (
	"context"
	"sync"
)

// exchanges holds the exchanges of a link, which end with it. They are linked
// through themselves, so that holding one costs nothing. The zero value is empty.
type exchanges struct {
	mu    sync.Mutex
	first *exchange
	cause error // why all were ended, and every later one is at once
}

func (e *exchanges) add(x *exchange) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cause != nil {
		x.cancel(e.cause)
	}
	if x.next = e.first; x.next != nil {
		x.next.previous = x
	}
	e.first = x
}

func (e *exchanges) remove(x *exchange) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if x.next != nil {
		x.next.previous = x.previous
	}
	if x.previous != nil {
		x.previous.next = x.next
	} else if e.first == x {
		e.first = x.next
	}
	x.next, x.previous = nil, nil
}

// end ends all of them, and those to come. Cancelling calls code of the standard
// library only.
func (e *exchanges) end(life context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cause = context.Cause(life)
	for x := e.first; x != nil; x = x.next {
		x.cancel(e.cause)
	}
}
