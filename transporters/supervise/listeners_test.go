package supervise_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A close listener that panics neither saves the peer nor stops supervision,
// and the others still hear.
func TestPanicInACloseListener(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.OnConnectionClosed(func(error) { panic(errBroken) })
		heard := 0
		w.OnConnectionClosed(func(error) { heard++ })
		w.kill(1)
		require.True(t, w.link(1).isClosed(), "23")
		require.Len(t, w.reported(), 1)
		require.ErrorIs(t, w.reported()[0], errBroken, "what was thrown is told")
		require.ErrorContains(t, w.reported()[0], `mcp server "memory": OnConnectionClosed listener: panic: broken`)
		pass(restartDelay)
		require.NoError(t, w.Connect(t.Context()), "24")
		require.Equal(t, 1, heard)
		require.Contains(t, w.logged(), "listeners.go", "the stack is in the log")
	})
}

// A close listener that panics at the extra close is reported as well.
func TestPanicOnTheExtraClose(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.OnConnectionClosed(func(error) { panic("extra") })
		w.kill(1)
		w.shut()
		pass(time.Hour)
		require.Len(t, w.reported(), 2)
		require.ErrorContains(t, w.reported()[1], "extra")
		require.Zero(t, w.open())
	})
}

// A reconnect listener that panics is reported, the chain goes on.
func TestPanicInAReconnectListener(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		heard := 0
		w.OnReconnect(func() { panic("cannot restore") })
		w.OnReconnect(func() { heard++ })
		w.killAndReplace(1)
		require.Equal(t, 1, heard)
		require.Len(t, w.reported(), 1)
		require.ErrorContains(t, w.reported()[0], "OnReconnect listener: panic: cannot restore")
		w.killAndReplace(2)
		require.Equal(t, 2, heard)
	})
}

// The next peer is not dialled before the close listeners have returned, so
// that what belonged to the old one can be dropped first.
func TestCloseListenersReturnBeforeTheNextDial(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		release := make(chan struct{})
		w.OnConnectionClosed(func(error) { <-release })
		w.kill(1)
		pass(time.Hour)
		require.Equal(t, 1, w.dialled())
		close(release)
		pass(restartDelay)
		require.Equal(t, 2, w.dialled())
	})
}
