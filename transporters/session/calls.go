package session

import (
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// keptCalls is how many calls are kept for further requests. Where each caller
// makes one call after the other few are unused at any time, however many callers
// there are.
const keptCalls = 64

// calls holds the requests that have not returned, and refuses new ones once the
// session is to end. They are linked through themselves, so that holding one
// costs nothing. Finished ones that may be used again are kept likewise: in a
// sync.Pool they could not be, since the connection's context knows theirs.
type calls struct {
	mu      sync.Mutex
	first   *call
	running int64
	refused bool
	drained chan struct{} // made by refuse

	unused *call
	kept   int

	deadlines deadlines
}

// take returns a call that was used before, or nil.
func (c *calls) take() *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.unused
	if taken != nil {
		c.unused, taken.next = taken.next, nil
		c.kept--
	}
	return taken
}

func (c *calls) enter(entering *call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused {
		return notSent(errors.ErrTransportClosed)
	}
	c.running++
	entering.isRunning = true
	c.link(entering)
	return nil
}

// watch has the deadlines of what is no request looked at.
func (c *calls) watch(watched *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link(watched)
}

func (c *calls) link(entering *call) {
	entering.isWatched = true
	if entering.next = c.first; c.first != nil {
		c.first.previous = entering
	}
	c.first = entering
	if wait := entering.untilNext(0); wait > 0 {
		c.deadlines.within(entering.created, wait, c)
	}
}

// leave takes a call out, if it had entered, and keeps it for another request if
// that is possible.
func (c *calls) leave(leaving *call, isRecyclable bool) (kept bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if leaving.isWatched {
		c.unlink(leaving)
	}
	if !isRecyclable || c.refused || c.kept == keptCalls || leaving.ctx.Err() != nil {
		return false
	}
	leaving.reset()
	leaving.next, c.unused = c.unused, leaving
	c.kept++
	return true
}

func (c *calls) unlink(leaving *call) {
	if leaving.next != nil {
		leaving.next.previous = leaving.previous
	}
	if leaving.previous != nil {
		leaving.previous.next = leaving.next
	} else {
		c.first = leaving.next
	}
	leaving.next, leaving.previous = nil, nil
	leaving.isWatched = false
	if c.refused && c.first == nil {
		c.deadlines.stop()
	}
	if !leaving.isRunning {
		return
	}
	leaving.isRunning = false
	c.running--
	if c.refused && c.running == 0 {
		close(c.drained)
	}
}

// refuse lets no further call in and returns a channel that is closed when the
// last one has left.
func (c *calls) refuse() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.refused {
		c.refused, c.unused, c.kept = true, nil, 0
		c.drained = make(chan struct{})
		if c.running == 0 {
			close(c.drained)
		}
		if c.first == nil {
			c.deadlines.stop()
		}
	}
	return c.drained
}

// check looks at the deadlines of all that run. Who follows a call's context is
// told under the lock.
func (c *calls) check() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadlines.fired()
	now, next := time.Now(), time.Duration(0)
	for running := c.first; running != nil; running = running.next {
		if wait := running.check(now); wait > 0 && (next == 0 || wait < next) {
			next = wait
		}
	}
	if next > 0 {
		c.deadlines.within(now, next, c)
	}
}

// end ends those that run. Who follows a call's context is told under the lock.
func (c *calls) end(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for running := c.first; running != nil; running = running.next {
		running.end(cause)
	}
}

func (c *calls) count() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}

// abort cancels the call whose present attempt has the id, under the lock, so that
// it is the one that was found.
func (c *calls) abort(id mcp.ID) {
	number, ok := id.Uint64()
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for running := c.first; running != nil; running = running.next {
		if running.attempt.Load() == number && running.session.wireID(number) == string(id) {
			running.end(errors.ErrAborted)
			return
		}
	}
}

// Abort ends the running request, or the subscription, that has this id on the
// wire: its caller gets an error that wraps ErrAborted, of kind KindCanceled, and
// the server is told as of any request that is given up (R119, R064, R090); no
// other request notices. An id that is not known, was answered or aborted already,
// does nothing. Number and string are told apart, as they are by id_type.
//
// Hooks are told the ids (AttemptInfo), and errors have them. A call that has not
// been sent yet, or waits between two attempts, has none, or that of the attempt
// before.
func (s *Session) Abort(id mcp.ID) {
	s.calls.abort(id)
	s.subscriptions.abort(id)
}
