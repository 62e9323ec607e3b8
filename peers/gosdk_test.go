package peers

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// TestGoSDK runs the same calls against the official Go SDK's servers of both
// eras, over stdio and over HTTP with event streams and with JSON answers.
func TestGoSDK(t *testing.T) {
	for _, test := range []struct {
		name    string
		flags   []string // nil: stdio
		section map[string]any
		version mcp.Version
	}{
		{"stdio, modern", nil, nil, mcp.Version20260728},
		{"stdio, legacy", nil, map[string]any{"protocol": "legacy"}, mcp.Version20251125},
		{"stdio, pinned 2024-11-05", nil, map[string]any{"protocol": "2024-11-05"}, mcp.Version20241105},
		{"http, modern, event streams", []string{}, nil, mcp.Version20260728},
		{"http, modern, JSON", []string{"-json"}, nil, mcp.Version20260728},
		{"http, stateful, event streams", []string{"-stateful"}, nil, mcp.Version20251125},
		{"http, stateful, JSON", []string{"-stateful", "-json"}, nil, mcp.Version20251125},
		{"http, string ids", []string{}, map[string]any{"id_type": "string"}, mcp.Version20260728},
	} {
		t.Run(test.name, func(t *testing.T) {
			section := map[string]any{"type": "stdio", "command": []string{goSDKServer}}
			if test.flags != nil {
				command := append([]string{goSDKServer, "-http", "127.0.0.1:0"}, test.flags...)
				_, line := startProcess(t, "listening on", nil, command...)
				section = map[string]any{"type": "http", "base_url": "http://" + strings.TrimPrefix(line, "listening on ")}
			}
			for key, value := range test.section {
				section[key] = value
			}
			useGoSDKServer(t, newClient(t, section), test.version, !slices.Contains(test.flags, "-json"))
		})
	}
}

func useGoSDKServer(t *testing.T, peer *mcpclient.Connection, version mcp.Version, reportsProgress bool) {
	ctx := t.Context()
	info, err := peer.ServerInfo(ctx)
	require.NoError(t, err)
	require.Equal(t, version, info.Version)
	require.Equal(t, "gosdkserver", info.Implementation.Name)
	require.Equal(t, "for tests", info.Instructions)

	tools, err := peer.Tools(ctx)
	require.NoError(t, err)
	require.Equal(t, 3, tools.Len())
	require.Equal(t, 1, tools.Only("add").Len())

	result, err := peer.CallTool(ctx, "add", map[string]any{"a": 2, "b": 3})
	require.NoError(t, err)
	require.False(t, result.IsError)
	sum, err := mcpclient.Decode[struct{ Sum int }](result)
	require.NoError(t, err)
	require.Equal(t, 5, sum.Sum)

	var reports []float64
	result, err = peer.CallTool(ctx, "count", map[string]any{"to": 5}, mcpclient.OnProgress(func(p mcp.Progress) {
		reports = append(reports, p.Progress)
	}))
	require.NoError(t, err)
	require.Equal(t, "5", result.Text())
	if reportsProgress {
		require.Equal(t, []float64{1, 2, 3, 4, 5}, reports)
	}

	result, err = peer.CallTool(ctx, "fail", nil)
	require.NoError(t, err, "a tool's own failure is a result")
	require.True(t, result.IsError)
	require.Contains(t, result.Text(), "always fails")

	resources, err := peer.Resources(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"test://info"}, resources.Keys())
	read, err := peer.ReadResource(ctx, "test://info")
	require.NoError(t, err)
	require.Equal(t, "contents of test://info", read.Contents[0].Text)
	templates, err := peer.ResourceTemplates(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, templates.Len())

	prompts, err := peer.Prompts(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"greet"}, prompts.Keys())
	prompt, err := peer.GetPrompt(ctx, "greet", map[string]string{"name": "Ada"})
	require.NoError(t, err)
	require.Len(t, prompt.Messages, 1)

	require.NoError(t, peer.Ping(ctx))

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = peer.CallTool(canceled, "add", map[string]any{"a": 1, "b": 1})
	require.ErrorIs(t, err, context.Canceled)
}
