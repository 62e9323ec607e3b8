package transporters_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// changing is a base whose state changes with time.
type changing struct {
	transporters.Base
	readyAt time.Time
}

func (c changing) State() transporters.State {
	if time.Now().Before(c.readyAt) {
		return transporters.StateStarting
	}
	return transporters.StateReady
}

func TestWaitForState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		base := changing{readyAt: start.Add(time.Second)}
		require.NoError(t, transporters.WaitForState(t.Context(), base, transporters.StateReady))
		require.Equal(t, time.Second, time.Since(start))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, transporters.WaitForState(ctx, base, transporters.StateClosed), context.DeadlineExceeded)
	})
}

// telling is a base that tells of its changes.
type telling struct {
	changing
	transporters.Observers
}

// TestWaitForStateIsTold: it does not look before, and leaves nothing behind.
func TestWaitForStateIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		base := &telling{changing: changing{readyAt: start.Add(1500 * time.Millisecond)}}
		time.AfterFunc(1700*time.Millisecond, func() { base.TellState(a, transporters.StateChange{To: transporters.StateReady}) })
		require.NoError(t, transporters.WaitForState(t.Context(), base, transporters.StateReady))
		require.Equal(t, 1700*time.Millisecond, time.Since(start))
	})
}
