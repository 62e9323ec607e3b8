package clienttest_test

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/mcptest/clienttest"
)

// The functions of this file are what docs/testing.md shows.

// shop is code under test: it is given the connection that it calls tools with.
type shop struct{ stock *mcpclient.Connection }

func (s shop) left(ctx context.Context, article string) (int, error) {
	result, err := s.stock.CallTool(ctx, "count", map[string]any{"article": article})
	if err != nil {
		return 0, fmt.Errorf("stock of %s: %w", article, err)
	}
	count, err := mcpclient.Decode[struct{ Left int }](result)
	return count.Left, err
}

func TestShopWithAScript(t *testing.T) {
	script := mcptest.NewTransporter(t)
	script.Expect("tools/call", mcptest.ParamsWith(`{"name":"count","arguments":{"article":"lamp"}}`)).
		Return(`{"content":[],"structuredContent":{"left":3}}`)
	script.Expect("tools/call").Die(nil) // the next call loses its server
	stock := mcpclient.NewConnection("stock", script)

	left, err := shop{stock}.left(t.Context(), "lamp")
	require.NoError(t, err)
	require.Equal(t, 3, left)

	_, err = shop{stock}.left(t.Context(), "chair")
	require.ErrorIs(t, err, errors.ErrPeerLost)
}

// newStock is a server with the tool that the shop calls.
func newStock(options ...mcptest.Option) *mcptest.Server {
	server := mcptest.NewServer(options...)
	server.AddTool(mcp.Tool{Name: "count"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		var arguments struct{ Article string }
		if err := call.Decode(&arguments); err != nil {
			return nil, err
		}
		return map[string]int{"left": len(arguments.Article)}, nil
	})
	return server
}

func TestShopWithAServer(t *testing.T) {
	server := newStock(mcptest.LegacyOnly())
	client := clienttest.New(t, clienttest.Servers{
		"stock": clienttest.Configured{Server: server, Keys: map[string]any{"tools": map[string]any{"allow": []string{"count"}}}},
	})
	left, err := shop{clienttest.Connect(t, client, "stock")}.left(t.Context(), "lamp")
	require.NoError(t, err)
	require.Equal(t, 4, left)
	require.Equal(t, 1, server.Count("tools/call"))
}

func TestShopGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := clienttest.New(t, clienttest.Servers{
			"stock": newStock(mcptest.WithDelay("tools/call", time.Hour)),
		})
		began := time.Now()
		_, err := shop{clienttest.Connect(t, client, "stock")}.left(t.Context(), "lamp")
		require.ErrorIs(t, err, errors.ErrRequestTimeout)
		require.Equal(t, time.Minute, time.Since(began)) // and yet the test takes no time
	})
}

func TestShopWithAProcess(t *testing.T) {
	client := clienttest.New(t, clienttest.Servers{"stock": mcptest.Process(t, "stock")})
	left, err := shop{clienttest.Connect(t, client, "stock")}.left(t.Context(), "lamp")
	require.NoError(t, err)
	require.Equal(t, 4, left)
}

var record = flag.Bool("record", false, "record the cassettes anew")

func TestShopWithACassette(t *testing.T) {
	cassette := filepath.Join("testdata", "stock.jsonl")
	var client *mcpclient.Client
	if *record {
		recorder := mcptest.Record(t, cassette) // written when the test has ended
		client = clienttest.New(t, clienttest.Servers{"stock": mcptest.Process(t, "stock")}, mcpclient.Use(recorder))
	} else {
		client = clienttest.New(t, clienttest.Servers{"stock": mcptest.Replay(t, cassette)})
	}
	left, err := shop{clienttest.Connect(t, client, "stock")}.left(t.Context(), "lamp")
	require.NoError(t, err)
	require.Equal(t, 4, left)
}

func TestShopOverABadNetwork(t *testing.T) {
	proxy := mcptest.StartFaultyProxy(t, mcptest.StartHTTP(t, newStock()), mcptest.NetworkFaults{Seed: 1, Pieces: 16})
	client := clienttest.New(t, clienttest.Servers{
		"stock": map[string]any{"type": "http", "base_url": proxy.URL()},
	})
	stock := shop{clienttest.Connect(t, client, "stock")}
	_, err := stock.left(t.Context(), "lamp")
	require.NoError(t, err)

	proxy.Refuse(true)
	proxy.Reset()
	_, err = stock.left(t.Context(), "lamp")
	require.Error(t, err)
}

func TestShopLogsIn(t *testing.T) {
	protected := mcptest.StartProtected(t, newStock())
	client := clienttest.New(t, clienttest.Servers{
		"stock": map[string]any{"type": "http", "base_url": protected.URL(), "auth": map[string]any{}},
	}, mcpclient.WithInteraction(func(ctx context.Context, request auth.AuthorizationRequest) (url.Values, error) {
		return protected.Consent(ctx, request.URL)
	}))
	_, err := shop{clienttest.Connect(t, client, "stock")}.left(t.Context(), "lamp")
	require.NoError(t, err)
	require.Equal(t, 1, protected.Count("authorize"))
}
