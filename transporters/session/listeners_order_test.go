package session_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// TestAStateIsToldBeforeTheDrainThatFollowsIt: whoever sees the session ready and
// closes it at once hears of that in this order.
func TestAStateIsToldBeforeTheDrainThatFollowsIt(t *testing.T) {
	for range 300 {
		s := session.New("peer", session.Settings{}, modernLink(t))
		var h told
		closed := make(chan struct{})
		s.OnState(func(_ transporters.Source, change transporters.StateChange) { h.Add("%v", change.To) })
		s.OnDrain(func(transporters.Source) { h.Add("drain") })
		s.OnClose(func(transporters.Source, error) { close(closed) })
		require.NoError(t, s.Start())
		for s.State() != transporters.StateReady {
			runtime.Gosched()
		}
		require.NoError(t, s.Close())
		<-closed
		require.Equal(t, []string{"starting", "ready", "drain", "closed"}, h.All())
	}
}
