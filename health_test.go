package mcpclient_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// byName returns what is told of one server.
func byName(t *testing.T, health mcpclient.Health, name string) mcpclient.ServerHealth {
	t.Helper()
	for _, server := range health.Servers {
		if server.Server == name {
			return server
		}
	}
	t.Fatalf("nothing is told of %s", name)
	return mcpclient.ServerHealth{}
}

// TestHealth asks who is connected, leaves alone who is idle, and says what is
// wrong with the others.
func TestHealth(t *testing.T) {
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hanging.Close()
	defer close(release)
	cfg, err := config.FromServers(map[string]any{
		"http":    map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, mcptest.NewDemoServer())},
		"legacy":  map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, mcptest.NewDemoServer(mcptest.LegacyOnly()))},
		"stdio":   child(t, "demo", map[string]any{"instances": 2, "max_in_flight": 1}),
		"idle":    child(t, "demo", nil),
		"exits":   child(t, "exits", nil),
		"hanging": map[string]any{"type": "http", "base_url": hanging.URL},
		"broken":  map[string]any{"type": "http"},
	})
	require.NoError(t, err)
	fake := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		t.Error("an injected transporter is not asked")
		return mcp.Result{}, nil
	})
	client, err := mcpclient.New(cfg, mcpclient.WithTransporter("injected", fake))
	require.NoError(t, err)
	defer client.Close()
	connections := map[string]*mcpclient.Connection{}
	for _, name := range []string{"http", "legacy", "stdio", "exits", "hanging"} {
		connection, err := client.Connect(name)
		require.NoError(t, err)
		connections[name] = connection
		if name == "hanging" {
			require.NoError(t, connection.Start(t.Context()))
			continue
		}
		_, err = connection.ServerInfo(t.Context())
		require.Equal(t, name == "exits", err != nil, name)
	}
	began := time.Now()
	health := client.Health(t.Context(), mcpclient.HealthTimeout(2*time.Second))
	assert.Less(t, time.Since(began), 30*time.Second, "bounded, at the same time")
	assert.False(t, health.OK)
	require.Len(t, health.Servers, 8)
	for name, version := range map[string]mcp.Version{"http": mcp.Version20260728, "stdio": mcp.Version20260728, "legacy": mcp.Version20251125} {
		server := byName(t, health, name)
		assert.True(t, server.OK && server.Asked, "%+v", server)
		assert.Equal(t, transporters.StateReady, server.State)
		assert.Positive(t, server.Latency)
		assert.Equal(t, version, server.Version)
		stats := connections[name].Stats()
		assert.Zero(t, stats.Requests, "it is no call")
		assert.EqualValues(t, 1, stats.Handshakes)
	}
	idle := byName(t, health, "idle")
	assert.Equal(t, mcpclient.ServerHealth{Server: "idle", State: transporters.StateIdle, OK: true}, idle)
	exits := byName(t, health, "exits")
	assert.False(t, exits.OK || exits.Asked)
	assert.ErrorContains(t, exits.Err, "licence key missing", "why the last attempt failed")
	stuck := byName(t, health, "hanging")
	assert.True(t, !stuck.OK && stuck.Asked && stuck.State == transporters.StateStarting, "%+v", stuck)
	require.ErrorIs(t, stuck.Err, errors.ErrRequestTimeout)
	assert.ErrorContains(t, stuck.Err, "no sign of life within 2s")
	broken := byName(t, health, "broken")
	assert.False(t, broken.OK)
	_, isFault := errors.AsType[*errors.ServerConfigurationError](broken.Err)
	assert.True(t, isFault)
	assert.Equal(t, mcpclient.ServerHealth{Server: "injected", State: transporters.StateReady, OK: true}, byName(t, health, "injected"))

	started := client.Health(t.Context(), mcpclient.HealthStartIdle(), mcpclient.HealthOf("idle", "nobody"))
	assert.False(t, started.OK)
	require.Len(t, started.Servers, 2)
	assert.True(t, started.Servers[0].OK && started.Servers[0].Asked)
	require.ErrorIs(t, started.Servers[1].Err, errors.ErrUnknownServer)
	assert.True(t, client.Health(t.Context(), mcpclient.HealthOf("idle")).OK)

	require.NoError(t, client.Close())
	closed := byName(t, client.Health(t.Context()), "http")
	assert.False(t, closed.OK || closed.Asked)
	require.ErrorIs(t, closed.Err, errors.ErrTransportClosed)
}

// TestHealthAsksWhoIsConnected, whatever the principal, and an error that the
// server answers with is a sign of life.
func TestHealthAsksWhoIsConnected(t *testing.T) {
	base := &refusing{}
	connection := mcpclient.NewConnection("x", base)
	require.Equal(t, transporters.StateReady, connection.State())
	client, err := mcpclient.New(nil, mcpclient.WithTransporter("x", base))
	require.NoError(t, err)
	base.failure = &errors.TransporterRequestError{Kind: errors.KindPeer, Delivery: errors.DeliveryAnswered, Code: -32601}
	require.True(t, client.Health(t.Context()).OK)
	base.failure = &errors.TransporterRequestError{Kind: errors.KindTransport, Err: errors.ErrPeerLost}
	require.False(t, client.Health(t.Context()).OK)

	server := connectHTTP(t, mcptest.NewDemoServer(), nil)
	_, err = server.Tools(mcpclient.WithPrincipal(t.Context(), "ann"))
	require.NoError(t, err)
	require.EqualValues(t, 1, server.Stats().Handshakes)
}

// refusing is a base that fails every request.
type refusing struct{ failure error }

func (r *refusing) Request(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
	return mcp.Result{}, r.failure
}

func (r *refusing) ServerInfo(context.Context) (transporters.ServerInfo, error) {
	return transporters.ServerInfo{}, r.failure
}
func (r *refusing) State() transporters.State      { return transporters.StateReady }
func (r *refusing) Stats() transporters.Stats      { return transporters.Stats{} }
func (r *refusing) Close() error                   { return nil }
func (r *refusing) Shutdown(context.Context) error { return nil }

// TestHealthAsJSON is what monitors read.
func TestHealthAsJSON(t *testing.T) {
	text, err := json.Marshal(mcpclient.Health{Servers: []mcpclient.ServerHealth{
		{Server: "a", State: transporters.StateReady, OK: true, Asked: true, Latency: 1500 * time.Microsecond, Version: mcp.Version20260728},
		{Server: "b", State: transporters.StateExhausted, Asked: true, Err: errors.New("gone\x1b[31m")},
	}})
	require.NoError(t, err)
	require.JSONEq(t, `{"ok":false,"servers":[
		{"server":"a","state":"ready","ok":true,"asked":true,"latency_seconds":0.0015,"version":"2026-07-28"},
		{"server":"b","state":"exhausted","ok":false,"asked":true,"error":"gone\\x1b[31m"}]}`, string(text))
}
