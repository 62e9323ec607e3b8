package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// Each message of a server's log is shown once, from the level on that is asked
// for, in both eras and over both transports.
func TestWhatServersLogIsShown(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	files := map[string]string{
		"modern HTTP": serveHTTP(t, mcptest.NewDemoServer(mcptest.ModernOnly())),
		"legacy HTTP": serveHTTP(t, mcptest.NewDemoServer(mcptest.LegacyOnly())),
	}
	for _, era := range []string{"modern", "legacy"} {
		file := filepath.Join(t.TempDir(), "mcp.yaml")
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "servers: {web: {type: stdio, protocol: %s, command: [%q, demo-server]}}", era, self), 0o600))
		files[era+" stdio"] = file
	}
	const line = "server log [warning] log: look out\\x1b[2J\n"
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			call := func(more ...string) outcome {
				return run(t, append([]string{"--config", file, "call", "web", "log", "level=warning", "message=look out\x1b[2J"}, more...)...)
			}
			assert.Equal(t, outcome{0, "logged\n", line}, call("--log", "info"))
			assert.Equal(t, outcome{0, "logged\n", line}, call("--log", "warning"))
			assert.Equal(t, outcome{0, "logged\n", ""}, call("--log", "error"))
			assert.Equal(t, outcome{0, "logged\n", ""}, call("--log", "off"))
			assert.Equal(t, outcome{0, "logged\n", ""}, call(), "in a pipe not unless asked for")
			assert.Equal(t, outcome{0, "logged\n", ""}, call("-v", "-q"), "quiet is quiet")
			verbose := call("-v")
			assert.Equal(t, 1, strings.Count(verbose.stderr, line), verbose.stderr)

			got, screen := onTerminal(t, "--config", file, "call", "web", "log", "level=warning", "message=hm")
			assert.Equal(t, exitOK, got)
			assert.Contains(t, screen.text(), "\x1b[2mserver log [warning] log: hm\x1b[0m\n", "on a terminal warnings are shown, dimmed")
		})
	}
	assert.Contains(t, run(t, "call", "demo", "log", "--log", "loud").stderr, `invalid argument "loud" for "--log" flag: wanted: debug, info, `)
}

func TestProgressInAPipe(t *testing.T) {
	got := run(t, "call", "demo", "slow", "ms=20", "steps=3", "-v")
	assert.Contains(t, got.stderr, "slow: 1 of 3: step 1 of 3\nslow: 2 of 3: step 2 of 3\nslow: 3 of 3: step 3 of 3\n")
	assert.Empty(t, run(t, "call", "demo", "slow", "ms=20", "steps=3").stderr, "what is quick is not worth a line")
}

func TestProgressOnATerminal(t *testing.T) {
	code, screen := onTerminal(t, "call", "demo", "slow", "ms=50", "steps=2")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, screen.text(), "slow \x1b[36m[============>           ]\x1b[0m  50% \x1b[2mstep 1 of 2\x1b[0m")
	assert.True(t, strings.HasSuffix(screen.text(), "\r\x1b[2Ktook 50 ms in 2 steps\n"), "the bar is gone before the result: %q", screen.text())
	_, screen = onTerminal(t, "call", "demo", "slow", "ms=50", "steps=2", "--quiet")
	assert.Equal(t, "took 50 ms in 2 steps\n", screen.text())
}

func TestBarsOfSeveralCalls(t *testing.T) {
	first, second := make(chan struct{}), make(chan struct{})
	slow := func(mine, other chan struct{}) *mcptest.Server {
		server := mcptest.NewServer()
		server.AddTool(mcp.Tool{Name: "work"}, func(ctx context.Context, call *mcptest.Call) (any, error) {
			call.Progress(1, 2, "half")
			close(mine)
			<-other
			call.Progress(2, 2, "all")
			return "done", nil
		})
		return server
	}
	file := filepath.Join(t.TempDir(), "mcp.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "servers: {one: {type: http, url: %q}, two: {type: http, url: %q}}",
		mcptest.StartHTTP(t, slow(first, second)), mcptest.StartHTTP(t, slow(second, first))), 0o600))
	code, screen := onTerminal(t, "--config", file, "--color", "never", "call", "one,two", "work")
	assert.Equal(t, exitOK, code)
	text := screen.text()
	assert.Contains(t, text, "one [")
	assert.Contains(t, text, "two [")
	assert.Contains(t, text, "\x1b[1A\x1b[2K", "both were there at once")
	assert.True(t, strings.HasSuffix(text, "one:\ndone\ntwo:\ndone\n"), text)
}

// A server that logs whatever was asked for is not shown beyond that.
func TestLevelsAreHeldHereToo(t *testing.T) {
	server := mcptest.NewServer(mcptest.LegacyOnly())
	server.AddTool(mcp.Tool{Name: "talk"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		for _, level := range []string{"debug", "warning", "error", "made-up"} {
			call.Notify(mcp.NotificationMessage, map[string]any{"level": level, "data": level})
		}
		return "done", nil
	})
	got := run(t, "--config", serveHTTP(t, server), "call", "web", "talk", "--log", "warning")
	assert.Equal(t, "server log [warning]: warning\nserver log [error]: error\nserver log [made-up]: made-up\n", got.stderr)
}
