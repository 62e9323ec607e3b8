package mcpclient_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// TestListen subscribes over HTTP in both eras and hears of a change; what the
// configuration denies cannot be subscribed to, and a fake has nothing.
func TestListen(t *testing.T) {
	for _, protocol := range []string{"modern", "legacy"} {
		t.Run(protocol, func(t *testing.T) {
			server := mcptest.NewDemoServer(mcptest.WithStandaloneStream())
			cfg, err := config.FromServers(map[string]any{"demo": map[string]any{
				"type": "http", "base_url": mcptest.StartHTTP(t, server), "protocol": protocol,
				"resources": map[string]any{"deny": []string{"demo://secret*"}},
			}})
			require.NoError(t, err)
			client, err := mcpclient.New(cfg)
			require.NoError(t, err)
			defer client.Close()
			demo, err := client.Connect("demo")
			require.NoError(t, err)
			heard := make(chan string, 10)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			subscription, err := demo.Listen(ctx, mcp.SubscriptionFilter{
				ToolsListChanged: true, ResourceSubscriptions: []string{"demo://greeting"},
			}, func(m mcp.Message) { heard <- m.Method })
			require.NoError(t, err)
			require.True(t, subscription.Acknowledged().ToolsListChanged)
			if protocol == "legacy" {
				require.Eventually(t, func() bool { server.ResourceUpdated("demo://greeting"); return len(heard) > 0 }, 10*time.Second, 10*time.Millisecond)
			} else {
				server.ResourceUpdated("demo://greeting")
			}
			require.Equal(t, mcp.NotificationResourceUpdated, <-heard)
			require.NoError(t, subscription.Close())
			require.ErrorContains(t, subscription.Wait(ctx), "subscription closed")

			_, err = demo.Listen(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{"demo://secret/1"}}, func(mcp.Message) {})
			require.ErrorIs(t, err, errors.ErrToolDenied)
			require.NoError(t, client.Close())
			require.Empty(t, server.Violations())
		})
	}
	fake := mcpclient.NewConnection("fake", transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.Result{}, nil
	}))
	_, err := fake.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
	require.ErrorIs(t, err, errors.ErrCapabilityMissing)
}

// TestWaitForState follows a connection through its life.
func TestWaitForState(t *testing.T) {
	cfg, err := config.FromServers(map[string]any{"demo": map[string]any{
		"type": "http", "base_url": mcptest.StartHTTP(t, mcptest.NewDemoServer()),
	}})
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	defer client.Close()
	demo, err := client.Connect("demo")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, demo.WaitForState(ctx, transporters.StateIdle))
	ready := make(chan error, 1)
	go func() { ready <- demo.WaitForState(ctx, transporters.StateReady) }()
	require.NoError(t, demo.Ping(ctx))
	require.NoError(t, <-ready)
}
