package policy

import (
	"context"
	"sync"
	"time"
)

// TurnStore hands out the turns of rates that several programs share
// (limits.shared). It is safe for concurrent use, and its clock is its own. A store
// must not hang: its context ends after a short while. An error makes a rate hold
// for each program alone.
type TurnStore interface {
	// Turn takes the next turn under the key and returns how long to wait for it; 0
	// is now. perSecond turns come in a second, burst of them at once after a quiet
	// time; both are positive. A turn that comes later than longest is not taken:
	// taken is false then, and wait how long it would be.
	Turn(ctx context.Context, key string, perSecond float64, burst int, longest time.Duration) (wait time.Duration, taken bool, err error)
}

// MemoryTurns is the TurnStore in memory. Its zero value is ready.
type MemoryTurns struct {
	mu sync.Mutex
	// next is when the turn after those that were taken would come, had there been
	// no burst (the generic cell rate algorithm).
	next map[string]time.Time
}

var _ TurnStore = (*MemoryTurns)(nil)

// Turn implements TurnStore.
func (m *MemoryTurns) Turn(_ context.Context, key string, perSecond float64, burst int, longest time.Duration) (wait time.Duration, taken bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	pace := time.Duration(float64(time.Second) / perSecond)
	next := m.next[key]
	if next.Before(now) {
		next = now
	}
	wait = max(0, next.Sub(now)-time.Duration(burst-1)*pace)
	if wait > longest {
		return wait, false, nil
	}
	if m.next == nil {
		m.next = map[string]time.Time{}
	}
	m.next[key] = next.Add(pace)
	return wait, true, nil
}
