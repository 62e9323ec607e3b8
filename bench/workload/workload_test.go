package workload

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/bench/clients/floor"
	"github.com/mcp-client-go/mcpclient/bench/clients/product"
	"github.com/mcp-client-go/mcpclient/bench/peer/peertest"
)

func TestServersMeasuresEveryPartOfAFleetsLife(t *testing.T) {
	o := options{url: peertest.ServeHTTP(t), clients: 20}
	m := Metrics{}
	require.NoError(t, o.servers(t.Context(), product.Driver{}, m))
	for _, metric := range []string{"build_us", "configured_heap_bytes_per_server", "first_call_us", "first_calls_us", "heap_bytes_per_server", "close_us"} {
		require.Positive(t, m[metric], metric)
	}
	require.GreaterOrEqual(t, m["first_calls_us"], m["first_call_us"], "of all servers, the first included")
	require.ErrorContains(t, o.servers(t.Context(), floor.Driver{}, m), "floor holds no more than one server")
}

func TestBlobIsAsLongAsAsked(t *testing.T) {
	o := options{url: peertest.ServeHTTP(t), bytes: 3, duration: time.Millisecond}
	client, err := product.Driver{}.Open(t.Context(), o.target())
	require.NoError(t, err)
	m := Metrics{}
	require.NoError(t, o.blob(t.Context(), client, m))
	require.InDelta(t, m["bytes_per_op"]/3, m["bytes_per_payload_byte"], 1e-6)
	require.NoError(t, client.Close())
}

// The limit of a target is the client's, however large its results are.
func TestLimitReachesTheClient(t *testing.T) {
	for limit, passes := range map[int]bool{64 << 10: false, 256 << 10: true} {
		o := options{url: peertest.ServeHTTP(t), bytes: 128 << 10, limit: limit}
		client, err := product.Driver{}.Open(t.Context(), o.target())
		require.NoError(t, err)
		require.Equal(t, passes, o.blob(t.Context(), client, Metrics{}) == nil, limit)
		require.NoError(t, client.Close())
	}
}

func TestTooManyCallersForTheLimitOfOpenFiles(t *testing.T) {
	o := options{url: "http://127.0.0.1", callers: 1 << 40}
	require.ErrorContains(t, o.enoughFiles(), "ulimit -n")
	o.callers = 1
	require.NoError(t, o.enoughFiles())
	o = options{callers: 1 << 40}
	require.NoError(t, o.enoughFiles(), "stdio needs no files for callers")
}
