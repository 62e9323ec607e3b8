package mcpclient_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// TestNoSecretOfAuthorizationIsShown: tokens, codes, verifiers, states, secrets
// and proofs of a whole life, in calls that succeed, are renewed, refused and
// revoked, and a server that repeats its token.
func TestNoSecretOfAuthorizationIsShown(t *testing.T) {
	for name, bound := range map[string]bool{"bearer": false, "bound to a key": true} {
		t.Run(name, func(t *testing.T) {
			c := newCanaries(t)
			c.watch("access token", "canary-access")
			c.watch("refresh token", "canary-refresh")
			c.watch("code", "canary-code")
			c.watch("client secret", "canary-registered-secret")
			world := protected(t, mcptest.LegacyOnly())
			if bound {
				world.EditServer = func(document map[string]any) map[string]any {
					document["dpop_signing_alg_values_supported"] = []string{"ES256"}
					return document
				}
				world.Challenge = func(_ int, usual string) []string {
					return []string{usual, strings.Replace(usual, "Bearer", `DPoP algs="ES256",`, 1)}
				}
			}
			var repeats, issuerRepeats, denies atomic.Bool
			world.Token = func(form url.Values, header http.Header) (int, string) {
				if !issuerRepeats.Load() {
					return 0, ""
				}
				return http.StatusBadRequest, fmt.Sprintf(`{"error":"invalid_grant","error_description":%q}`, fmt.Sprint(header, " ", form.Encode(), " ", form))
			}
			plain := world.Handler
			world.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !repeats.Load() {
					plain.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Www-Authenticate", `Bearer error_description="`+r.Header.Get("Authorization")+" "+r.Header.Get("Dpop")+`"`)
				http.Error(w, fmt.Sprint(r.Header), http.StatusForbidden)
			})
			world.EditRedirect = func(query url.Values) {
				if denies.Load() {
					query.Set("error", "access_denied")
					query.Del("code")
				}
			}
			var mu sync.Mutex
			var requests []auth.AuthorizationRequest
			agree := mcpclient.WithInteraction(func(ctx context.Context, request auth.AuthorizationRequest) (url.Values, error) {
				mu.Lock()
				requests = append(requests, request)
				mu.Unlock()
				return world.Consent(ctx, request.URL)
			})
			client, files := authorizing(t, world, "\nredirect_url: https://app.example.com/callback", agree, c.logger())
			ctx := mcpclient.WithPrincipal(t.Context(), "alice")
			var failures []error
			call := func() {
				_, err := files.Tools(ctx)
				failures = append(failures, err)
			}
			call()
			require.NoError(t, failures[0])
			world.ExpireAccess(false)
			call()
			require.NoError(t, failures[1], "renewed")
			repeats.Store(true)
			call()
			require.Error(t, failures[2])
			repeats.Store(false)
			issuerRepeats.Store(true)
			world.ExpireAccess(false)
			call()
			require.ErrorContains(t, failures[3], "***", "neither the refresh token nor the code is taken")
			issuerRepeats.Store(false)
			ctx = mcpclient.WithPrincipal(t.Context(), "bob") // alice gets the same error for a while
			denies.Store(true)
			call()
			require.ErrorContains(t, failures[4], "access_denied", "the user says no")

			// What was secret is known now.
			for i, form := range world.Forms() {
				for _, field := range []string{"code", "code_verifier", "refresh_token", "client_secret", "client_assertion"} {
					c.watch(fmt.Sprint(field, " ", i), form.Get(field))
				}
				c.watch(fmt.Sprint("credentials ", i), world.Headers()[i].Get("Authorization"))
				c.watch(fmt.Sprint("proof ", i), world.Headers()[i].Get("Dpop"))
				require.Equal(t, bound, world.Headers()[i].Get("Dpop") != "")
			}
			for i, request := range requests {
				u, err := url.Parse(request.URL)
				require.NoError(t, err)
				c.watch(fmt.Sprint("state ", i), u.Query().Get("state"))
				c.printed("request for consent", request) // its JSON form may be for the browser
				c.printed("flow", auth.Flow{URL: request.URL, State: u.Query().Get("state")})
			}
			for i, err := range failures {
				c.error(fmt.Sprint("call ", i), err)
			}
			status, err := files.Authorizer().Status(ctx, "alice")
			require.NoError(t, err)
			c.value("status", status)
			c.error("revocation", files.Authorizer().Revoke(ctx, "alice"))
			require.NoError(t, client.Close()) // with fields read as they are, all must be at rest
			c.value("authorizer", files.Authorizer())
			c.value("principal", files.Authorizer().Principal("alice"))
			c.value("client", client)
			c.value("connection", files)
			c.logged("authorization")
			require.Greater(t, len(c.cores), 10)
		})
	}
}
