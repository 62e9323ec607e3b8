package transporters_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

type key string

// starts has one method of a hook, states another one.
type starts struct {
	name string
	seen *[]string
}

func (s starts) OnRequestStart(ctx context.Context, r *transporters.RequestInfo) context.Context {
	*s.seen = append(*s.seen, s.name+" "+r.Action)
	if s.name == "keeps" {
		return nil
	}
	return context.WithValue(ctx, key(s.name), r.Action)
}

type states struct{ seen *[]string }

func (s states) OnStateChange(_ transporters.Source, change transporters.StateChange) {
	*s.seen = append(*s.seen, change.To.String())
}

// TestHooksAreSortedByWhatTheyAreTold, and called in their order, each with the
// context of the one before.
func TestHooksAreSortedByWhatTheyAreTold(t *testing.T) {
	var seen []string
	hooks, err := transporters.NewHooks(starts{"one", &seen}, states{&seen}, starts{"keeps", &seen}, starts{"two", &seen})
	require.NoError(t, err)
	ctx := hooks.RequestStart(t.Context(), &transporters.RequestInfo{Action: "x"})
	assert.Equal(t, "x", ctx.Value(key("one")))
	assert.Equal(t, "x", ctx.Value(key("two")))
	hooks.StateChange(a, transporters.StateChange{To: transporters.StateReady})
	assert.Equal(t, []string{"one x", "keeps x", "two x", "ready"}, seen)
	assert.True(t, hooks.WantRequests())
	assert.True(t, hooks.WantStates())
	assert.False(t, hooks.WantAttempts())
	assert.False(t, hooks.WantConnections())
	assert.False(t, hooks.WantNotifications())
	assert.False(t, hooks.WantErrors())
}

// almost has a method of a hook with other arguments.
type almost struct{}

func (almost) OnRequestStart(context.Context, string) context.Context { return nil }

// TestWhatIsNoHookIsRefused: it would never be called.
func TestWhatIsNoHookIsRefused(t *testing.T) {
	for _, hook := range []transporters.Hook{almost{}, nil, "text"} {
		_, err := transporters.NewHooks(states{}, hook)
		require.ErrorContains(t, err, "hook 2")
	}
	none, err := transporters.NewHooks()
	require.NoError(t, err)
	for _, hooks := range []*transporters.Hooks{none, nil} {
		assert.False(t, hooks.WantRequests() || hooks.WantAttempts() || hooks.WantConnections() ||
			hooks.WantStates() || hooks.WantNotifications() || hooks.WantErrors())
	}
}

// TestTrail numbers the attempts over all requests of a call, and counts why they
// were made.
func TestTrail(t *testing.T) {
	trail := &transporters.Trail{}
	attempt := func(reason transporters.AttemptReason) int {
		a := &transporters.AttemptInfo{Reason: reason, ID: mcp.NumberID(7)}
		trail.Attempt(a)
		return a.Number
	}
	assert.False(t, trail.Begin("tools/call"))
	assert.Equal(t, 1, attempt(transporters.AttemptFirst))
	assert.Equal(t, 2, attempt(transporters.AttemptSessionRecovered))
	assert.True(t, trail.Begin("tools/call"), "once more")
	assert.Equal(t, 3, attempt(transporters.AttemptRetry))
	assert.Equal(t, 4, attempt(transporters.AttemptResent))
	assert.Equal(t, 5, attempt(transporters.AttemptReplayed))
	assert.Equal(t, 6, attempt(transporters.AttemptInput))
	assert.False(t, trail.Begin("tasks/get"), "another request of the same call")
	outcome := trail.Outcome()
	assert.Equal(t, transporters.RequestOutcome{
		Attempts: 6, Retries: 1, SessionRecoveries: 1, Resends: 2, Rounds: 1,
		Last: transporters.AttemptInfo{Number: 6, Reason: transporters.AttemptInput, ID: mcp.NumberID(7)},
	}, outcome)
}

func TestNamesOfReasons(t *testing.T) {
	seen := map[string]bool{}
	for r := transporters.AttemptFirst; r <= transporters.AttemptVisited; r++ {
		assert.False(t, seen[r.String()], r)
		seen[r.String()] = true
	}
	assert.Equal(t, "first", transporters.AttemptReason(200).String())
	assert.Equal(t, []string{"first", "restart", "session lost", "renegotiate"}, []string{
		transporters.ConnectFirst.String(), transporters.ConnectRestart.String(),
		transporters.ConnectSessionLost.String(), transporters.ConnectRenegotiate.String()})
}
