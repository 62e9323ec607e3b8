package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/authtest"
)

func claimsOf(t *testing.T, token string) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	require.Len(t, parts, 3)
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	require.NoError(t, err)
	var claims map[string]any
	require.NoError(t, json.Unmarshal(text, &claims))
	return claims
}

func newKey(t *testing.T) (text string, public *ecdsa.PublicKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), &key.PublicKey
}

func TestClientCredentials(t *testing.T) { // R276-R278
	w := authtest.New(t)
	w.Scopes = map[string][]string{"/mcp": {"read"}, "/mcp/write": {"write"}}
	a := authorizer(t, w, defaults(func(c *Config) {
		c.Type, c.ClientID, c.ClientSecret = TypeClientCredentials, "ours", secret("canary-secret")
	}))
	served(t, w, a.Principal(""), "/mcp")
	form := w.Forms()[0]
	assert.Equal(t, "client_credentials", form.Get("grant_type"))
	assert.Equal(t, "read", form.Get("scope"))
	assert.Equal(t, w.Endpoint(), form.Get("resource"))
	assert.False(t, form.Has("client_secret"))
	assert.Equal(t, "Basic "+base64.StdEncoding.EncodeToString([]byte("ours:canary-secret")), w.Headers()[0].Get("Authorization"))
	served(t, w, a.Principal(""), "/mcp/write")
	assert.Equal(t, "read write", w.Forms()[1].Get("scope"))
	assert.Zero(t, w.Count("authorize")+w.Count("register"))
	_, err := a.Begin(t.Context(), "")
	require.ErrorContains(t, err, "no user takes part")
}

func TestUnattendedGrantsRunAgainAtTheEnd(t *testing.T) {
	w := authtest.New(t)
	w.EditToken = func(_ url.Values, answer map[string]any) { delete(answer, "refresh_token") }
	a := authorizer(t, w, defaults(func(c *Config) {
		c.Type, c.ClientID, c.ClientSecret = TypeClientCredentials, "ours", secret("canary-secret")
	}))
	served(t, w, a.Principal(""), "/mcp")
	w.ExpireAccess(true)
	served(t, w, a.Principal(""), "/mcp")
	assert.Equal(t, 2, w.Count("client_credentials"))
}

func TestPrivateKeyJWT(t *testing.T) { // R273, R277
	text, public := newKey(t)
	w := authtest.New(t)
	a := authorizer(t, w, defaults(func(c *Config) {
		c.Type, c.ClientID, c.PrivateKey, c.KeyID = TypeClientCredentials, "ours", secret(text), "k1"
	}))
	served(t, w, a.Principal(""), "/mcp")
	form := w.Forms()[0]
	assert.Equal(t, "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", form.Get("client_assertion_type"))
	assertion := form.Get("client_assertion")
	claims := claimsOf(t, assertion)
	assert.Equal(t, "ours", claims["iss"])
	assert.Equal(t, "ours", claims["sub"])
	assert.Equal(t, w.Issuer.URL, claims["aud"])
	assert.EqualValues(t, assertionLifetime.Seconds(), claims["exp"].(float64)-claims["iat"].(float64))
	assert.NotEmpty(t, claims["jti"])
	parts := strings.Split(assertion, ".")
	header, _ := base64.RawURLEncoding.DecodeString(parts[0])
	assert.JSONEq(t, `{"alg":"ES256","typ":"JWT","kid":"k1"}`, string(header))
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
	require.True(t, ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])))
}

func TestWorkloadIdentity(t *testing.T) {
	w := authtest.New(t)
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("canary-jwt-1"), 0o600))
	a := authorizer(t, w, defaults(func(c *Config) {
		c.Type, c.ClientID, c.Assertion = TypeJWTBearer, "workload", config.NewSecret("${file:"+file+"}")
	}))
	served(t, w, a.Principal(""), "/mcp")
	require.NoError(t, os.WriteFile(file, []byte("canary-jwt-2"), 0o600))
	w.ExpireAccess(true)
	served(t, w, a.Principal(""), "/mcp")
	var assertions []string
	for _, form := range w.Forms() {
		if form.Get("grant_type") == grantJWT {
			assertions = append(assertions, form.Get("assertion")+" "+form.Get("client_id"))
		}
	}
	assert.Equal(t, []string{"canary-jwt-1 workload", "canary-jwt-2 workload"}, assertions)
}

func TestAWorkloadThatIsRefusedGivesUp(t *testing.T) {
	w := authtest.New(t)
	w.Token = func(url.Values, http.Header) (int, string) { return 400, `{"error":"unauthorized_client"}` }
	a := authorizer(t, w, defaults(func(c *Config) { c.Type, c.Assertion = TypeJWTBearer, secret("canary-jwt") }))
	for range 3 {
		_, err := w.Call(t.Context(), a.Principal(""), "/mcp")
		require.ErrorIs(t, err, errors.ErrTokenRequest)
		require.ErrorContains(t, err, "unauthorized_client")
		require.NotContains(t, err.Error(), "canary")
	}
	assert.Len(t, w.Forms(), 1)
}

func TestEnterpriseManaged(t *testing.T) { // R279-R282
	w, idp := authtest.New(t), authtest.New(t)
	idp.EditToken = func(_ url.Values, answer map[string]any) { answer["token_type"] = "N_A" }
	cfg := defaults(func(c *Config) {
		c.Type, c.ClientID, c.ClientSecret = TypeEnterprise, "ours", secret("canary-secret")
		c.IdentityProvider = IdentityProvider{TokenEndpoint: idp.Issuer.URL + "/token", ClientID: "ours-there", IDToken: secret("canary-configured")}
	})
	a := authorizer(t, w, cfg, WithIdentityTokens(func(_ context.Context, principal string) (string, error) {
		return "canary-id-of-" + principal, nil
	}))
	served(t, w, a.Principal("alice"), "/mcp")
	exchange := idp.Forms()[0]
	assert.Equal(t, url.Values{
		"grant_type":           {"urn:ietf:params:oauth:grant-type:token-exchange"},
		"requested_token_type": {"urn:ietf:params:oauth:token-type:id-jag"},
		"subject_token":        {"canary-id-of-alice"},
		"subject_token_type":   {"urn:ietf:params:oauth:token-type:id_token"},
		"audience":             {w.Issuer.URL},
		"resource":             {w.Endpoint()},
		"client_id":            {"ours-there"},
	}, exchange)
	assert.Equal(t, "canary-access-1", w.Forms()[0].Get("assertion"))
	assert.Equal(t, grantJWT, w.Forms()[0].Get("grant_type"))

	b := authorizer(t, w, cfg)
	served(t, w, b.Principal(""), "/mcp")
	assert.Equal(t, "canary-configured", idp.Forms()[1].Get("subject_token"))

	w.EditServer = func(m map[string]any) map[string]any {
		m["authorization_grant_profiles_supported"] = []string{"other"}
		return m
	}
	_, err := w.Call(t.Context(), authorizer(t, w, cfg).Principal(""), "/mcp")
	require.ErrorIs(t, err, errors.ErrAuthorizationDiscovery)

	w.EditServer = nil
	cfg.IdentityProvider.IDToken = config.Secret{}
	_, err = w.Call(t.Context(), authorizer(t, w, cfg).Principal(""), "/mcp")
	require.ErrorContains(t, err, "identity_provider.id_token")
}

func TestDPoP(t *testing.T) { // RFC 9449
	w := authtest.New(t)
	w.EditServer = func(m map[string]any) map[string]any {
		m["dpop_signing_alg_values_supported"] = []string{"ES256"}
		return m
	}
	w.Challenge = func(_ int, usual string) []string { return []string{strings.Replace(usual, "Bearer", "DPoP", 1)} }
	w.TokenNonce, w.ResourceNonce = "token-nonce", "resource-nonce"
	store := NewMemoryStore()
	a := authorizer(t, w, defaults(nil), agreeing(w), WithStore(store))
	served(t, w, a.Principal(""), "/mcp")
	proof := claimsOf(t, w.Headers()[1].Get("Dpop"))
	assert.Equal(t, "token-nonce", proof["nonce"])
	assert.Equal(t, w.Issuer.URL+"/token", proof["htu"])
	assert.NotEqual(t, proof["jti"], claimsOf(t, w.Headers()[0].Get("Dpop"))["jti"])

	header := http.Header{}
	require.NoError(t, a.Principal("").Authorize(t.Context(), "POST", w.Endpoint(), header))
	assert.True(t, strings.HasPrefix(header.Get("Authorization"), "DPoP canary-access-"), header)
	assert.Equal(t, "resource-nonce", claimsOf(t, header.Get("Dpop"))["nonce"])

	// The key is stored with the token, since a refresh needs it as well.
	b := authorizer(t, w, defaults(nil), WithStore(store))
	w.ExpireAccess(false)
	served(t, w, b.Principal(""), "/mcp")
	assert.Equal(t, 1, w.Count("authorize"))

	// A server may send a new nonce with any answer.
	again, err := b.Principal("").Challenged(t.Context(), 1, 200, http.Header{"Dpop-Nonce": {"next"}}, header)
	require.NoError(t, err)
	assert.False(t, again)
	require.NoError(t, b.Principal("").Authorize(t.Context(), "POST", w.Endpoint(), header))
	assert.Equal(t, "next", claimsOf(t, header.Get("Dpop"))["nonce"])
}

func TestWhenTokensAreBound(t *testing.T) {
	for name, test := range map[string]struct {
		setting             DPoP
		challenge, required bool
		able                bool
		unbound             bool // the server gives an unbound token all the same
		want                string
	}{
		"auto, nobody asks":    {DPoPAuto, false, false, true, false, "Bearer"},
		"auto, asked":          {DPoPAuto, true, false, true, false, "DPoP"},
		"auto, not possible":   {DPoPAuto, true, false, false, false, "Bearer"},
		"auto, required":       {DPoPAuto, false, true, true, false, "DPoP"},
		"required in vain":     {DPoPAuto, false, true, false, false, ""},
		"always":               {DPoPAlways, false, false, true, false, "DPoP"},
		"always, in vain":      {DPoPAlways, false, false, false, false, ""},
		"never":                {DPoPNever, true, true, true, false, "Bearer"},
		"unbound all the same": {DPoPAlways, false, false, true, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := authtest.New(t)
			w.EditServer = func(m map[string]any) map[string]any {
				if test.able {
					m["dpop_signing_alg_values_supported"] = []string{"RS256", "ES256"}
				}
				return m
			}
			w.EditResource = func(m map[string]any) map[string]any {
				m["dpop_bound_access_tokens_required"] = test.required
				return m
			}
			w.EditToken = func(_ url.Values, answer map[string]any) {
				if test.unbound {
					answer["token_type"] = "Bearer"
				}
			}
			w.Challenge = func(_ int, usual string) []string {
				if test.challenge {
					return []string{usual, "DPoP algs=\"ES256\", " + strings.TrimPrefix(usual, "Bearer ")}
				}
				return []string{usual}
			}
			a := authorizer(t, w, defaults(func(c *Config) { c.DPoP = test.setting }), agreeing(w))
			_, err := w.Call(t.Context(), a.Principal(""), "/mcp")
			if test.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			header := http.Header{}
			require.NoError(t, a.Principal("").Authorize(t.Context(), "POST", w.Endpoint(), header))
			assert.True(t, strings.HasPrefix(header.Get("Authorization"), test.want+" "))
		})
	}
}

func TestManyCallersAndANonce(t *testing.T) {
	w := authtest.New(t)
	w.EditServer = func(m map[string]any) map[string]any {
		m["dpop_signing_alg_values_supported"] = []string{"ES256"}
		return m
	}
	a := authorizer(t, w, defaults(func(c *Config) { c.DPoP = DPoPAlways }))
	login(t, w, a, "")
	w.Challenge = func(_ int, usual string) []string { return []string{usual} }
	w.Change(func() { w.ResourceNonce = "nonce" })
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if status, err := w.Call(context.Background(), a.Principal(""), "/mcp"); assert.NoError(t, err) {
				assert.Equal(t, http.StatusOK, status)
			}
		})
	}
	all.Wait()
}
