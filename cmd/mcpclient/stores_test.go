package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The configuration of a fleet is good for this program as well, which shares
// nothing, and says so in one line.
func TestStoresOfAFleet(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	const server = "servers: {demo: {type: stdio, command: ['%s', demo-server]}}\n"
	path := configured(t, "mcp.yaml", fmt.Sprintf("store: {type: redis, url: 'redis://127.0.0.1:1', prefix: x, key: '${NOT_SET_HERE}'}\n"+server, self))
	result := run(t, "--config", path, "servers")
	assert.Equal(t, exitOK, result.code, result.stderr)
	assert.Empty(t, result.stderr, "it needs none")
	result = run(t, "--config", path, "call", "demo", "echo", "text=hello")
	assert.Equal(t, exitOK, result.code, result.stderr)
	assert.Equal(t, "mcpclient: warning: "+notShared+"\n", result.stderr)

	path = configured(t, "mcp.yaml", fmt.Sprintf("store: {type: redis, url: 'redis://127.0.0.1:1', prefx: x}\n"+server, self))
	result = run(t, "--config", path, "call", "demo", "echo", "text=hello")
	assert.Equal(t, exitOK, result.code, result.stderr)
	assert.Contains(t, result.stderr, `store.prefx: unknown key; did you mean "prefix"?`)
	assert.NotContains(t, result.stderr, "not used")

	path = configured(t, "mcp.yaml", "store: {type: etcd}\nservers: {}\n")
	assert.Equal(t, exitUsage, run(t, "--config", path, "servers").code, "another type is a fault")
}
