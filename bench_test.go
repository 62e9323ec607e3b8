package mcpclient_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// instantBase answers at once, so that what is measured is the way there.
type instantBase struct {
	transporters.Base
	answer mcp.Result
}

func (b instantBase) Request(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
	return b.answer, nil
}
func (b instantBase) Close() error { return nil }

// BenchmarkChain measures what a call costs from the connection to the base.
func BenchmarkChain(b *testing.B) {
	base := instantBase{answer: mcp.NewResult([]byte(`{"content":[{"type":"text","text":"x"}]}`))}
	types := factory.New()
	require.NoError(b, types.Register("instant", func(section *config.Section, _ factory.Build) (factory.Blueprint, []errors.Fault) {
		return factory.Blueprint{Open: func(factory.Caller) (transporters.Base, error) { return base, nil }}, section.Decode(&struct{}{})
	}))
	cfg, err := config.FromServers(map[string]any{"x": map[string]any{"type": "instant", "tools": map[string]any{"deny": []string{"no*"}}}})
	require.NoError(b, err)
	client, err := mcpclient.New(cfg, mcpclient.WithFactory(types))
	require.NoError(b, err)
	defer func() { require.NoError(b, client.Close()) }()
	connection, err := client.Connect("x")
	require.NoError(b, err)
	arguments := map[string]string{"text": "hello"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := connection.CallTool(b.Context(), "echo", arguments); err != nil {
			b.Fatal(err)
		}
	}
}
