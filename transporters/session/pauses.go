package session

import (
	"sync"
	"time"
)

// pauses measures the time that handlers take to answer the server: mostly
// people who are asked. It counts against no deadline (P53).
type pauses struct {
	mu    sync.Mutex
	open  int
	since time.Time     // when the first of the open ones began
	total time.Duration // of those that ended
	ended time.Time     // when the last one ended
}

func (p *pauses) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == 0 {
		p.since = time.Now()
	}
	p.open++
}

func (p *pauses) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	if p.open == 0 {
		p.ended = time.Now()
		p.total += p.ended.Sub(p.since)
	}
}

// Pause implements pause.Pauser.
func (p *pauses) Pause() (resume func()) {
	p.begin()
	return p.end
}

// state returns whether a handler is running, how long handlers ran in all
// before, and when the last one ended.
func (p *pauses) state() (open bool, total time.Duration, ended time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open > 0, p.total, p.ended
}
