package httplink

import (
	"context"
	"fmt"
	"sync"
)

// tails counts what is done in the background, foremost the reading of streams
// behind their answers, so that Close can wait for it.
type tails struct {
	mu     sync.Mutex
	count  int
	closed bool
	idle   chan struct{} // made with closed, and closed when count is 0
}

// begin reports whether another tail may be read.
func (t *tails) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.count++
	return true
}

func (t *tails) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count--
	if t.closed && t.count == 0 {
		close(t.idle)
	}
}

// close lets no more begin and waits for those that have. It may be called by
// many.
func (t *tails) close(ctx context.Context) error {
	t.mu.Lock()
	if !t.closed {
		t.closed, t.idle = true, make(chan struct{})
		if t.count == 0 {
			close(t.idle)
		}
	}
	t.mu.Unlock()
	select {
	case <-t.idle:
		return nil
	default:
	}
	select {
	case <-t.idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("http link: waiting for streams to end: %w", context.Cause(ctx))
	}
}
