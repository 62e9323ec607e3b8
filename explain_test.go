package mcpclient_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// What is explained is what is in force: a refused section changes nothing of it.
func TestExplainTellsWhatIsInForce(t *testing.T) {
	parse := func(text string) *config.Config {
		cfg, err := config.Parse("mcp.yaml", []byte(text))
		require.NoError(t, err)
		return cfg
	}
	fake := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.NewResult([]byte(`{}`)), nil
	})
	client, err := mcpclient.New(parse("servers:\n  a: {type: http, base_url: http://a.example/mcp, token: hunter2, request_timeout: 5s}\n  b: {type: http}\n"),
		mcpclient.WithTransporter("injected", fake))
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()

	explained := func(name, key string) config.Entry {
		entries, err := client.Explain(name)
		require.NoError(t, err)
		for _, entry := range entries {
			if entry.Key == key {
				return entry
			}
		}
		return config.Entry{}
	}
	assert.Equal(t, "5s", explained("a", "request_timeout").Value)
	assert.Equal(t, 2, explained("a", "request_timeout").Origin.Line)
	assert.Equal(t, "***", explained("a", "token").Value)
	assert.True(t, explained("a", "connect_timeout").Default)
	assert.Equal(t, "http", explained("b", "type").Value, "a section with faults")

	_, err = client.Apply(parse("servers:\n  a: {type: http, base_url: http://a.example/mcp, request_timeout: 7s}\n"))
	require.NoError(t, err)
	assert.Equal(t, "7s", explained("a", "request_timeout").Value)
	_, err = client.Apply(parse("servers:\n  a: {type: http, request_timeout: 9s}\n"))
	require.NoError(t, err)
	assert.Equal(t, "7s", explained("a", "request_timeout").Value, "the section was refused")

	_, err = client.AddServer("added", map[string]any{"type": "http", "base_url": "http://b.example/mcp"})
	require.NoError(t, err)
	assert.Equal(t, "http://b.example/mcp", explained("added", "base_url").Value)
	entries, err := client.Explain("injected")
	require.NoError(t, err)
	assert.Empty(t, entries)
	_, err = client.Explain("nobody")
	require.ErrorIs(t, err, errors.ErrUnknownServer)
}
