package session

import (
	"sync"
	"sync/atomic"
	"time"
)

// pauses measures the time that handlers take to answer the server: mostly
// people who are asked. It counts against no deadline (P53).
type pauses struct {
	mu    sync.Mutex
	open  int
	since time.Time    // when the first of the open ones began
	total atomic.Int64 // nanoseconds of those that ended; written with mu held
	ended time.Time    // when the last one ended
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
		p.total.Add(int64(p.ended.Sub(p.since)))
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
	return p.open > 0, time.Duration(p.total.Load()), p.ended
}
