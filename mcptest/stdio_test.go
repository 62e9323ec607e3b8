package mcptest_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

const (
	initializeLine  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + initializeParams + `}` + "\n"
	initializedLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
)

func TestServeStdioAnswersWhatIsPiped(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	in, client := io.Pipe()
	served := make(chan error, 1)
	out, serverOut := io.Pipe()
	go func() {
		served <- server.ServeStdio(t.Context(), in, serverOut)
		_ = serverOut.Close()
	}()
	lines := bufio.NewReader(out)

	write(t, client, initializeLine)
	require.Contains(t, readLine(t, lines), `"protocolVersion":"2025-11-25"`)
	write(t, client, initializedLine+legacyCall+"\n\n")
	require.Equal(t, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"hi"}]}}`+"\n", readLine(t, lines))
	write(t, client, "noise\n")
	require.Contains(t, readLine(t, lines), `"id":null,"error":{"code":-32700`)
	write(t, client, strings.Replace(legacyCall, `"id":2`, `"id":3`, 1)+"\n")
	require.NoError(t, client.Close(), "the answer still comes after the end of input")
	require.Contains(t, readLine(t, lines), `"id":3,"result"`)
	require.NoError(t, <-served)
	require.Len(t, server.Violations(), 1, "the noise")
}

func TestServeStdioServesManyRequestsAtOnce(t *testing.T) {
	server := mcptest.NewServer(mcptest.ModernOnly())
	defer server.Close()
	release := make(chan struct{})
	server.AddTool(mcp.Tool{Name: "wait"}, func(context.Context, *mcptest.Call) (any, error) {
		<-release
		return "waited", nil
	})
	server.AddTool(mcp.Tool{Name: "release"}, func(context.Context, *mcptest.Call) (any, error) {
		close(release)
		return "released", nil
	})
	in := strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait",` + modernMeta + "}}\n" +
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"release",` + modernMeta + "}}\n")
	var out strings.Builder
	require.NoError(t, server.ServeStdio(t.Context(), in, &out))
	require.Contains(t, out.String(), `"id":1,"result"`)
	require.Contains(t, out.String(), `"id":2,"result"`)
}

func TestServeStdioEnds(t *testing.T) {
	t.Run("requests that run at the end get half a second", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := mcptest.NewDemoServer(mcptest.ModernOnly())
			in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"ms":60000},` + modernMeta + "}}\n")
			began := time.Now()
			require.NoError(t, server.ServeStdio(t.Context(), in, io.Discard))
			require.Equal(t, 500*time.Millisecond, time.Since(began))
			server.Close()
		})
	})
	t.Run("subscriptions end at once, with a result", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := mcptest.NewDemoServer(mcptest.ModernOnly())
			in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},` + modernMeta + "}}\n")
			var out strings.Builder
			began := time.Now()
			require.NoError(t, server.ServeStdio(t.Context(), in, &out))
			require.Zero(t, time.Since(began))
			require.Contains(t, out.String(), `"id":1,"result"`)
			server.Close()
		})
	})
	t.Run("context", func(t *testing.T) {
		server := mcptest.NewServer()
		defer server.Close()
		in, client := io.Pipe()
		defer func() { _ = client.Close() }()
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("enough")
		cancel(cause)
		require.ErrorIs(t, server.ServeStdio(ctx, in, io.Discard), cause)
	})
	t.Run("output gone", func(t *testing.T) {
		server := mcptest.NewServer()
		defer server.Close()
		in, client := io.Pipe()
		out, serverOut := io.Pipe()
		require.NoError(t, out.Close())
		go func() { write(t, client, initializeLine) }()
		require.ErrorIs(t, server.ServeStdio(t.Context(), in, serverOut), io.ErrClosedPipe)
		require.NoError(t, client.Close())
	})
	t.Run("line too long", func(t *testing.T) {
		server := mcptest.NewServer()
		defer server.Close()
		in := io.LimitReader(endless{}, 33<<20)
		require.ErrorIs(t, server.ServeStdio(t.Context(), in, io.Discard), bufio.ErrTooLong)
	})
	t.Run("server closed", func(t *testing.T) {
		server := mcptest.NewServer()
		in, client := io.Pipe()
		defer func() { _ = client.Close() }()
		server.Close()
		require.ErrorContains(t, server.ServeStdio(t.Context(), in, io.Discard), "test server closed")
	})
}

// endless is input without a newline.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
}
