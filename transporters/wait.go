package transporters

import (
	"context"
	"time"
)

// How often a base is looked at that cannot tell of changes, and one that can, of
// which a part perhaps cannot.
const (
	statePoll     = 20 * time.Millisecond
	statePollSlow = time.Second
)

// WaitForState waits until the base is in the state, or ctx ends, whose cause it
// returns then. A base with a WaitForState of its own is left to it; one that is
// Observable is looked at when it tells of a change, others every 20 ms. A state
// that was passed through while nobody looked is missed.
func WaitForState(ctx context.Context, base Base, state State) error {
	if waiting, ok := base.(interface {
		WaitForState(context.Context, State) error
	}); ok {
		return waiting.WaitForState(ctx, state)
	}
	changed, poll := make(chan struct{}, 1), statePoll
	if observable, ok := base.(Observable); ok {
		poll = statePollSlow
		listeners := NewListeners(nil)
		defer listeners.Detach()
		listeners.OnState(func(Source, StateChange) {
			select {
			case changed <- struct{}{}:
			default:
			}
		})
		observable.Observe(listeners)
	}
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for base.State() != state {
		select {
		case <-changed:
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
