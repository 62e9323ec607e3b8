package mcpclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// optionsOf returns what the options of a call come to.
func optionsOf(t *testing.T, ctx context.Context, options ...mcpclient.CallOption) transporters.CallOptions {
	t.Helper()
	var seen transporters.CallOptions
	fake := transporters.TransporterFunc(func(ctx context.Context, _ string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
		seen = *transporters.CallOptionsOf(ctx)
		return mcp.NewResult([]byte(`{}`)), nil
	})
	require.NoError(t, mcpclient.NewConnection("x", fake).Ping(ctx, options...))
	return seen
}

func TestCallOptionsReachTheTransporter(t *testing.T) {
	seen := optionsOf(t, mcpclient.WithPrincipal(t.Context(), "alice"),
		mcpclient.WithTimeout(time.Minute), mcpclient.WithMaxTimeout(0),
		mcpclient.WithMeta(map[string]any{"a": 1, "b": 1}), mcpclient.WithMeta(map[string]any{"b": 2}))
	assert.Equal(t, "alice", seen.Principal, "options of the context stay")
	assert.Equal(t, time.Minute, *seen.RequestTimeout)
	assert.Equal(t, time.Duration(0), *seen.MaxRequestTimeout)
	assert.Equal(t, map[string]any{"a": 1, "b": 2}, seen.Meta)
	assert.Nil(t, optionsOf(t, t.Context()).RequestTimeout)
}

func TestNegativeTimeoutsAreRefused(t *testing.T) {
	connection := mcpclient.NewConnection("x", mcptest.NewTransporter(t))
	for name, option := range map[string]mcpclient.CallOption{
		"WithTimeout(-1ns)": mcpclient.WithTimeout(-1), "WithMaxTimeout(-1ns)": mcpclient.WithMaxTimeout(-1),
	} {
		err := connection.Ping(t.Context(), option)
		require.ErrorIs(t, err, errors.ErrInvalidParams)
		assert.ErrorContains(t, err, name)
	}
}

func TestTimeoutsOfOneCall(t *testing.T) {
	server := mcptest.NewDemoServer()
	connection := connectHTTP(t, server, map[string]any{"progress": "on_request"})
	slow := map[string]int{"ms": 1500, "steps": 30}

	_, err := connection.CallTool(t.Context(), "slow", slow, mcpclient.WithTimeout(800*time.Millisecond))
	require.ErrorIs(t, err, errors.ErrRequestTimeout)
	assert.NotErrorIs(t, err, context.DeadlineExceeded, "only the caller's own deadline is that")

	result, err := connection.CallTool(t.Context(), "slow", slow, mcpclient.WithTimeout(800*time.Millisecond),
		mcpclient.OnProgress(func(mcp.Progress) {}))
	require.NoError(t, err, "each report restarts the silence")
	assert.False(t, result.IsError)

	_, err = connection.CallTool(t.Context(), "slow", slow, mcpclient.WithMaxTimeout(400*time.Millisecond),
		mcpclient.WithTimeout(time.Second), mcpclient.OnProgress(func(mcp.Progress) {}))
	require.ErrorIs(t, err, errors.ErrRequestTimeout)
	assert.ErrorContains(t, err, "max_request_timeout", "the ceiling holds whatever the progress")
}

func TestMetaIsSent(t *testing.T) {
	server := mcptest.NewDemoServer()
	connection := connectHTTP(t, server, nil)
	_, err := connection.CallTool(t.Context(), "echo", map[string]string{"text": "x"},
		mcpclient.WithMeta(map[string]any{"com.example/trace": "t-1", "progressToken": "mine"}))
	require.NoError(t, err)
	for _, received := range server.Received() {
		if received.Method == "tools/call" {
			assert.Contains(t, string(received.Params), `"com.example/trace":"t-1"`)
			assert.NotContains(t, string(received.Params), "mine", "reserved keys are the client's")
		}
	}
}

func TestTokensImplyPrincipals(t *testing.T) {
	ctx := t.Context()
	one, two := optionsOf(t, mcpclient.WithToken(ctx, "t1")), optionsOf(t, mcpclient.WithToken(ctx, "t2"))
	assert.Equal(t, "t1", one.Token)
	assert.NotEmpty(t, one.Principal)
	assert.NotEqual(t, one.Principal, two.Principal)
	assert.NotContains(t, one.Principal, "t1", "a principal's name is no secret")
	assert.Equal(t, two.Principal, optionsOf(t, mcpclient.WithToken(mcpclient.WithToken(ctx, "t1"), "t2")).Principal)
	assert.Empty(t, optionsOf(t, mcpclient.WithToken(mcpclient.WithToken(ctx, "t1"), "")).Principal)
	assert.Equal(t, "alice", optionsOf(t, mcpclient.WithToken(mcpclient.WithPrincipal(ctx, "alice"), "t1")).Principal)
	assert.Equal(t, "alice", optionsOf(t, mcpclient.WithPrincipal(mcpclient.WithToken(ctx, "t1"), "alice")).Principal)
	assert.Empty(t, optionsOf(t, mcpclient.WithHeader(ctx, "X-User", "alice")).Principal, "a header implies nobody")
}

func TestHeadersOfAContextAreNotShared(t *testing.T) {
	parent := mcpclient.WithHeader(t.Context(), "X-A", "1")
	child := mcpclient.WithHeader(parent, "x-a", "2")
	assert.Equal(t, "1", optionsOf(t, parent).Header.Get("X-A"))
	assert.Equal(t, "2", optionsOf(t, child).Header.Get("X-A"))
}

func TestPrincipalsNeverShareASession(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	connection := connectHTTP(t, server, map[string]any{"token": "service", "identity_headers": []string{"X-User"}})
	contexts := []context.Context{
		t.Context(),
		mcpclient.WithToken(t.Context(), "alice-token"),
		mcpclient.WithToken(t.Context(), "bob-token"),
		mcpclient.WithHeader(t.Context(), "X-User", "carol"),
	}
	var calls sync.WaitGroup
	for range 5 {
		for _, ctx := range contexts {
			calls.Go(func() {
				_, err := connection.CallTool(ctx, "echo", map[string]string{"text": "x"})
				assert.NoError(t, err)
			})
		}
	}
	calls.Wait()
	assert.Equal(t, 4, server.Count("initialize"), "one session for each")
	assert.EqualValues(t, 4, connection.Stats().Handshakes)

	sessions := map[string]string{} // session id -> whose
	for _, received := range server.Received() {
		whose := received.Header.Get("Authorization") + received.Header.Get("X-User")
		if id := received.Header.Get("Mcp-Session-Id"); id != "" {
			if owner, known := sessions[id]; known {
				assert.Equal(t, owner, whose, "%s in somebody else's session", received.Method)
			}
			sessions[id] = whose
		}
		assert.Contains(t, []string{"Bearer service", "Bearer alice-token", "Bearer bob-token", "Bearer servicecarol"}, whose,
			"%s: the handshake bears the credentials of whom it is for", received.Method)
	}
	assert.Len(t, sessions, 4)
}

func TestALaterTokenOfOnePrincipalIsUsed(t *testing.T) {
	server := mcptest.NewDemoServer()
	connection := connectHTTP(t, server, nil)
	alice := mcpclient.WithPrincipal(t.Context(), "alice")
	for _, token := range []string{"old", "new"} {
		require.NoError(t, connection.Ping(mcpclient.WithToken(alice, token)))
	}
	require.NoError(t, connection.Ping(alice))
	received := server.Received()
	require.NotEmpty(t, received)
	assert.Equal(t, "Bearer old", received[0].Header.Get("Authorization"))
	assert.Equal(t, "Bearer new", received[len(received)-1].Header.Get("Authorization"), "without a token of its own a call bears the latest")
	assert.EqualValues(t, 1, connection.Stats().Handshakes)
}

func TestEverythingInASessionBearsItsToken(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	t.Cleanup(server.Close)
	var mu sync.Mutex
	bearers := map[string]string{} // HTTP method and JSON-RPC method -> Authorization
	handler := server.Handler()
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var message struct{ Method string }
		_ = json.Unmarshal(body, &message) // a DELETE has no body
		mu.Lock()
		bearers[r.Method+" "+message.Method] = r.Header.Get("Authorization")
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	connection := connect(t, map[string]any{"type": "http", "base_url": url, "token": "service"})
	_, err := connection.Tools(mcpclient.WithToken(t.Context(), "alice"))
	require.NoError(t, err)
	require.NoError(t, connection.Close())
	assert.Equal(t, map[string]string{
		"POST server/discover": "Bearer alice", "POST initialize": "Bearer alice", "POST notifications/initialized": "Bearer alice",
		"POST tools/list": "Bearer alice", "DELETE ": "Bearer alice",
	}, bearers, "the handshake and the end of the session too, which belong to no call")
}
