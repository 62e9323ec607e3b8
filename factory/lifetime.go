package factory

import (
	"context"
	"sync/atomic"
	"time"
)

// lifetime is a context that ends with end. A context is made of it only when
// somebody asks for more than its existence: of most slots nobody does. The zero
// value lives; it is safe for concurrent use.
type lifetime struct{ made atomic.Pointer[lasting] }

type lasting struct {
	context.Context
	cancel context.CancelFunc
}

var _ context.Context = (*lifetime)(nil)

func (l *lifetime) context() *lasting {
	if made := l.made.Load(); made != nil {
		return made
	}
	ctx, cancel := context.WithCancel(context.Background())
	if !l.made.CompareAndSwap(nil, &lasting{ctx, cancel}) {
		cancel()
	}
	return l.made.Load()
}

func (l *lifetime) end() { l.context().cancel() }

// Deadline implements context.Context: there is none.
func (l *lifetime) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context.
func (l *lifetime) Done() <-chan struct{} { return l.context().Done() }

// Err implements context.Context.
func (l *lifetime) Err() error {
	if made := l.made.Load(); made != nil {
		return made.Err()
	}
	return nil
}

// Value implements context.Context. It has no values of its own, but package
// context finds by them what it made, and needs no goroutine to follow it then.
func (l *lifetime) Value(key any) any { return l.context().Value(key) }
