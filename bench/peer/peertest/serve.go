// Package peertest starts the benchmark's server in tests.
package peertest

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/bench/peer"
)

// ServeHTTP serves on a loopback port until the test ends, and returns the address
// of the endpoint; options of the peer are its query.
func ServeHTTP(t *testing.T) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = peer.ServeHTTP(listener)
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return "http://" + listener.Addr().String() + "/mcp"
}
