package clienttest_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/mcptest/clienttest"
)

// The client's whole way: challenge, discovery, registration, consent, code,
// token, and later a refresh.
func TestProtected(t *testing.T) {
	for name, options := range map[string][]mcptest.Option{"modern": nil, "legacy": {mcptest.LegacyOnly()}} {
		t.Run(name, func(t *testing.T) {
			server := mcptest.NewDemoServer(options...)
			protected := mcptest.StartProtected(t, server)
			client := clienttest.New(t, clienttest.Servers{
				"demo": map[string]any{"type": "http", "base_url": protected.URL(), "auth": map[string]any{}},
			}, mcpclient.WithInteraction(func(ctx context.Context, request auth.AuthorizationRequest) (url.Values, error) {
				return protected.Consent(ctx, request.URL)
			}))
			demo := clienttest.Connect(t, client, "demo")
			for _, refreshes := range []int{0, 1, 2} {
				_, err := demo.Tools(t.Context())
				require.NoError(t, err)
				assert.Equal(t, refreshes, protected.Count("refresh_token"))
				protected.Expire(false)
			}
			assert.Equal(t, 1, protected.Count("authorize"))
			assert.Equal(t, 1, protected.Count("register"))
			assert.Equal(t, 3, protected.Count("challenge"))
			protected.Expire(true)
			_, err := demo.Tools(t.Context())
			require.NoError(t, err)
			assert.Equal(t, 2, protected.Count("authorize"), "without a refresh token the user is asked again")
			assert.Empty(t, server.Violations())
		})
	}
}

func TestProtectedByATokenThatIsGiven(t *testing.T) {
	protected := mcptest.StartProtected(t, mcptest.NewDemoServer(), "good-token")
	client := clienttest.New(t, clienttest.Servers{
		"good": map[string]any{"type": "http", "base_url": protected.URL(), "token": "good-token"},
		"bad":  map[string]any{"type": "http", "base_url": protected.URL(), "token": "bad-token"},
	})
	_, err := clienttest.Connect(t, client, "good").Tools(t.Context())
	require.NoError(t, err)
	_, err = clienttest.Connect(t, client, "bad").Tools(t.Context())
	require.ErrorIs(t, err, errors.ErrAuthRequired)
}

// The authorization server takes no grant twice, and none of somebody else.
func TestProtectedRefuses(t *testing.T) {
	protected := mcptest.StartProtected(t, mcptest.NewDemoServer())
	base, _ := url.Parse(protected.URL())
	transport := &http.Transport{DisableKeepAlives: true}
	token := func(form url.Values) int {
		response, err := (&http.Client{Transport: transport}).PostForm(base.ResolveReference(&url.URL{Path: "/token"}).String(), form)
		require.NoError(t, err)
		_ = response.Body.Close()
		return response.StatusCode
	}
	query := url.Values{"code_challenge_method": {"S256"}, "code_challenge": {"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"},
		"redirect_uri": {"http://127.0.0.1/back"}, "resource": {protected.URL()}}
	authorize := func() string {
		back, err := protected.Consent(t.Context(), base.ResolveReference(&url.URL{Path: "/authorize", RawQuery: query.Encode()}).String())
		require.NoError(t, err)
		return back.Get("code")
	}
	form := url.Values{"grant_type": {"authorization_code"}, "redirect_uri": {"http://127.0.0.1/back"}, "resource": {protected.URL()}}
	form.Set("code", authorize())
	assert.Equal(t, http.StatusOK, token(form))
	assert.Equal(t, http.StatusBadRequest, token(form), "a code is taken once")
	form.Set("code", authorize())
	form.Set("code_verifier", "another")
	assert.Equal(t, http.StatusBadRequest, token(form))
	assert.Equal(t, http.StatusBadRequest, token(url.Values{"grant_type": {"password"}}))
	query.Del("code_challenge")
	_, err := protected.Consent(t.Context(), base.ResolveReference(&url.URL{Path: "/authorize", RawQuery: query.Encode()}).String())
	require.ErrorContains(t, err, "status 400")
}
