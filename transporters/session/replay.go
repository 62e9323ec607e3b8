package session

import (
	"context"
	"slices"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Requests that were lost with their peer may be sent again to its replacement,
// if the configuration says so and they only read state. Each waits with a
// ticket. When the replacement serves, the tickets are released in the order of
// their ids, one after the other's frame was accepted: waking all at once would
// let them overtake each other.

// ticket is a lost request that waits for a replacement.
type ticket struct {
	id      uint64
	release chan *peer    // capacity 1
	sent    chan struct{} // closed when the frame was accepted, or nothing more will come of it
	once    sync.Once
}

func (t *ticket) settle() { t.once.Do(func() { close(t.sent) }) }

// tickets are all lost requests of a session.
type tickets struct {
	mu      sync.Mutex
	waiting map[uint64]*ticket
}

func (t *tickets) add(id uint64) *ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting = map[uint64]*ticket{}
	}
	lost := &ticket{id: id, release: make(chan *peer, 1), sent: make(chan struct{})}
	t.waiting[id] = lost
	return lost
}

func (t *tickets) remove(lost *ticket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting[lost.id] == lost {
		delete(t.waiting, lost.id)
	}
}

// takeAll empties the list and returns it in the order of the ids.
func (t *tickets) takeAll() []*ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]*ticket, 0, len(t.waiting))
	for _, lost := range t.waiting {
		all = append(all, lost)
	}
	clear(t.waiting)
	slices.SortFunc(all, func(a, b *ticket) int {
		if a.id < b.id {
			return -1
		}
		return 1
	})
	return all
}

// mayReplay reports whether a request that was lost with its peer is sent again:
// one of the eight that only read state, and no continuation of rounds, whose
// answers are good for one time (never tools/call).
func (s *Session) mayReplay(c *call, last *peer, err error) bool {
	return s.retryLost && mcp.IsStateReading(c.action) && !c.params.IsContinuation() &&
		errors.Is(err, errors.ErrPeerLost) && c.ctx.Err() == nil && s.isReplaced(last)
}

// isReplaced reports whether a replacement of a lost peer is promised, or has
// come already: the caller of a lost exchange may be slow to learn of its end.
func (s *Session) isReplaced(last *peer) bool {
	return s.reconnecting != nil && (s.isReplacing() || s.current.Load() != last && !spent(s.link))
}

// replacementOf returns the peer that serves in the place of a lost one, or nil.
func (s *Session) replacementOf(last *peer) *peer {
	if s.isReplacing() {
		return nil // the current peer is then the lost one, or not quite ready
	}
	if p := s.current.Load(); p != last && p.usable() {
		return p
	}
	return nil
}

// isReplacing reports whether a replacement of the peer is promised. It is true
// before a lost exchange returns.
func (s *Session) isReplacing() bool { return s.reconnecting != nil && s.reconnecting.IsReconnecting() }

// awaitReplay waits for the replacement, under the call's own deadline.
func (s *Session) awaitReplay(c *call, last *peer, lost error) (*peer, error) {
	c.replay = s.tickets.add(c.id)
	defer s.tickets.remove(c.replay)
	if p := s.replacementOf(last); p != nil {
		return p, nil // the tickets may have been released before this one was there
	}
	select {
	case p := <-c.replay.release:
		return p, nil
	case <-c.ctx.Done():
		c.replay.settle()
		return nil, context.Cause(c.ctx)
	case <-s.link.Done():
		c.replay.settle()
		return nil, because(s.link.Err(), lost)
	}
}

// reconnected is told that a replacement serves: the lost requests go first,
// then the subscriptions.
func (s *Session) reconnected() {
	s.counters.restarts.Add(1)
	s.counters.connectFailure.Store(nil)
	s.changed()
	s.tasks.start(func() {
		p := s.current.Load()
		for _, lost := range s.tickets.takeAll() {
			lost.release <- p
			select {
			case <-lost.sent:
			case <-p.link.Done():
			case <-s.ctx.Done():
				return
			}
		}
		s.arrivals.announce()
	})
}

// WithRetryLostRequests sends a request that only reads state again, under the
// same id, if the process that had it died and is being replaced: at least once
// rather than at most once. It is off by default, has no effect without
// supervision, and never applies to tools/call.
func WithRetryLostRequests(retry bool) Option {
	return func(s *Session) { s.retryLost = retry }
}
