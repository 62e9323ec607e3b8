package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// TestSettings decodes the documented keys, with their defaults, and reports
// every bad value with what would be right.
func TestSettings(t *testing.T) {
	decode := func(text string) (session.Settings, []string) {
		cfg, err := config.Parse("mcp.yaml", []byte("servers:\n  a: "+text+"\n"))
		require.NoError(t, err)
		section, _ := cfg.Server("a")
		var settings session.Settings
		_, faults := section.Take(&settings)
		faults = append(faults, settings.Check(section)...)
		var texts []string
		for _, fault := range faults {
			texts = append(texts, fault.String())
		}
		return settings, texts
	}
	settings, faults := decode("{}")
	require.Empty(t, faults)
	require.Equal(t, session.DefaultSettings(), settings)

	settings, faults = decode("{timeout: 5s, protocol: 2025-06-18, id_type: string, max_session_retries: 0, max_request_timeout: off}")
	require.Empty(t, faults)
	require.Equal(t, "2025-06-18", settings.Protocol)
	require.True(t, settings.MaxRequestTimeout.IsOff())
	require.Zero(t, settings.MaxSessionRetries)

	_, faults = decode("{request_timeout: 20m}")
	require.Len(t, faults, 1, "the ceiling is 10 minutes")
	require.Contains(t, faults[0], "max_request_timeout")

	_, faults = decode("{protocol: moderm, id_type: integer, progress: never, max_session_retries: -1}")
	require.Len(t, faults, 4)
	require.Contains(t, faults[0], `did you mean "modern"?`)
	require.Contains(t, faults[0], "mcp.yaml:2:")
	require.Contains(t, faults[1], "always, on_request")
}
