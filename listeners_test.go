package mcpclient_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/toldtest"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// journal is what was told, in order.
type journal struct{ toldtest.Words }

// await waits until so many words were told.
func (l *journal) await(t *testing.T, n int) []string {
	t.Helper()
	require.Eventually(t, func() bool { return len(l.All()) >= n }, 10*time.Second, time.Millisecond)
	return l.All()
}

func (l *journal) listen(c *mcpclient.Connection) {
	c.OnState(func(from mcpclient.Source, change mcpclient.StateChange) { l.Add("%s %v", from.Server, change.To) })
	c.OnError(func(_ mcpclient.Source, err error) { l.Add("error %v", err) })
	c.OnDrain(func(mcpclient.Source) { l.Add("drain") })
	c.OnClose(func(_ mcpclient.Source, reason error) {
		l.Add("close %t", errors.Is(reason, errors.ErrTransportClosed))
	})
}

// TestListenersOfAConnection: real server, real process, and the whole way through
// to the end; a drain listener calls once more.
func TestListenersOfAConnection(t *testing.T) {
	for name, connection := range map[string]*mcpclient.Connection{
		"http":  connectHTTP(t, mcptest.NewDemoServer(), nil),
		"stdio": connect(t, child(t, "demo", nil)),
		"pool":  connect(t, child(t, "demo", map[string]any{"instances": 1, "max_in_flight": 1})),
	} {
		t.Run(name, func(t *testing.T) {
			var l journal
			connection.OnDrain(func(mcpclient.Source) {
				result, err := connection.CallTool(context.Background(), "echo", map[string]string{"text": "bye"})
				if assert.NoError(t, err) {
					l.Add("%s", result.Text())
				}
			})
			l.listen(connection)
			methods := make(chan string, 100)
			handle := connection.OnMessage(func(_ mcpclient.Source, m mcp.Message) { methods <- m.Method })
			require.NoError(t, connection.Start(t.Context()))
			require.NoError(t, connection.WaitForState(t.Context(), transporters.StateReady))
			require.NoError(t, connection.Start(t.Context()))
			assert.Empty(t, <-methods, "the answer of the handshake")
			handle.Dispose()
			require.NoError(t, connection.Close())
			require.Equal(t, []string{"demo starting", "demo ready", "bye", "drain", "demo closed", "close true"}, l.await(t, 6))
			require.ErrorIs(t, connection.Start(t.Context()), errors.ErrTransportClosed)
		})
	}
}

// TestCloseFromAListenerReturnsAtOnce: of the connection, and of the client; all
// ends all the same, and a Close from elsewhere waits for it.
func TestCloseFromAListenerReturnsAtOnce(t *testing.T) {
	for name, end := range map[string]func(*mcpclient.Client, *mcpclient.Connection) error{
		"connection": func(_ *mcpclient.Client, c *mcpclient.Connection) error { return c.Close() },
		"client":     func(c *mcpclient.Client, _ *mcpclient.Connection) error { return c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			client := newClient(t, map[string]any{"demo": child(t, "demo", nil)})
			connection, err := client.Connect("demo")
			require.NoError(t, err)
			var l journal
			connection.OnDrain(func(mcpclient.Source) {
				began := time.Now()
				_ = end(client, connection)
				l.Add("drain %t", time.Since(began) < 2*time.Second) // else it waited for itself
			})
			connection.OnClose(func(mcpclient.Source, error) { l.Add("close") })
			_, err = connection.Tools(t.Context())
			require.NoError(t, err)
			require.NoError(t, client.Close())
			require.Equal(t, transporters.StateClosed, connection.State())
			require.Equal(t, []string{"drain true", "close"}, l.await(t, 2))
		})
	}
}

// TestListenersOfAnInjectedTransporter: drain and close at least, once.
func TestListenersOfAnInjectedTransporter(t *testing.T) {
	fake := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.NewResult([]byte(`{}`)), nil
	})
	for name, end := range map[string]func(*mcpclient.Connection) error{
		"close":    (*mcpclient.Connection).Close,
		"shutdown": func(c *mcpclient.Connection) error { return c.Shutdown(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			connection := mcpclient.NewConnection("x", fake)
			var l journal
			connection.OnDrain(func(mcpclient.Source) { l.Add("still works: %t", connection.Ping(context.Background()) == nil) })
			l.listen(connection)
			require.NoError(t, connection.Start(t.Context()))
			connection.Abort(mcp.NumberID(1))
			require.NoError(t, end(connection))
			require.NoError(t, connection.Close())
			require.Equal(t, []string{"still works: true", "drain", "close true"}, l.await(t, 3))
		})
	}
}

// TestWhatCannotBeUsedIsTold, while reading goes on.
func TestWhatCannotBeUsedIsTold(t *testing.T) {
	connection := connect(t, child(t, "babbles", nil))
	var l journal
	connection.OnError(func(_ mcpclient.Source, err error) { l.Add("%v", err) })
	_, err := connection.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	require.NoError(t, err)
	told := l.await(t, 1)
	require.Len(t, told, 1)
	assert.Contains(t, told[0], `mcp server "demo": line skipped: not valid JSON`)
	assert.NotContains(t, told[0], "\x1b")
}

// TestAbortOfACall: its id is told by a hook.
func TestAbortOfACall(t *testing.T) {
	ids := make(chan mcp.ID, 10)
	connection := connectHTTP(t, mcptest.NewDemoServer(), nil, mcpclient.WithHooks(attemptHook(func(a *transporters.AttemptInfo) { ids <- a.ID })))
	failed := make(chan error, 1)
	go func() {
		_, err := connection.CallTool(context.Background(), "slow", map[string]int{"ms": 60_000, "steps": 1})
		failed <- err
	}()
	id := <-ids
	_, err := connection.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	require.NoError(t, err)
	connection.Abort(<-ids)
	connection.Abort(id)
	require.ErrorIs(t, <-failed, errors.ErrAborted)
}

type attemptHook func(*transporters.AttemptInfo)

func (f attemptHook) OnAttemptStart(_ context.Context, attempt *transporters.AttemptInfo) context.Context {
	f(attempt)
	return nil
}
