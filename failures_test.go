package mcpclient_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func crashTool() mcp.Tool { return mcp.Tool{Name: "crash"} }

// Each way in which a server can be no server: the error names the server and
// the cause, comes in time, and leaves nothing behind (goleak in TestMain).
func TestServersThatAreNone(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html><body>Welcome to nginx</body></html>"))
	})
	silent := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then is the client's end noticed
		<-r.Context().Done()
	})
	for name, test := range map[string]struct {
		section func(t *testing.T) map[string]any
		is      error
		kind    errors.Kind
		says    []string
		within  time.Duration
	}{
		"a missing binary": {
			section: func(*testing.T) map[string]any {
				return map[string]any{"type": "stdio", "command": []string{"no-such-program-anywhere"}}
			},
			is: errors.ErrStartFailed, kind: errors.KindTransport, says: []string{"no-such-program-anywhere"}, within: 5 * time.Second,
		},
		"a process that exits at once": {
			section: func(t *testing.T) map[string]any { return child(t, "exits", nil) },
			is:      errors.ErrNotSent, kind: errors.KindTransport,
			says: []string{"exit status 3", "fatal: licence key missing"}, within: 5 * time.Second,
		},
		"a process that never answers": {
			section: func(t *testing.T) map[string]any {
				return child(t, "mute", map[string]any{"connect_timeout": "300ms", "probe_timeout": "100ms"})
			},
			is: errors.ErrConnectTimeout, kind: errors.KindTimeout, says: []string{"connect_timeout"}, within: 5 * time.Second,
		},
		"a web page": {
			section: func(t *testing.T) map[string]any { return map[string]any{"type": "http", "base_url": serve(t, page)} },
			is:      errors.ErrNotMCP, kind: errors.KindProtocol, says: []string{"text/html", "Welcome to nginx"}, within: 5 * time.Second,
		},
		"a refused connection": {
			section: func(t *testing.T) map[string]any {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				require.NoError(t, err)
				require.NoError(t, listener.Close())
				return map[string]any{"type": "http", "base_url": "http://" + listener.Addr().String()}
			},
			is: errors.ErrNotSent, kind: errors.KindTransport, says: []string{"refused", "127.0.0.1:"}, within: 5 * time.Second,
		},
		"an HTTP server that never answers": {
			section: func(t *testing.T) map[string]any {
				return map[string]any{"type": "http", "base_url": serve(t, silent), "connect_timeout": "200ms"}
			},
			is: errors.ErrConnectTimeout, kind: errors.KindTimeout, says: []string{"connect_timeout"}, within: 5 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			connection := connect(t, test.section(t))
			begun := time.Now()
			_, err := connection.Tools(t.Context())
			require.Error(t, err)
			assert.Less(t, time.Since(begun), test.within)
			failure, ok := errors.AsType[*errors.TransporterRequestError](err)
			require.True(t, ok, "%T", err)
			assert.Equal(t, "demo", failure.Server)
			assert.Equal(t, "tools/list", failure.Action)
			assert.Equal(t, test.kind, failure.Kind, err)
			require.ErrorIs(t, err, test.is)
			assert.NotErrorIs(t, err, context.Canceled)
			assert.NotErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorContains(t, err, `mcp server "demo": tools/list: `)
			for _, says := range test.says {
				assert.ErrorContains(t, err, says)
			}
		})
	}
}

func TestAProcessThatDiesIsStartedByTheNextCall(t *testing.T) {
	connection := connect(t, child(t, "crashes", nil))
	_, err := connection.CallTool(t.Context(), "echo", map[string]string{"text": "a"})
	require.NoError(t, err)

	_, err = connection.CallTool(t.Context(), "crash", nil)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	assert.ErrorContains(t, err, "exit status 4")
	assert.ErrorContains(t, err, "out of cheese", "the process's last words are in the error")
	assert.False(t, errors.SafeToRetry(err), "the tool may have done its work")

	result, err := connection.CallTool(t.Context(), "echo", map[string]string{"text": "b"})
	require.NoError(t, err)
	assert.Equal(t, "b", result.Text())
	assert.EqualValues(t, 2, connection.Stats().Handshakes)
}

func TestTheStderrOfAProcessIsLogged(t *testing.T) {
	var log lockedBuffer
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: &log})
	connection := connect(t, child(t, "crashes", nil), mcpclient.WithLogger(logger))
	_, err := connection.CallTool(t.Context(), "crash", nil)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.NoError(t, connection.Close())
	assert.Contains(t, log.String(), "out of cheese")
	assert.Contains(t, log.String(), "server=demo")
}

// lockedBuffer takes what several goroutines write.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(data)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestAnHTTPServerRestartedBetweenTwoCalls(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	connection := connectHTTP(t, server, nil)
	for range 2 {
		_, err := connection.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
		require.NoError(t, err)
		server.ForgetSessions()
	}
	assert.Equal(t, 2, server.Count("initialize"), "one new handshake")
	assert.Equal(t, 3, server.Count("tools/call"), "the refused call is sent once more")
	assert.EqualValues(t, 1, connection.Stats().SessionsLost)
	assert.Empty(t, server.Violations())
}

func TestTheCallersOwnEnd(t *testing.T) {
	server := mcptest.NewDemoServer()
	connection := connectHTTP(t, server, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := connection.CallTool(ctx, "slow", map[string]int{"ms": 60_000})
		failed <- err
	}()
	server.Await(t, "tools/call", 1)
	cancel(errors.New("the visitor left"))
	err := <-failed
	require.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "the visitor left")
	_, err = connection.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	require.NoError(t, err, "the connection serves on")
}
