package session

import "sync"

// maxDispatched bounds the listener calls that wait.
const maxDispatched = 1024

// dispatcher calls listeners one at a time, in order, on a goroutine that runs
// only while there is something to do. Nobody waits for it: a listener may take
// as long as it likes, and may close the session.
type dispatcher struct {
	mu      sync.Mutex
	waiting []func()
	running bool
	closed  bool
}

// post puts a call in line. It returns false if too many are waiting, or after
// close.
func (d *dispatcher) post(call func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || len(d.waiting) >= maxDispatched {
		return false
	}
	d.waiting = append(d.waiting, call)
	if !d.running {
		d.running = true
		go d.run()
	}
	return true
}

func (d *dispatcher) run() {
	for {
		d.mu.Lock()
		if len(d.waiting) == 0 {
			d.running = false
			d.mu.Unlock()
			return
		}
		call := d.waiting[0]
		d.waiting[0] = nil
		d.waiting = d.waiting[1:]
		d.mu.Unlock()
		call()
	}
}

// close drops what is waiting. A call that is running is not waited for.
func (d *dispatcher) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	d.waiting = nil
}
