package supervise

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// A death, or a failed restart, that is noticed after the end decides nothing.
func TestNothingIsDecidedAfterTheEnd(t *testing.T) {
	l := New("memory", &Config{}, nil)
	l.OnConnectionClosed(func(error) { t.Error("announced") })
	l.mu.Lock()
	l.end(closedError("memory"))
	l.mu.Unlock()

	dead := &generation{settled: make(chan struct{})}
	follows, announced := l.decideDeath(dead, errors.ErrPeerLost)
	require.Equal(t, ended, follows)
	require.Nil(t, announced)
	require.False(t, dead.announced, "that is left to Close")
	require.Equal(t, ended, l.decideFailure(errors.ErrStartFailed))
	require.Zero(t, l.budget.spent)
	require.ErrorIs(t, l.Err(), errors.ErrTransportClosed)
}
