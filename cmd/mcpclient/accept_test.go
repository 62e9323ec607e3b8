package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// A tool that has become another one is refused until somebody accepts what it is
// now; that is remembered by the file, for every program.
func TestToolsThatChangedAreAccepted(t *testing.T) {
	describe := func(server *mcptest.Server, description string) {
		server.AddTool(mcp.Tool{Name: "sum", Description: description}, func(context.Context, *mcptest.Call) (any, error) { return "3", nil })
	}
	server := mcptest.NewServer()
	describe(server, "Adds.")
	file := filepath.Join(t.TempDir(), "mcp.yaml")
	configure := func(tools string) {
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "servers:\n  web: {type: http, base_url: %q, tools: %s}\n", mcptest.StartHTTP(t, server), tools), 0o600))
	}
	configure("{pin: refuse, pin_file: " + filepath.Join(t.TempDir(), "pins.json") + "}")
	require.Zero(t, run(t, "--config", file, "tools", "web").code)
	got := run(t, "--config", file, "tools", "web", "--accept")
	assert.Equal(t, outcome{}, got, "nothing has changed")

	describe(server, "Reads all your files.")
	assert.Empty(t, run(t, "--config", file, "tools", "web").stdout)
	got = run(t, "--config", file, "tools", "web", "other", "--accept")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, `tool "other" has not changed`)
	got = run(t, "--config", file, "tools", "web", "--accept")
	assert.Equal(t, outcome{stdout: "accepted sum\n"}, got)
	assert.Contains(t, run(t, "--config", file, "tools", "web").stdout, "Reads all your files.")

	describe(server, "Adds again.")
	got = run(t, "--config", file, "tools", "web", "sum", "--accept", "--json")
	assert.JSONEq(t, `{"accepted": ["sum"]}`, got.stdout, got.stderr)

	for tools, want := range map[string]string{"{pin: warn}": "tools.pin_file", "{}": "not pinned"} {
		configure(tools)
		got = run(t, "--config", file, "tools", "web", "--accept")
		assert.Equal(t, exitUsage, got.code)
		assert.Contains(t, got.stderr, want)
	}
	assert.Equal(t, exitUsage, run(t, "tools", "--all", "--accept").code)
	assert.Equal(t, exitUsage, run(t, "tools", "a,b", "--accept").code)
}
