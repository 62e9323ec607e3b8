package clients

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/bench/clients/floor"
	"github.com/mcp-client-go/mcpclient/bench/clients/gosdk"
	"github.com/mcp-client-go/mcpclient/bench/clients/mcpgo"
	"github.com/mcp-client-go/mcpclient/bench/clients/product"
	"github.com/mcp-client-go/mcpclient/bench/clients/restyfloor"
	"github.com/mcp-client-go/mcpclient/bench/driver"
	"github.com/mcp-client-go/mcpclient/bench/peer"
	"github.com/mcp-client-go/mcpclient/bench/peer/peertest"
	"github.com/mcp-client-go/mcpclient/bench/workload"
)

// serveStdio, as the first argument, makes the test binary a stdio server.
const serveStdio = "serve-stdio"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serveStdio {
		if err := peer.ServeStdio(os.Stdin, os.Stdout, peer.ParseOptions("tools=10&page=3")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestEveryClientDoesEveryWorkload(t *testing.T) {
	url := peertest.ServeHTTP(t)
	program, err := os.Executable()
	require.NoError(t, err)
	targets := map[string]driver.Target{"stdio": {Command: []string{program, serveStdio}}}
	for _, mode := range []string{peer.ModeJSON, peer.ModeStream, peer.ModeStreamOneWrite, peer.ModeStreamLateEnd} {
		targets["http-"+mode] = driver.Target{URL: url + "?tools=10&page=3&mode=" + mode}
	}
	for _, d := range []driver.Driver{floor.Driver{}, restyfloor.Driver{}, gosdk.Driver{}, mcpgo.Driver{}, product.Driver{}} {
		for name, target := range targets {
			for _, modern := range []bool{false, true} {
				target.Modern = modern
				if d.Name() == "restyfloor" && target.URL == "" {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/modern=%v", d.Name(), name, modern), func(t *testing.T) {
					client, err := d.Open(t.Context(), target)
					require.NoError(t, err)
					use(t, client, name == "http-json")
					require.NoError(t, client.Close())
				})
			}
		}
	}
}

func use(t *testing.T, client driver.Client, withoutProgress bool) {
	ctx := t.Context()
	require.NoError(t, workload.Echo(ctx, client))

	tools, err := client.ListTools(ctx)
	require.NoError(t, err)
	require.Equal(t, 10, tools, "over four pages")

	text, err := client.Call(ctx, "blob", map[string]any{"bytes": 100_000})
	require.NoError(t, err)
	require.Equal(t, peer.BlobText(100_000), text)

	if withoutProgress { // a JSON body has no room for it
		return
	}
	reports := make(chan float64, 100)
	_, err = client.CallProgress(ctx, "progress", map[string]any{"n": 100}, func(progress float64) { reports <- progress })
	require.NoError(t, err)
	for want := range 100 {
		require.EqualValues(t, want+1, <-reports)
	}
}

func TestFleetOpensSeparateSessionsInOneClient(t *testing.T) {
	clients, closeAll, err := product.Driver{}.OpenMany(t.Context(), driver.Target{URL: peertest.ServeHTTP(t)}, 3)
	require.NoError(t, err)
	require.Len(t, clients, 3)
	for _, client := range clients {
		require.NoError(t, workload.Echo(t.Context(), client))
	}
	require.NoError(t, clients[0].Close())
	require.Error(t, workload.Echo(t.Context(), clients[0]))
	require.NoError(t, workload.Echo(t.Context(), clients[1]), "closing one leaves the others")
	require.NoError(t, clients[1].Close())
	require.NoError(t, closeAll())
	require.Error(t, workload.Echo(t.Context(), clients[2]))
}
