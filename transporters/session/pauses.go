package session

import (
	"sync"
	"sync/atomic"
	"time"
)

// pauses measures the time that handlers take to answer the server: mostly
// people who are asked. It counts against no deadline (P53).
//
// It is made when a handler first runs: few sessions ever have one.
type pauses struct{ made atomic.Pointer[pauseTimes] }

type pauseTimes struct {
	mu    sync.Mutex
	open  int
	since time.Time    // when the first of the open ones began
	total atomic.Int64 // nanoseconds of those that ended; written with mu held
	ended time.Time    // when the last one ended
}

func (p *pauses) begin() {
	if p.made.Load() == nil {
		p.made.CompareAndSwap(nil, new(pauseTimes))
	}
	p.made.Load().begin()
}

func (p *pauses) end() { p.made.Load().end() } // it has begun

// state returns whether a handler is running, how long handlers ran in all
// before, and when the last one ended.
func (p *pauses) state() (open bool, total time.Duration, ended time.Time) {
	if made := p.made.Load(); made != nil {
		return made.state()
	}
	return false, 0, time.Time{}
}

// total returns how long handlers ran in all before.
func (p *pauses) total() time.Duration {
	if made := p.made.Load(); made != nil {
		return time.Duration(made.total.Load())
	}
	return 0
}

// Pause implements pause.Pauser.
func (p *pauses) Pause() (resume func()) {
	p.begin()
	return p.end
}

func (p *pauseTimes) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == 0 {
		p.since = time.Now()
	}
	p.open++
}

func (p *pauseTimes) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	if p.open == 0 {
		p.ended = time.Now()
		p.total.Add(int64(p.ended.Sub(p.since)))
	}
}

func (p *pauseTimes) state() (open bool, total time.Duration, ended time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open > 0, time.Duration(p.total.Load()), p.ended
}
