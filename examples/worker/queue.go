package main

import (
	"context"
	"sync"
	"time"
)

// job is one piece of work.
type job struct {
	ID   int
	Text string
	// Repeatable: doing it twice is as good as once.
	Repeatable bool
	// Tries is how often it was tried.
	Tries int
}

// queue stands for the one that you have: jobs are taken, and done, put back or
// given up.
type queue struct {
	jobs chan job

	mu         sync.Mutex
	open       int // jobs that are neither done nor given up
	well, lost int
	empty      chan struct{} // closed when there are no more
}

func newQueue(size int) *queue { return &queue{jobs: make(chan job, size), empty: make(chan struct{})} }

// add adds a job; there is a place for it.
func (q *queue) add(j job) {
	q.mu.Lock()
	q.open++
	q.mu.Unlock()
	q.jobs <- j
}

// take waits for a job; ok is false if there are no more, or ctx has ended.
func (q *queue) take(ctx context.Context) (j job, ok bool) {
	if ctx.Err() != nil {
		return job{}, false
	}
	select {
	case j := <-q.jobs:
		return j, true
	case <-q.empty:
		return job{}, false
	case <-ctx.Done():
		return job{}, false
	}
}

// putBack has a job come again after a while.
func (q *queue) putBack(j job, after time.Duration) {
	j.Tries++
	time.AfterFunc(after, func() { q.jobs <- j }) // its place is still free
}

func (q *queue) done()   { q.end(&q.well) }
func (q *queue) giveUp() { q.end(&q.lost) }

func (q *queue) end(count *int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	*count++
	if q.open--; q.open == 0 {
		close(q.empty)
	}
}

func (q *queue) counts() (done, givenUp int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.well, q.lost
}
