package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server without a name would make its faults look like faults of the file.
func TestAServerNeedsAName(t *testing.T) {
	for name, text := range map[string]string{
		"a.yaml": "servers:\n  '': {type: stdio}\n  b: {type: stdio, command: [x]}\n",
		"a.toml": "[servers.'']\ntype = 'stdio'\n[servers.b]\ntype = 'stdio'\ncommand = ['x']\n",
		"a.json": `{"servers": {"": {"type": "stdio"}, "b": {"type": "stdio", "command": ["x"]}}}`,
		"b.json": `{"mcpServers": {"": {"command": "a"}, "b": {"command": "x"}}}`,
	} {
		cfg, err := Parse(name, []byte(text))
		require.NoError(t, err)
		assert.Equal(t, []string{"b"}, cfg.Names(), name)
		require.Len(t, cfg.Faults(), 1, name)
		assert.Contains(t, cfg.Faults()[0].String(), `servers: a server needs a name; found ""`)
	}
	cfg, err := FromServers(map[string]any{"": map[string]any{"type": "stdio"}})
	require.NoError(t, err)
	assert.Empty(t, cfg.Names())
	require.Len(t, cfg.Faults(), 1)
}
