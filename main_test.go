package mcpclient_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// childMode, in the environment of this test program, makes it a server process.
const childMode = "MCPCLIENT_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childMode) {
	case "":
		goleak.VerifyTestMain(m)
	case "demo":
		server := mcptest.NewDemoServer()
		defer server.Close()
		if err := server.ServeStdio(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	case "exits":
		fmt.Fprintln(os.Stderr, "fatal: licence key missing")
		os.Exit(3)
	case "parrot":
		playParrot()
	case "mute":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "crashes": // a demo server that dies of its first tool call
		server := mcptest.NewDemoServer()
		server.AddTool(crashTool(), func(context.Context, *mcptest.Call) (any, error) {
			fmt.Fprintln(os.Stderr, "panic: out of cheese")
			os.Exit(4)
			return nil, nil
		})
		_ = server.ServeStdio(context.Background(), os.Stdin, os.Stdout)
	default:
		playBadServer(os.Getenv(childMode))
	}
}

// child returns the section of a server that is this test program.
func child(t *testing.T, mode string, more map[string]any) map[string]any {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	section := map[string]any{"type": "stdio", "command": []string{self}, "env": map[string]any{
		childMode: mode, "GORACE": "atexit_sleep_ms=0", // a program under the race detector sleeps before it exits
	}}
	for key, value := range more {
		section[key] = value
	}
	return section
}

// newClient returns a client of the given servers that is closed with the test.
func newClient(t *testing.T, servers map[string]any, options ...mcpclient.Option) *mcpclient.Client {
	t.Helper()
	cfg, err := config.FromServers(servers)
	require.NoError(t, err)
	client, err := mcpclient.New(cfg, options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	for _, problem := range client.Problems() {
		t.Error(problem)
	}
	return client
}

// connect returns the connection to one server of a client of its own.
func connect(t *testing.T, section map[string]any, options ...mcpclient.Option) *mcpclient.Connection {
	t.Helper()
	connection, err := newClient(t, map[string]any{"demo": section}, options...).Connect("demo")
	require.NoError(t, err)
	return connection
}

// connectHTTP starts a server and connects to it.
func connectHTTP(t *testing.T, server *mcptest.Server, more map[string]any, options ...mcpclient.Option) *mcpclient.Connection {
	t.Helper()
	section := map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, server)}
	for key, value := range more {
		section[key] = value
	}
	return connect(t, section, options...)
}
