package session

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/sleep"
)

// The pauses of those who wait for a peer on their own account.
const (
	minRepeatPause = 500 * time.Millisecond
	maxRepeatPause = 30 * time.Second
)

// arrivals tells those who wait that a new peer serves.
type arrivals struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns a channel that is closed at the next arrival.
func (a *arrivals) wait() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next == nil {
		a.next = make(chan struct{})
	}
	return a.next
}

func (a *arrivals) announce() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next != nil {
		close(a.next)
		a.next = nil
	}
}

// retire marks a peer as no longer usable, and reports whether this call was the
// first to do so. reason is why.
func (s *Session) retire(p *peer, reason error) bool {
	if !p.retire() {
		return false
	}
	s.disconnected(p, s.failure(reason, "", nil))
	s.changed()
	return true
}

// forgotten is retire for a session that the server no longer knows.
func (s *Session) forgotten(p *peer) bool {
	p.forgotten.Store(true)
	if !s.retire(p, errors.ErrSessionLost) {
		return false
	}
	s.counters.sessionsLost.Add(1)
	return true
}

// nextPeer waits for a peer on which a subscription can be opened again. A
// process is not started for its sake: if replacements are made on demand, it
// waits until somebody calls. Over HTTP a lost session is initialized again, at
// once, and any other peer asked again after a pause. failures counts those
// before, in a row: the pause doubles with them, and holds for lost sessions too.
func (s *Session) nextPeer(ctx context.Context, last *peer, failures int) (*peer, error) {
	if s.reconnecting != nil {
		return s.replacement(ctx, last)
	}
	for ; ; failures++ {
		var stale *peer
		if !last.usable() {
			stale = last
		}
		if stale == nil || failures > 0 {
			if err := sleep.For(ctx, min(minRepeatPause<<min(max(failures-1, 0), 10), maxRepeatPause)); err != nil {
				return nil, err
			}
		}
		p, err := s.connected(ctx, stale)
		if err == nil || ctx.Err() != nil || spent(s.link) {
			return p, err
		}
	}
}

func (s *Session) replacement(ctx context.Context, last *peer) (*peer, error) {
	for {
		arrived := s.arrivals.wait()
		if p := s.current.Load(); p != nil && p != last && p.usable() {
			return p, nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-s.link.Done():
			return nil, s.link.Err()
		}
	}
}
