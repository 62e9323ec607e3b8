package session

import (
	"context"
	"sync"
	"time"
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

// nextPeer waits for a peer on which a subscription can be opened again. A
// process is not started for its sake: if replacements are made on demand, it
// waits until somebody calls. Over HTTP the same peer is asked again after a
// pause, and a lost session initialized again.
func (s *Session) nextPeer(ctx context.Context, last *peer) (*peer, error) {
	if s.reconnecting != nil {
		return s.replacement(ctx, last)
	}
	for pause := minRepeatPause; ; pause = min(2*pause, maxRepeatPause) {
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
		var stale *peer
		if !last.usable() {
			stale = last
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
