package supervise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// server is a section as the stdio type has it.
type server struct {
	Supervision *supervise.Config `config:"supervision"`
}

// decode returns the group and the keys of all its faults.
func decode(t *testing.T, group any) (*supervise.Config, []string) {
	t.Helper()
	tree := map[string]any{}
	if group != nil {
		tree["supervision"] = group
	}
	cfg, err := config.FromServers(map[string]any{"memory": tree})
	require.NoError(t, err)
	section, ok := cfg.Server("memory")
	require.True(t, ok)
	var decoded server
	faults := section.Decode(&decoded)
	if decoded.Supervision != nil && len(faults) == 0 {
		faults = decoded.Supervision.Check(section)
	}
	var keys []string
	for _, fault := range faults {
		require.NotEmpty(t, fault.Message)
		require.Equal(t, "memory", fault.Server)
		keys = append(keys, fault.Key)
	}
	return decoded.Supervision, keys
}

// Absent is on-demand mode, present has these defaults.
func TestConfigDefaults(t *testing.T) {
	absent, faults := decode(t, nil)
	require.Nil(t, absent)
	require.Empty(t, faults)

	present, faults := decode(t, map[string]any{"retry_lost_requests": true})
	require.Empty(t, faults)
	require.Equal(t, 3, present.MaxRestarts)
	require.Equal(t, "1m0s", present.RestartWindow.String())
	require.Equal(t, "100ms", present.RestartDelay.String())
	require.True(t, present.Backoff.IsOff())
	require.True(t, present.WaitForReconnect.IsOff())
	require.True(t, present.RetryLostRequests)
}

// What makes no sense is refused with its key.
func TestConfigFaults(t *testing.T) {
	tests := map[string]struct {
		key   string
		value any
		also  map[string]any
	}{
		"no restart":                  {key: "max_restarts", value: 0},
		"a negative budget":           {key: "max_restarts", value: -1},
		"a negative delay":            {key: "restart_delay", value: "-1s"},
		"no window":                   {key: "restart_window", value: 0},
		"a negative window":           {key: "restart_window", value: -5},
		"a window that is off":        {key: "restart_window", value: "off"},
		"a backoff below the delay":   {key: "backoff", value: "50ms"},
		"a backoff of nothing":        {key: "backoff", value: "1s", also: map[string]any{"restart_delay": 0}},
		"a key that nobody knows":     {key: "max_restart", value: 3},
		"waiting for no time at all":  {key: "wait_for_reconnect", value: 0},
		"retrying that is not a bool": {key: "retry_lost_requests", value: "perhaps"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			group := map[string]any{test.key: test.value}
			for key, value := range test.also {
				group[key] = value
			}
			_, faults := decode(t, group)
			require.Equal(t, []string{"supervision." + test.key}, faults)
		})
	}
}

// 2: a delay of zero is one.
func TestConfigAllowsNoDelay(t *testing.T) {
	cfg, faults := decode(t, map[string]any{"restart_delay": 0, "backoff": "off", "wait_for_reconnect": "2s"})
	require.Empty(t, faults)
	require.Equal(t, "0s", cfg.RestartDelay.String())
}

// The least that makes sense is allowed.
func TestConfigAllowsTheLeast(t *testing.T) {
	_, faults := decode(t, map[string]any{"max_restarts": 1, "restart_delay": "2s", "backoff": "2s"})
	require.Empty(t, faults)
}
