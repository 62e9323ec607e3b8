package mcpclient_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// 500 goroutines call for ten principals when all tokens have ended: ten
// refreshes, and no call fails.
func TestTokensEndUnderManyCallers(t *testing.T) { // P94
	const callers, principals = 500, 10
	world := protected(t)
	var ahead atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	_, files := authorizing(t, world, "\nredirect_url: https://app.example.com/callback",
		mcpclient.WithAuthOptions(auth.WithClock(clock)))
	for i := range principals {
		user := fmt.Sprint("user", i)
		ctx := mcpclient.WithPrincipal(t.Context(), user)
		_, err := files.Tools(ctx)
		require.ErrorIs(t, err, errors.ErrAuthRequired)
		flow, err := files.Authorizer().Begin(ctx, user, auth.Because(err))
		require.NoError(t, err)
		query, err := world.Consent(ctx, flow.URL)
		require.NoError(t, err)
		require.NoError(t, files.Authorizer().Finish(ctx, user, query))
		_, err = files.CallTool(ctx, "echo", map[string]any{"text": "warm"})
		require.NoError(t, err)
	}
	refused := world.Count("401")
	ahead.Store(int64(time.Hour))
	world.ExpireAccess(false) // the server's clock has moved as well
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			ctx := mcpclient.WithPrincipal(context.Background(), fmt.Sprint("user", i%principals))
			result, err := files.CallTool(ctx, "echo", map[string]any{"text": fmt.Sprint(i)})
			if assert.NoError(t, err) {
				assert.Equal(t, fmt.Sprint(i), result.Text())
			}
		})
	}
	all.Wait()
	assert.Equal(t, principals, world.Count("refresh_token"))
	assert.Equal(t, principals, world.Count("authorize"))
	assert.Equal(t, refused, world.Count("401"), "renewed before they were sent")
}

// A user takes longer than any limit of a call.
func TestUsersTakeTheirTime(t *testing.T) { // P53
	t.Parallel()
	const limit = 1500 * time.Millisecond
	world := protected(t)
	client, err := mcpclient.New(parse(t, fmt.Sprintf("defaults: {request_timeout: %[2]v, max_request_timeout: %[2]v, connect_timeout: %[2]v}\n"+
		"servers:\n  files:\n    type: http\n    base_url: %[1]s\n    auth: {}\n", world.Endpoint(), limit)),
		mcpclient.WithInteraction(func(ctx context.Context, request auth.AuthorizationRequest) (url.Values, error) {
			time.Sleep(limit + limit/2)
			return world.Consent(ctx, request.URL)
		}))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	files, err := client.Connect("files")
	require.NoError(t, err)
	result, err := files.CallTool(t.Context(), "echo", map[string]any{"text": "patient"})
	require.NoError(t, err)
	assert.Equal(t, "patient", result.Text())
}

// A token of a file that an agent rewrites while the client runs.
func TestABearerTokenThatIsRotated(t *testing.T) {
	demo := mcptest.NewDemoServer()
	t.Cleanup(demo.Close)
	var good atomic.Value
	good.Store("canary-1")
	var refused atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+good.Load().(string) {
			refused.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		demo.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text+"\n"), 0o600)) }
	write("canary-1")
	client, err := mcpclient.New(parse(t, fmt.Sprintf("servers:\n  files:\n    type: http\n    base_url: %s\n    auth: {token: '${file:%s}'}\n", server.URL, file)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	files, err := client.Connect("files")
	require.NoError(t, err)
	assert.Nil(t, files.Authorizer(), "there is nobody to ask")
	for _, token := range []string{"canary-1", "canary-2", "canary-3"} {
		write(token)
		good.Store(token)
		_, err = files.Tools(t.Context())
		require.NoError(t, err)
	}
	assert.Zero(t, refused.Load())
	good.Store("canary-4")
	_, err = files.Tools(t.Context())
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	assert.NotContains(t, fmt.Sprintf("%+v", err), "canary")
}
