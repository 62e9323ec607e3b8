package auth

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/authtest"
)

func TestAuthorizationCode(t *testing.T) { // R236, R238, R254, R256, R262, R268
	w := authtest.New(t)
	var asked AuthorizationRequest
	a := authorizer(t, w, defaults(nil), WithInteraction(func(ctx context.Context, request AuthorizationRequest) (url.Values, error) {
		asked = request
		return w.Consent(ctx, request.URL)
	}))
	served(t, w, a.Principal("alice"), "/mcp")

	u, err := url.Parse(asked.URL)
	require.NoError(t, err)
	query := u.Query()
	assert.Equal(t, "code", query.Get("response_type"))
	assert.Equal(t, "S256", query.Get("code_challenge_method"))
	assert.Equal(t, w.Endpoint(), query.Get("resource"))
	assert.NotEmpty(t, query.Get("state"))
	assert.False(t, query.Has("scope"), "nobody named one (R263)")
	assert.Equal(t, "alice", asked.Principal)
	assert.Equal(t, w.Issuer.URL, asked.Issuer)
	form := w.Forms()[0]
	assert.Equal(t, w.Endpoint(), form.Get("resource"))
	assert.Equal(t, DefaultRedirectURL, form.Get("redirect_uri"))
	assert.Len(t, form.Get("code_verifier"), 43)

	served(t, w, a.Principal("alice"), "/mcp")
	assert.Equal(t, 1, w.Count("authorize"), "the token is kept")
	served(t, w, a.Principal("bob"), "/mcp")
	assert.Equal(t, 2, w.Count("authorize"), "principals share no token")
	assert.Equal(t, 1, w.Count("register"), "but the client")
}

func TestRegistration(t *testing.T) { // R250, R251, R272
	for redirect, application := range map[string]string{
		DefaultRedirectURL:                 "native",
		"https://app.example.com/callback": "web",
		"http://localhost:1/callback":      "native",
		"https://127.0.0.1/callback":       "native",
	} {
		w := authtest.New(t)
		a := authorizer(t, w, defaults(func(c *Config) { c.RedirectURL = redirect }))
		_, err := a.Begin(t.Context(), "")
		require.NoError(t, err)
		document := w.Registered()[0]
		assert.Equal(t, application, document["application_type"], redirect)
		assert.Equal(t, []any{redirect}, document["redirect_uris"])
		assert.Equal(t, []any{"authorization_code", "refresh_token"}, document["grant_types"])
		wanted := map[string]string{"native": "none", "web": "client_secret_basic"}[application]
		assert.Equal(t, wanted, document["token_endpoint_auth_method"])
	}
}

func TestRegistrationThatIsRefused(t *testing.T) { // R252
	w := authtest.New(t)
	w.Register = func(map[string]any) (int, string) {
		return http.StatusBadRequest, `{"error":"invalid_redirect_uri","error_description":"loopback\u0007 only"}`
	}
	_, err := authorizer(t, w, defaults(nil)).Begin(t.Context(), "")
	require.ErrorIs(t, err, errors.ErrClientRegistration)
	require.ErrorContains(t, err, `invalid_redirect_uri (loopback\a only); auth.redirect_url is "`+DefaultRedirectURL)
	w.Register = func(map[string]any) (int, string) { return http.StatusOK, `{}` }
	_, err = authorizer(t, w, defaults(nil)).Begin(t.Context(), "")
	require.ErrorContains(t, err, "without a client_id")
}

func TestWhoWeAre(t *testing.T) { // R245-R249
	const document = "https://app.example.com/client.json"
	for name, test := range map[string]struct {
		cfg    func(*Config)
		server func(map[string]any)
		want   string // client id; "" is an error
	}{
		"registered before": {func(c *Config) { c.ClientID, c.ClientMetadataURL = "ours", document }, func(m map[string]any) { m["client_id_metadata_document_supported"] = true }, "ours"},
		"metadata document": {func(c *Config) { c.ClientMetadataURL = document }, func(m map[string]any) { m["client_id_metadata_document_supported"] = true }, document},
		"registration last": {func(c *Config) { c.ClientMetadataURL = document }, func(map[string]any) {}, "client-1"},
		"nothing":           {func(*Config) {}, func(m map[string]any) { delete(m, "registration_endpoint") }, ""},
		"registration off":  {func(c *Config) { c.DynamicRegistration = false }, func(map[string]any) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := authtest.New(t)
			w.EditServer = func(m map[string]any) map[string]any { test.server(m); return m }
			flow, err := authorizer(t, w, defaults(test.cfg)).Begin(t.Context(), "")
			if test.want == "" {
				require.ErrorIs(t, err, errors.ErrClientRegistration)
				require.ErrorContains(t, err, "auth.client_id")
				return
			}
			require.NoError(t, err)
			u, _ := url.Parse(flow.URL)
			assert.Equal(t, test.want, u.Query().Get("client_id"))
		})
	}
}

func TestTokenEndpointMethods(t *testing.T) { // R273
	for listed, want := range map[string]string{
		"none":                "client_id",
		"client_secret_basic": "Basic b3VycyUzQXg6Y2FuYXJ5JTI2c2VjcmV0",
		"client_secret_post":  "client_id client_secret",
		"client_secret_post client_secret_basic none": "Basic b3VycyUzQXg6Y2FuYXJ5JTI2c2VjcmV0",
		"": "Basic b3VycyUzQXg6Y2FuYXJ5JTI2c2VjcmV0",
	} {
		t.Run(listed, func(t *testing.T) {
			w := authtest.New(t)
			w.EditServer = func(m map[string]any) map[string]any {
				m["token_endpoint_auth_methods_supported"] = strings.Fields(listed)
				return m
			}
			a := authorizer(t, w, defaults(func(c *Config) { c.ClientID, c.ClientSecret = "ours:x", secret("canary&secret") }), agreeing(w))
			served(t, w, a.Principal(""), "/mcp")
			var shown []string
			for _, name := range []string{"client_id", "client_secret"} {
				if w.Forms()[0].Has(name) {
					shown = append(shown, name)
				}
			}
			if header := w.Headers()[0].Get("Authorization"); header != "" {
				shown = append(shown, header)
			}
			assert.Equal(t, want, strings.Join(shown, " "))
		})
	}
}

func TestAuthorizationResponses(t *testing.T) { // R256, R258-R261, P89
	for name, test := range map[string]struct {
		edit      func(url.Values)
		announced bool
		want      error // nil: accepted
	}{
		"iss as announced":         {nil, true, nil},
		"iss though not announced": {nil, false, nil},
		"none, as announced":       {func(q url.Values) { q.Del("iss") }, false, nil},
		"none though announced":    {func(q url.Values) { q.Del("iss") }, true, errors.ErrAuthorizationResponse},
		"another iss":              {func(q url.Values) { q.Set("iss", "https://evil.example.com") }, true, errors.ErrAuthorizationResponse},
		"another, not announced":   {func(q url.Values) { q.Set("iss", "https://evil.example.com") }, false, errors.ErrAuthorizationResponse},
		"a slash more":             {func(q url.Values) { q.Set("iss", q.Get("iss")+"/") }, true, errors.ErrAuthorizationResponse},
		"empty":                    {func(q url.Values) { q.Set("iss", "") }, false, errors.ErrAuthorizationResponse},
		"twice":                    {func(q url.Values) { q.Add("iss", q.Get("iss")) }, true, errors.ErrAuthorizationResponse},
		"no state":                 {func(q url.Values) { q.Del("state") }, true, errors.ErrAuthorizationResponse},
		"another state":            {func(q url.Values) { q.Set("state", "x") }, true, errors.ErrAuthorizationResponse},
		"two states":               {func(q url.Values) { q.Add("state", "x") }, true, errors.ErrAuthorizationResponse},
		"no code":                  {func(q url.Values) { q.Del("code") }, true, errors.ErrAuthorizationResponse},
		"two codes":                {func(q url.Values) { q.Add("code", "x") }, true, errors.ErrAuthorizationResponse},
		"error":                    {func(q url.Values) { q.Set("error", "access_denied"); q.Set("error_description", "peer says no") }, true, errors.ErrAuthorizationDenied},
		"error from somebody else": {func(q url.Values) {
			q.Set("iss", "https://e")
			q.Set("error", "x")
			q.Set("error_description", "peer says no")
		}, true, errors.ErrAuthorizationResponse},
	} {
		t.Run(name, func(t *testing.T) {
			w := authtest.New(t)
			w.EditRedirect = test.edit
			w.EditServer = func(m map[string]any) map[string]any {
				m["authorization_response_iss_parameter_supported"] = test.announced
				return m
			}
			a := authorizer(t, w, defaults(nil), agreeing(w))
			_, err := w.Call(t.Context(), a.Principal(""), "/mcp")
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, test.want)
			assert.Zero(t, w.Count("authorization_code"), "the code goes nowhere")
			assert.Equal(t, test.want == errors.ErrAuthorizationDenied, strings.Contains(err.Error(), "peer says no"), "R261")
			status, err := a.Status(t.Context(), "")
			require.NoError(t, err)
			assert.False(t, status.Authorized, "nothing is stored")
		})
	}
}

// A store in memory goes by the clock of the authorizer, whoever made the store.
func TestTwoHalvesByAnotherClock(t *testing.T) {
	for _, skew := range []time.Duration{-25 * time.Hour, 25 * time.Hour} {
		for name, keep := range map[string]func(Store) Option{"its own": WithStore, "to fall back on": WithFallbackStore} {
			w := authtest.New(t)
			a := authorizer(t, w, defaults(nil), keep(NewMemoryStore()), WithClock(func() time.Time { return time.Now().Add(skew) }))
			flow, err := a.Begin(t.Context(), "alice")
			require.NoError(t, err)
			query, err := w.Consent(t.Context(), flow.URL)
			require.NoError(t, err)
			require.NoError(t, a.Finish(t.Context(), "alice", query), "%s %v", name, skew)
			served(t, w, a.Principal("alice"), "/mcp")
		}
	}
}

func TestTwoHalves(t *testing.T) {
	w := authtest.New(t)
	a := authorizer(t, w, defaults(nil))
	_, err := w.Call(t.Context(), a.Principal("alice"), "/mcp")
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	failure, _ := errors.AsType[*errors.TransporterRequestError](err)
	require.NotNil(t, failure)
	assert.Equal(t, errors.KindAuth, failure.Kind)
	assert.Equal(t, errors.DeliveryRefused, failure.Delivery)
	assert.Equal(t, http.StatusUnauthorized, failure.Status)
	require.Len(t, failure.Challenge, 1)
	assert.Zero(t, w.Count("resource"), "that costs no request")

	flow, err := a.Begin(t.Context(), "alice", Because(err))
	require.NoError(t, err)
	query, err := w.Consent(t.Context(), flow.URL)
	require.NoError(t, err)
	require.ErrorIs(t, a.Finish(t.Context(), "mallory", query), errors.ErrAuthorizationResponse, "it is alice's")
	require.NoError(t, a.Finish(t.Context(), "alice", query))
	require.ErrorIs(t, a.Finish(t.Context(), "alice", query), errors.ErrAuthorizationResponse, "an answer is good once")
	served(t, w, a.Principal("alice"), "/mcp")
	_, err = w.Call(t.Context(), a.Principal("bob"), "/mcp")
	require.ErrorIs(t, err, errors.ErrAuthRequired)
}

func TestFlowsEnd(t *testing.T) {
	w := authtest.New(t)
	now := &clock{time.Now()}
	a := authorizer(t, w, defaults(nil), WithClock(now.time))
	flow, err := a.Begin(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, now.now.Add(10*time.Minute), flow.Expires)
	query, err := w.Consent(t.Context(), flow.URL)
	require.NoError(t, err)
	now.now = flow.Expires
	require.ErrorIs(t, a.Finish(t.Context(), "", query), errors.ErrAuthorizationResponse)
}

func TestFlowsOfOtherReplicas(t *testing.T) {
	w := authtest.New(t)
	store := NewMemoryStore()
	first, second := authorizer(t, w, defaults(nil), WithStore(store)), authorizer(t, w, defaults(nil), WithStore(store))
	flow, err := first.Begin(t.Context(), "alice")
	require.NoError(t, err)
	query, err := w.Consent(t.Context(), flow.URL)
	require.NoError(t, err)
	require.NoError(t, second.Finish(t.Context(), "alice", query))
	served(t, w, first.Principal("alice"), "/mcp")
	assert.Equal(t, 1, w.Count("register"))
}

func TestLiesInMetadata(t *testing.T) { // R239, R242, R255, R304
	for name, test := range map[string]struct {
		resource, server func(map[string]any) map[string]any
		want             string
	}{
		"resource":         {resource: func(m map[string]any) map[string]any { m["resource"] = "https://evil.example.com/mcp"; return m }, want: "evil.example.com"},
		"issuer":           {server: func(m map[string]any) map[string]any { m["issuer"] = "https://evil.example.com"; return m }, want: "evil.example.com"},
		"no PKCE":          {server: func(m map[string]any) map[string]any { delete(m, "code_challenge_methods_supported"); return m }, want: "S256"},
		"script":           {server: func(m map[string]any) map[string]any { m["authorization_endpoint"] = "javascript:alert(1)"; return m }, want: "authorization_endpoint"},
		"no metadata":      {server: func(map[string]any) map[string]any { return nil }, want: "no metadata found"},
		"no authorization": {server: func(m map[string]any) map[string]any { delete(m, "authorization_endpoint"); return m }, want: "authorization_endpoint"},
		"private issuer": {resource: func(m map[string]any) map[string]any {
			m["authorization_servers"] = []string{"http://10.0.0.1"}
			return m
		}, want: "only https"},
		"tenMiB": {server: func(m map[string]any) map[string]any { m["x"] = strings.Repeat("x", 10<<20); return m }, want: "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			w := authtest.New(t)
			w.EditResource, w.EditServer = test.resource, test.server
			a := authorizer(t, w, defaults(nil), agreeing(w))
			_, err := w.Call(t.Context(), a.Principal(""), "/mcp")
			require.ErrorIs(t, err, errors.ErrAuthorizationDiscovery)
			require.ErrorContains(t, err, test.want)
			assert.Zero(t, w.Count("authorize"))
			assert.Zero(t, w.Count("register"))
		})
	}
}

func TestServersOf20250326(t *testing.T) { // R244, P100
	w := authtest.New(t)
	w.EditResource = func(map[string]any) map[string]any { return nil }
	w.Challenge = func(int, string) []string { return nil }
	a := authorizer(t, w, defaults(nil))
	flow, err := a.Begin(t.Context(), "")
	require.ErrorIs(t, err, errors.ErrClientRegistration, "the world's resource has no /register")
	assert.Nil(t, flow)
	a = authorizer(t, w, defaults(func(c *Config) { c.ClientID = "ours" }))
	flow, err = a.Begin(t.Context(), "")
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(flow.URL, w.Resource.URL+"/authorize?"), flow.URL)
	assert.Contains(t, flow.URL, "resource="+url.QueryEscape(w.Endpoint()))
}

// The authorization server has lost its memory: the next user gets a new client.
func TestARegistrationThatIsForgotten(t *testing.T) {
	w := authtest.New(t)
	w.Token = func(url.Values, http.Header) (int, string) {
		return http.StatusUnauthorized, `{"error":"invalid_client"}`
	}
	a := authorizer(t, w, defaults(nil))
	flow, err := a.Begin(t.Context(), "")
	require.NoError(t, err)
	query, err := w.Consent(t.Context(), flow.URL)
	require.NoError(t, err)
	require.ErrorIs(t, a.Finish(t.Context(), "", query), errors.ErrTokenRequest)
	w.Token = nil
	login(t, w, a, "")
	assert.Equal(t, 2, w.Count("register"))
}

// meetingStore lets nobody read a flow before two have.
type meetingStore struct {
	MemoryStore
	both sync.WaitGroup
}

func (s *meetingStore) Get(ctx context.Context, key Key) ([]byte, bool, error) {
	value, found, err := s.MemoryStore.Get(ctx, key)
	if key.Kind == KindFlow {
		s.both.Done()
		s.both.Wait()
	}
	return value, found, err
}

func TestAnAnswerThatComesTwiceAtTheSameTime(t *testing.T) {
	w := authtest.New(t)
	store := &meetingStore{}
	store.both.Add(2)
	a := authorizer(t, w, defaults(nil), WithStore(store))
	flow, err := a.Begin(t.Context(), "")
	require.NoError(t, err)
	query, err := w.Consent(t.Context(), flow.URL)
	require.NoError(t, err)
	var failed atomic.Int32
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if err := a.Finish(context.Background(), "", query); err != nil {
				assert.ErrorIs(t, err, errors.ErrAuthorizationResponse)
				failed.Add(1)
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, 1, failed.Load())
	assert.Equal(t, 1, w.Count("authorization_code"))
}
