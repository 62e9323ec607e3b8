package auth

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Servers repeat all that they were sent: no token, code, verifier, state, secret,
// assertion, proof or key shows in an error or a log.
func TestServersThatRepeatWhatTheyGet(t *testing.T) { // R271, R282, P104
	key, _ := newKey(t)
	for name, test := range map[string]struct {
		cfg func(*Config)
		run func(*testing.T, *Authorizer, *internet) []error
	}{
		"a code and its verifier": {func(c *Config) { c.ClientID, c.ClientSecret = "ours", secret("canary-secret-basic") }, finishing},
		"a secret in the form": {func(c *Config) {
			c.ClientID, c.ClientSecret, c.AuthMethod = "ours", secret("canary-secret-post"), MethodPost
		}, finishing},
		"a signed assertion": {func(c *Config) {
			c.ClientID, c.PrivateKey, c.AuthMethod = "ours", secret(key), MethodPrivateKeyJWT
		}, finishing},
		"a proof":                 {func(c *Config) { c.ClientID, c.DPoP = "ours", DPoPAlways }, finishing},
		"a refresh token":         {func(c *Config) { c.ClientID = "ours" }, refreshing},
		"a token that is revoked": {func(c *Config) { c.ClientID = "ours" }, revoking},
		"client credentials": {func(c *Config) {
			c.Type, c.ClientID, c.ClientSecret = TypeClientCredentials, "ours", secret("canary-secret-machine")
		}, calling},
		"the platform's token": {func(c *Config) { c.Type, c.Assertion = TypeJWTBearer, secret("canary-assertion-of-platform") }, calling},
		"an identity token": {func(c *Config) {
			c.Type, c.ClientID = TypeEnterprise, "ours"
			c.IdentityProvider = IdentityProvider{
				TokenEndpoint: "https://idp.example.com/token", ClientID: "ours-there",
				ClientSecret: secret("canary-secret-there"), IDToken: secret("canary-identity-token"),
			}
		}, calling},
		"the address that the browser ends at": {func(c *Config) { c.ClientID = "ours" }, denied},
	} {
		t.Run(name, func(t *testing.T) {
			world := honest()
			world.pages[serverPlace] = page{body: strings.TrimSuffix(serverDocument("revocation_endpoint", publicIssuer+"/revoke"), "}") + `,"dpop_signing_alg_values_supported":["ES256"]}`}
			world.pages["https://idp.example.com/token"] = page{status: 400, echo: true}
			var log bytes.Buffer
			cfg := defaults(test.cfg)
			a, err := New("files", publicServer, cfg, WithHTTPClient(&http.Client{Transport: world}),
				WithLogger(hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: &log})))
			require.NoError(t, err)
			failures := test.run(t, a, world)
			require.NoError(t, a.Close())
			require.NotEmpty(t, failures)
			shown := log.String()
			for _, failure := range failures {
				require.Error(t, failure)
				shown += fmt.Sprintf("%v %+v %#v %q", failure, failure, failure, failure)
			}
			assert.NotContains(t, shown, "canary")
			secrets := 0
			for i, form := range world.forms {
				for _, name := range []string{"code", "code_verifier", "refresh_token", "client_secret", "client_assertion", "assertion", "subject_token", "token", "state"} {
					if value := form.Get(name); value != "" {
						secrets++
						assert.NotContains(t, shown, value, name)
					}
				}
				for _, name := range []string{"Authorization", "Dpop"} {
					if value := world.headers[i].Get(name); value != "" {
						secrets++
						_, bare, _ := strings.Cut(value, " ")
						assert.NotContains(t, shown, value)
						assert.False(t, bare != "" && strings.Contains(shown, bare), name)
					}
				}
			}
			assert.True(t, secrets > 0 || name == "the address that the browser ends at", "something was sent at all")
		})
	}
}

func begun(t *testing.T, a *Authorizer) url.Values {
	t.Helper()
	flow, err := a.Begin(t.Context(), "")
	require.NoError(t, err)
	return url.Values{"code": {"canary-code-of-the-flow"}, "state": {flow.State}}
}

func finishing(t *testing.T, a *Authorizer, world *internet) []error {
	world.pages[tokenPlace] = page{status: 400, echo: true}
	return []error{a.Finish(t.Context(), "", begun(t, a))}
}

func denied(t *testing.T, a *Authorizer, _ *internet) []error {
	query := begun(t, a)
	query.Set("error", "access_denied")
	query.Set("error_description", "no: "+query.Get("state")+" "+query.Get("code"))
	err := a.Finish(t.Context(), "", query)
	assert.NotContains(t, err.Error(), query.Get("state"))
	return []error{err}
}

// call asks the server, which refuses and repeats, until the principal gives up.
func call(ctx context.Context, a *Authorizer, world *internet) error {
	p := a.Principal("")
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, publicServer, nil)
		if err != nil {
			return err
		}
		if err := p.Authorize(ctx, http.MethodPost, publicServer, request.Header); err != nil {
			return err
		}
		response, err := world.RoundTrip(request)
		if err != nil {
			return err
		}
		again, err := p.Challenged(ctx, attempt, response.StatusCode, response.Header, request.Header)
		if err != nil || !again {
			return err
		}
	}
}

func calling(t *testing.T, a *Authorizer, world *internet) []error {
	world.pages[publicServer] = page{status: 401, echo: true}
	first := call(t.Context(), a, world) // a token is given, and refused
	world.pages[tokenPlace] = page{status: 400, echo: true}
	b, err := New("files", publicServer, a.cfg, WithHTTPClient(&http.Client{Transport: world}), WithLogger(a.log))
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	return []error{first, call(t.Context(), b, world)}
}

func refreshing(t *testing.T, a *Authorizer, world *internet) []error {
	require.NoError(t, a.Finish(t.Context(), "", begun(t, a)))
	world.pages[publicServer] = page{status: 401, echo: true}
	world.pages[tokenPlace] = page{status: 400, echo: true}
	return []error{call(t.Context(), a, world)}
}

func revoking(t *testing.T, a *Authorizer, world *internet) []error {
	require.NoError(t, a.Finish(t.Context(), "", begun(t, a)))
	world.pages[publicIssuer+"/revoke"] = page{status: 400, echo: true}
	return []error{a.Revoke(t.Context(), "")}
}
