package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The configuration of a fleet is good for this program as well, which shares
// nothing.
func TestStoresOfAFleet(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	path := configured(t, "mcp.yaml", "store: {type: redis, url: 'redis://127.0.0.1:1', prefix: x}\nservers: {demo: {type: stdio, command: ['"+self+"', demo-server]}}\n")
	for _, command := range [][]string{{"servers"}, {"call", "demo", "echo", "text=hello"}} {
		result := run(t, append([]string{"--config", path}, command...)...)
		assert.Equal(t, exitOK, result.code, result.stderr)
		assert.Empty(t, result.stderr)
	}
	path = configured(t, "mcp.yaml", "store: {type: etcd}\nservers: {}\n")
	assert.Equal(t, exitUsage, run(t, "--config", path, "servers").code, "another type is a fault")
}
