package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth/discovery"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/authtest"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func TestChooseScopes(t *testing.T) { // R263, R264, R266, R272, P90, P91
	for name, test := range map[string]struct {
		challenged, configured, supported, before, server string
		off                                               bool
		want                                              string
	}{
		"challenge first":      {challenged: "a", configured: "b", supported: "c", want: "a"},
		"then configured":      {configured: "b", supported: "c d", want: "b"},
		"then all supported":   {supported: "c d", want: "c d"},
		"else none":            {want: ""},
		"no set relation":      {challenged: "x", supported: "c", want: "x"},
		"union":                {challenged: "b c", before: "a b", want: "a b c"},
		"offline where listed": {challenged: "a", server: "a offline_access", want: "a offline_access"},
		"never where not":      {challenged: "a offline_access", supported: "offline_access", want: "a"},
		"never alone":          {server: "offline_access", want: ""},
		"not if switched off":  {challenged: "a", server: "offline_access", off: true, want: "a"},
		"what is no scope":     {challenged: "a \x07 \"b\" c\\d e", want: "a e"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Config{Scopes: strings.Fields(test.configured), OfflineAccess: !test.off}
			f := &findings{scopesSupported: strings.Fields(test.supported), server: &discovery.Server{ScopesSupported: strings.Fields(test.server)}}
			assert.Equal(t, test.want, joinScopes(cfg.chooseScopes(f, splitScopes(test.challenged), strings.Fields(test.before))))
		})
	}
	assert.Len(t, splitScopes(strings.Repeat("x ", 5000)), 1)
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprint(i))
	}
	assert.Len(t, cleanScopes(many), maxScopes)
}

func TestStepUp(t *testing.T) { // R265, R266, P92
	w := authtest.New(t)
	w.Scopes = map[string][]string{"/mcp": {"read"}, "/mcp/write": {"write"}}
	var asked [][]string
	a := authorizer(t, w, defaults(nil), WithInteraction(func(ctx context.Context, request AuthorizationRequest) (url.Values, error) {
		asked = append(asked, request.Scopes)
		return w.Consent(ctx, request.URL)
	}))
	p := a.Principal("")
	served(t, w, p, "/mcp")
	served(t, w, p, "/mcp/write")
	served(t, w, p, "/mcp")
	assert.Equal(t, [][]string{{"read"}, {"read", "write"}}, asked)
}

func TestStepUpInTwoHalves(t *testing.T) {
	w := authtest.New(t)
	w.Scopes = map[string][]string{"/mcp": {"read"}, "/mcp/write": {"write"}}
	a := authorizer(t, w, defaults(func(c *Config) { c.Scopes = []string{"read"} }))
	login(t, w, a, "")
	_, err := w.Call(t.Context(), a.Principal(""), "/mcp/write")
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	failure, _ := errors.AsType[*errors.TransporterRequestError](err)
	assert.Equal(t, http.StatusForbidden, failure.Status)
	flow, err := a.Begin(t.Context(), "", Because(err))
	require.NoError(t, err)
	assert.Equal(t, []string{"read", "write"}, flow.Scopes)
	served(t, w, a.Principal(""), "/mcp")
	assert.Zero(t, w.Count("refresh_token"), "a token that is not good enough is still good")
}

func TestStepUpInVain(t *testing.T) { // R267, R309
	for name, test := range map[string]struct {
		challenge func(n int) string
		asked     int // authorizations of three calls
	}{
		"the same again":  {func(int) string { return `Bearer error="insufficient_scope", scope="admin"` }, 2},
		"more every time": {func(n int) string { return fmt.Sprintf(`Bearer error="insufficient_scope", scope="s%d"`, n) }, 3},
		"nothing said":    {func(int) string { return `Bearer error="insufficient_scope"` }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := authtest.New(t)
			n := 0
			w.Scopes = map[string][]string{"/mcp": {"never"}}
			w.EditToken = func(_ url.Values, answer map[string]any) { answer["scope"] = "less" }
			w.Challenge = func(status int, usual string) []string {
				if status == http.StatusUnauthorized {
					return []string{strings.Replace(usual, "never", "basic", 1)}
				}
				n++
				return []string{test.challenge(n)}
			}
			a := authorizer(t, w, defaults(nil), agreeing(w))
			for range 3 {
				_, err := w.Call(t.Context(), a.Principal(""), "/mcp")
				require.ErrorIs(t, err, errors.ErrInsufficientScope)
				if name == "more every time" {
					break
				}
			}
			assert.Equal(t, test.asked, w.Count("authorize"))
		})
	}
}

func TestDeniedUpgradesAreRemembered(t *testing.T) { // R267
	now := &clock{time.Now()}
	principal := &Principal{authorizer: &Authorizer{now: now.time}}
	principal.deny("op a")
	assert.True(t, principal.wasDenied("op a"))
	assert.False(t, principal.wasDenied("op b"))
	now.now = now.now.Add(deniedTime)
	assert.False(t, principal.wasDenied("op a"))
	for i := range 1000 {
		principal.deny(fmt.Sprint(i))
	}
	assert.LessOrEqual(t, len(principal.denied), 64)
	assert.Equal(t, "tools/call add", operation(http.Header{mcp.HeaderMethod: {"tools/call"}, mcp.HeaderName: {"add"}}))
}

func TestAUserWhoSaysNoIsNotAskedAgain(t *testing.T) {
	w := authtest.New(t)
	w.Scopes = map[string][]string{"/mcp": {"read"}, "/mcp/write": {"write"}}
	now := &clock{time.Now()}
	asked := 0
	a := authorizer(t, w, defaults(nil), WithClock(now.time), WithInteraction(func(ctx context.Context, request AuthorizationRequest) (url.Values, error) {
		if asked++; asked > 1 {
			return nil, fmt.Errorf("%w: by the user", errors.ErrAuthorizationDenied)
		}
		return w.Consent(ctx, request.URL)
	}))
	served(t, w, a.Principal(""), "/mcp")
	for range 3 {
		_, err := w.Call(t.Context(), a.Principal(""), "/mcp/write")
		require.Error(t, err)
		now.now = now.now.Add(time.Minute)
	}
	assert.Equal(t, 2, asked)
	served(t, w, a.Principal(""), "/mcp")
}

// A 403 that does not speak of scopes is the server's last word.
func TestForbiddenIsForbidden(t *testing.T) {
	w := authtest.New(t)
	w.Scopes = map[string][]string{"/mcp": {"never"}}
	w.EditToken = func(_ url.Values, answer map[string]any) { answer["scope"] = "" }
	w.Challenge = func(status int, usual string) []string {
		if status == http.StatusForbidden {
			return nil
		}
		return []string{`Bearer scope="basic"`}
	}
	a := authorizer(t, w, defaults(nil), agreeing(w))
	status, err := w.Call(t.Context(), a.Principal(""), "/mcp")
	require.NoError(t, err)
	assert.Equal(t, http.StatusForbidden, status)
}
