package mcpclient_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/authtest"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// protected is a demo server that wants tokens.
func protected(t *testing.T, options ...mcptest.Option) *authtest.World {
	t.Helper()
	world := authtest.New(t)
	server := mcptest.NewDemoServer(options...)
	t.Cleanup(server.Close)
	world.Handler = server.Handler()
	return world
}

// authorizing is a client for the world's server; lines are of its section auth.
func authorizing(t *testing.T, world *authtest.World, lines string, options ...mcpclient.Option) (*mcpclient.Client, *mcpclient.Connection) {
	t.Helper()
	text := fmt.Sprintf("servers:\n  files:\n    type: http\n    base_url: %s\n    auth:%s\n", world.Endpoint(), strings.ReplaceAll(lines, "\n", "\n      "))
	client, err := mcpclient.New(parse(t, text), options...)
	require.NoError(t, err)
	require.Empty(t, client.Problems())
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	connection, err := client.Connect("files")
	require.NoError(t, err)
	return client, connection
}

func agreeing(world *authtest.World) mcpclient.Option {
	return mcpclient.WithInteraction(func(ctx context.Context, request auth.AuthorizationRequest) (url.Values, error) {
		return world.Consent(ctx, request.URL)
	})
}

func TestACallAuthorizes(t *testing.T) { // P95: the 401 is no answer about the era
	for name, options := range map[string][]mcptest.Option{
		"modern": nil,
		"legacy": {mcptest.LegacyOnly()},
	} {
		t.Run(name, func(t *testing.T) {
			world := protected(t, options...)
			_, files := authorizing(t, world, " {}", agreeing(world))
			tools, err := files.Tools(t.Context())
			require.NoError(t, err)
			assert.NotEmpty(t, tools.Keys())
			world.ExpireAccess(false)
			_, err = files.Tools(t.Context())
			require.NoError(t, err)
			assert.Equal(t, 1, world.Count("authorize"))
			assert.Equal(t, 1, world.Count("refresh_token"))
		})
	}
}

// What a web backend does: the call fails, the user is sent away, comes back, and
// the next call works.
func TestUsersOfAWebBackend(t *testing.T) {
	world := protected(t)
	_, files := authorizing(t, world, "\nredirect_url: https://app.example.com/callback")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			user := fmt.Sprint("user", i)
			ctx := mcpclient.WithPrincipal(context.Background(), user)
			_, err := files.Tools(ctx)
			failure, ok := errors.AsType[*errors.TransporterRequestError](err)
			if !assert.True(t, ok, err) {
				return
			}
			assert.ErrorIs(t, err, errors.ErrAuthRequired)
			assert.Equal(t, "files", failure.Server)
			assert.Equal(t, "tools/list", failure.Action)
			assert.Contains(t, failure.Error(), user)
			flow, err := files.Authorizer().Begin(ctx, user, auth.Because(err))
			if !assert.NoError(t, err) {
				return
			}
			query, err := world.Consent(ctx, flow.URL)
			assert.NoError(t, err)
			assert.NoError(t, files.Authorizer().Finish(ctx, user, query))
			_, err = files.Tools(ctx)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	assert.Equal(t, 8, world.Count("authorize"))
	assert.Equal(t, 1, world.Count("register"))
	assert.Equal(t, "web", world.Registered()[0]["application_type"])
	_, err := files.Tools(t.Context())
	require.ErrorIs(t, err, errors.ErrAuthRequired, "nobody authorized for the client itself")
}

func TestTokensThatTheCallerBrings(t *testing.T) {
	world := protected(t)
	_, files := authorizing(t, world, " {}", agreeing(world))
	_, err := files.Tools(mcpclient.WithToken(t.Context(), "canary-theirs"))
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	assert.Zero(t, world.Count("authorize"), "a token that is refused starts nothing")
	assert.NotContains(t, err.Error(), "canary")
}

func TestTokensInAnEncryptedFolder(t *testing.T) {
	world := protected(t)
	lines := fmt.Sprintf("\nstore:\n  path: %s\n  key: %s", t.TempDir(), hex.EncodeToString(make([]byte, 32)))
	client, files := authorizing(t, world, lines, agreeing(world))
	_, err := files.Tools(t.Context())
	require.NoError(t, err)
	require.NoError(t, client.Close())

	_, files = authorizing(t, world, lines)
	_, err = files.Tools(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, world.Count("authorize"))

	_, files = authorizing(t, world, lines, mcpclient.WithTokenStore(auth.NewMemoryStore()))
	_, err = files.Tools(t.Context())
	require.ErrorIs(t, err, errors.ErrAuthRequired, "the program's own store goes before the configured one")
}

// Requests to the authorization server take the same way out.
func TestAuthorizationThroughAUsersClient(t *testing.T) {
	world := protected(t)
	seen := map[string]int{}
	var mu sync.Mutex
	client := resty.New()
	client.SetTransport(roundTripFunc(func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		seen[r.URL.Host]++
		mu.Unlock()
		return world.Client.Transport.RoundTrip(r)
	}))
	_, files := authorizing(t, world, " {}", agreeing(world), mcpclient.WithRestyClient(client))
	_, err := files.Tools(t.Context())
	require.NoError(t, err)
	assert.Positive(t, seen[strings.TrimPrefix(world.Issuer.URL, "http://")])
	assert.Positive(t, seen[strings.TrimPrefix(world.Resource.URL, "http://")])
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestServersWithoutAuth(t *testing.T) {
	client, err := mcpclient.New(parse(t, "servers:\n  files:\n    type: http\n    base_url: https://api.example.com/mcp\n"))
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	files, err := client.Connect("files")
	require.NoError(t, err)
	assert.Nil(t, files.Authorizer())
}
