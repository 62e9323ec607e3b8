package transporters

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// Handle is the place of a listener.
type Handle struct {
	gone   atomic.Bool
	remove func(*Handle)
}

// Dispose takes the listener away: it is not called again, not even for what has
// happened already; a call that is running is not waited for. Idempotent, and
// callable from anywhere, from the listener too.
func (h *Handle) Dispose() {
	if h.gone.CompareAndSwap(false, true) && h.remove != nil {
		h.remove(h)
	}
}

// chain is the listeners of one kind, in the order they were added. Reading it
// takes no lock.
type chain[F any] struct {
	mu     sync.Mutex // held by writers
	places atomic.Pointer[[]place[F]]
}

type place[F any] struct {
	handle *Handle
	call   F
}

func (c *chain[F]) load() []place[F] {
	if places := c.places.Load(); places != nil {
		return *places
	}
	return nil
}

func (c *chain[F]) isEmpty() bool { return len(c.load()) == 0 }

func (c *chain[F]) add(call F) *Handle {
	c.mu.Lock()
	defer c.mu.Unlock()
	added := &Handle{remove: c.remove}
	places := append(slices.Clip(c.load()), place[F]{added, call})
	c.places.Store(&places)
	return added
}

func (c *chain[F]) remove(h *Handle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := slices.DeleteFunc(slices.Clone(c.load()), func(p place[F]) bool { return p.handle == h })
	c.places.Store(&left)
}

// each visits the listeners, leaving out those that are disposed of meanwhile.
func (c *chain[F]) each() iter.Seq[F] {
	return func(yield func(F) bool) {
		for _, p := range c.load() {
			if !p.handle.gone.Load() && !yield(p.call) {
				return
			}
		}
	}
}
