package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/internal/authtest"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// Users with browsers that follow redirects see the tools, each after a login of
// their own.
func TestUsersLogIn(t *testing.T) {
	world := authtest.New(t)
	demo := mcptest.NewDemoServer()
	t.Cleanup(demo.Close)
	world.Handler = demo.Handler()
	backend := httptest.NewUnstartedServer(nil)
	text := fmt.Sprintf("servers:\n  files:\n    type: http\n    base_url: %s\n    auth: {redirect_url: 'http://%s/callback'}\n",
		world.Endpoint(), backend.Listener.Addr())
	cfg, err := config.Parse("mcp.yaml", []byte(text))
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	files, err := client.Connect("files")
	require.NoError(t, err)
	backend.Config.Handler = site(files)
	backend.Start()
	t.Cleanup(backend.Close)

	browse := func(user string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, backend.URL+"/tools", nil)
		require.NoError(t, err)
		if user != "" {
			request.SetBasicAuth(user, "")
		}
		browser := &http.Client{
			Transport: &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(next *http.Request, via []*http.Request) error {
				if next.URL.Host == request.URL.Host && user != "" { // a browser has its cookies for its site
					next.SetBasicAuth(user, "")
				}
				return nil
			},
		}
		response, err := browser.Do(request)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(body)
	}
	status, _ := browse("")
	assert.Equal(t, http.StatusUnauthorized, status)
	for _, user := range []string{"alice", "bob", "alice"} {
		status, page := browse(user)
		assert.Equal(t, http.StatusOK, status)
		assert.Contains(t, page, "echo\n")
	}
	assert.Equal(t, 2, world.Count("authorize"), "each user once")
}

func TestTheConfigurationIsValid(t *testing.T) {
	cfg, err := config.Load("mcp.yaml")
	require.NoError(t, err)
	assert.Equal(t, []string{"files"}, cfg.Names())
}
