package otel_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcptest"
)

// TestREADMENamesWhatIsMade: each attribute and instrument that calls, retries,
// failures and connections lead to stands in the README, and nothing else does.
func TestREADMENamesWhatIsMade(t *testing.T) {
	made := map[string]bool{}
	everything(t, made)
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		documented[row[1]] = true
	}
	rare := []string{"mcpclient.unseen", "mcpclient.task.id"} // made by tasks alone
	for name := range made {
		assert.True(t, documented[name], "%s is made; document it", name)
	}
	for name := range documented {
		if !made[name] && !strings.Contains(strings.Join(rare, " "), name) {
			assert.Fail(t, "documented, but never made", name)
		}
	}
}

// everything collects the names of a client's life.
func everything(t *testing.T, made map[string]bool) {
	t.Helper()
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	r := newRecorder()
	client, demo := connect(t, r, map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, server)})
	_, _ = demo.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	server.ForgetSessions()
	_, _ = demo.CallTool(t.Context(), "unknown", nil)
	_, _ = demo.ReadResource(t.Context(), "demo://greeting")
	_, _ = demo.GetPrompt(t.Context(), "greet", map[string]string{"name": "Ann"})
	require.NoError(t, client.Close())
	eventually(t, r, "mcpclient.connections", 2)
	require.Eventually(t, func() bool { return len(r.metrics(t)) == 5 }, eventuallyLimit, eventuallyPause)
	for name := range r.metrics(t) {
		made[name] = true
	}
	for _, span := range r.spans.GetSpans() {
		for _, a := range span.Attributes {
			made[string(a.Key)] = true
		}
		for _, link := range span.Links {
			for _, a := range link.Attributes {
				made[string(a.Key)] = true
			}
		}
	}
}
