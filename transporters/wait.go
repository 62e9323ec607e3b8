package transporters

import (
	"context"
	"time"
)

// statePoll is how often a base that cannot tell of changes is looked at.
const statePoll = 20 * time.Millisecond

// WaitForState waits until the base is in the state, or ctx ends, whose cause it
// returns then. A base with a WaitForState of its own is left to it; others are
// looked at every 20 ms. A state that was passed through while nobody looked is
// missed.
func WaitForState(ctx context.Context, base Base, state State) error {
	if waiting, ok := base.(interface {
		WaitForState(context.Context, State) error
	}); ok {
		return waiting.WaitForState(ctx, state)
	}
	ticker := time.NewTicker(statePoll)
	defer ticker.Stop()
	for base.State() != state {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
