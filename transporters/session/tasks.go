package session

import (
	"sync"
	"time"
)

// The bounds of the goroutines that a session runs on its own behalf: handlers
// of the server's requests, and above them, so that those can still be refused
// and cancelled, answers and notices.
const (
	maxServed = 1024
	maxTasks  = maxServed + 256
)

// tasks owns the session's goroutines.
type tasks struct {
	mu      sync.Mutex
	running int
	closed  bool
	idle    chan struct{} // closed when the last one ended after close
}

// start runs f in a goroutine of its own. It returns false, and runs nothing,
// after close or when too many are running.
func (t *tasks) start(f func()) bool { return t.startBelow(maxTasks, f) }

// startBelow is start with a bound of its own.
func (t *tasks) startBelow(bound int, f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.running >= bound {
		return false
	}
	t.running++
	go func() {
		defer t.finish()
		f()
	}()
	return true
}

func (t *tasks) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	if t.closed && t.running == 0 {
		close(t.idle)
	}
}

// close refuses new tasks and waits for the running ones, at most for timeout.
// It is called once and reports whether all have ended.
func (t *tasks) close(timeout time.Duration) bool {
	t.mu.Lock()
	t.closed = true
	t.idle = make(chan struct{})
	if t.running == 0 {
		close(t.idle)
	}
	t.mu.Unlock()

	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-t.idle:
		return true
	case <-timer.C:
		return false
	}
}
