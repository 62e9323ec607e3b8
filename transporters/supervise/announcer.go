package supervise

import "sync"

// announcer runs announcements one after the other, in the order in which they
// were posted, in one goroutine that lives while there are any. Nothing that
// decides waits for it.
type announcer struct {
	mu      sync.Mutex
	queue   []announcement
	running bool
}

type announcement struct {
	announce func()
	done     chan struct{}
}

// post queues an announcement and returns a channel that is closed when it was
// made. announce must not panic.
func (a *announcer) post(announce func()) <-chan struct{} {
	next := announcement{announce: announce, done: make(chan struct{})}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = append(a.queue, next)
	if !a.running {
		a.running = true
		go a.run()
	}
	return next.done
}

func (a *announcer) run() {
	for {
		a.mu.Lock()
		if len(a.queue) == 0 {
			a.running = false
			a.mu.Unlock()
			return
		}
		next := a.queue[0]
		a.queue = a.queue[1:]
		a.mu.Unlock()

		next.announce()
		close(next.done)
	}
}
