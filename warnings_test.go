package mcpclient_test

import (
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
)

// What a file has that means nothing here is no fault, and yet told: by New and by
// Apply, each time, with its place.
func TestWarningsOfAConfigurationAreLogged(t *testing.T) {
	foreign := func(name string) *config.Config {
		cfg, err := config.Parse(name, []byte(`{"mcpServers": {"files": {"command": "files-server", "colour": "red"}}}`))
		require.NoError(t, err)
		require.Empty(t, cfg.Faults())
		return cfg
	}
	var log lockedBuffer
	client, err := mcpclient.New(foreign("first.json"), mcpclient.WithLogger(hclog.New(&hclog.LoggerOptions{Output: &log, Level: hclog.Warn})))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	assert.Empty(t, client.Problems())
	assert.Contains(t, log.String(), "first.json:1:54")
	assert.Contains(t, log.String(), "colour: this key has no meaning here, and is passed over")

	_, err = client.Apply(foreign("second.json"))
	require.NoError(t, err)
	assert.Contains(t, log.String(), "second.json:1:54")
}
