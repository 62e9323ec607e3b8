package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/contrib/redis"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/authtest"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// A user is sent to log in where the server wants to know them, comes back, and sees
// their tools. A server that is the same for all asks nobody.
func TestUsersLogIn(t *testing.T) {
	world := authtest.New(t)
	demo, catalog := mcptest.NewDemoServer(), mcptest.NewDemoServer()
	t.Cleanup(demo.Close)
	world.Handler = demo.Handler()
	cfg, err := config.Parse("mcp.yaml", []byte(fmt.Sprintf(`
servers:
  demo:
    type: http
    base_url: %s
    auth: {redirect_url: https://app.example.com/servers/demo/callback}
  catalog: {type: http, base_url: %s}
`, world.Endpoint(), mcptest.StartHTTP(t, catalog))))
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	connection, err := client.Connect("demo")
	require.NoError(t, err)
	app := newApp(connection, newSessions(""))
	mux := http.NewServeMux()
	app.register(mux)
	(&directory{client: client, sessions: app.sessions}).register(mux)
	get := func(user, path string) *httptest.ResponseRecorder {
		request := httptest.NewRequest(http.MethodGet, path, nil)
		signIn(app, user, request)
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, request)
		return answer
	}

	assert.Equal(t, http.StatusUnauthorized, get("", "/servers/demo/tools").Code)
	assert.Equal(t, http.StatusNotFound, get("ada", "/servers/none/tools").Code)
	assert.Equal(t, http.StatusNotFound, get("ada", "/servers/catalog/login").Code)
	assert.Contains(t, get("ada", "/servers/catalog/tools").Body.String(), "echo\n")

	answer := post(app, "ada", "/sum", url.Values{"a": {"1"}, "b": {"2"}})
	assert.Equal(t, http.StatusForbidden, answer.Code)
	assert.Contains(t, answer.Body.String(), `<a href="/servers/demo/login">`)
	assert.Equal(t, "/servers/demo/login", get("ada", "/servers/demo/tools").Header().Get("Location"))
	begun := get("ada", "/servers/demo/login")
	require.Equal(t, http.StatusFound, begun.Code)
	query, err := world.Consent(t.Context(), begun.Header().Get("Location"))
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadRequest, get("bob", "/servers/demo/callback?"+query.Encode()).Code, "another user's login")
	begun = get("ada", "/servers/demo/login")
	query, err = world.Consent(t.Context(), begun.Header().Get("Location"))
	require.NoError(t, err)
	back := get("ada", "/servers/demo/callback?"+query.Encode())
	assert.Equal(t, "/", back.Header().Get("Location"), back.Body.String())
	assert.Contains(t, get("ada", "/servers/demo/tools").Body.String(), "echo\n")
	assert.Contains(t, post(app, "ada", "/sum", url.Values{"a": {"1"}, "b": {"2"}}).Body.String(), "<output>3</output>")
	assert.Equal(t, "/servers/demo/login", get("bob", "/servers/demo/tools").Header().Get("Location"))
}

// A store that is down is told to the user, who may come again.
func TestSumWithoutAStore(t *testing.T) {
	app := testApp(fake(func(context.Context, string, any) (*mcp.CallToolResult, error) {
		return nil, &errors.TransporterRequestError{Server: "demo", Kind: errors.KindAuth, Err: redis.ErrDown}
	}))
	answer := post(app, "ada", "/sum", url.Values{"a": {"1"}, "b": {"2"}})
	assert.Equal(t, http.StatusServiceUnavailable, answer.Code)
	assert.Contains(t, answer.Body.String(), "Try again soon.")
}

// A user who signed in at one replica is known to those that have the same key.
func TestReplicasKnowEachOthersUsers(t *testing.T) {
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	first := newApp(nil, newSessions("canary-key"))
	signIn(first, "ada", request)
	assert.Equal(t, "ada", newSessions("canary-key").userOf(request))
	assert.Empty(t, newSessions("another").userOf(request))
	assert.NotContains(t, strings.Join(request.Header["Cookie"], ""), "canary")
}
