package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/factory"
)

// Both files are valid, and say the same.
func TestConfigurations(t *testing.T) {
	t.Setenv("WEBAPP_EXECUTABLE", "webapp")
	yaml, err := config.Load("mcp.yaml")
	require.NoError(t, err)
	toml, err := config.Load("mcp.toml")
	require.NoError(t, err)
	require.Equal(t, yaml.Names(), toml.Names())
	for _, name := range yaml.Names() {
		section, _ := yaml.Server(name)
		assert.Empty(t, factory.New().Check(section))
		same, _ := toml.Server(name)
		assert.Equal(t, section.Fingerprint(), same.Fingerprint(), name)
	}
}

// The backend from its beginning to its end: ready, another server added to its
// file while it runs, ended although somebody looks on.
func TestServe(t *testing.T) {
	t.Setenv("WEBAPP_EXECUTABLE", "") // restored after the test: load sets it
	text, err := os.ReadFile("mcp.yaml")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "mcp.yaml")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener, file) }()

	browser := &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}
	defer browser.CloseIdleConnections()
	get := func(path string) string {
		answer, err := browser.Get("http://" + listener.Addr().String() + path)
		require.NoError(t, err)
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.Status + " " + string(body)
	}
	assert.True(t, strings.HasPrefix(get("/readyz"), "200 "))
	assert.NotContains(t, get("/debug/mcp?format=json"), `"added"`)
	require.NoError(t, os.WriteFile(file, append(text, "  added: {type: http, base_url: http://127.0.0.1:9/mcp}\n"...), 0o600))
	require.Eventually(t, func() bool { return strings.Contains(get("/debug/mcp?format=json"), `"added"`) }, time.Minute, 50*time.Millisecond)

	looking, err := browser.Get("http://" + listener.Addr().String() + "/debug/mcp?format=events")
	require.NoError(t, err)
	defer func() { _ = looking.Body.Close() }()
	cancel()
	seen, err := io.ReadAll(looking.Body)
	require.NoError(t, err)
	assert.Contains(t, string(seen), "event: end")
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("the backend did not end")
	}
}
