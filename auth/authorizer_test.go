package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/authtest"
)

func TestTokensGoToTheirOrigin(t *testing.T) { // R269, R270, P99
	w := authtest.New(t)
	a := authorizer(t, w, defaults(nil))
	login(t, w, a, "")
	for target, want := range map[string]bool{
		w.Endpoint():                            true,
		w.Resource.URL + "/other?x=y":           true,
		strings.ToUpper(w.Resource.URL):         true,
		w.Issuer.URL:                            false,
		"https" + w.Endpoint()[len("http"):]:    false,
		"http://127.0.0.1.evil.example.com/mcp": false,
		"http://[::":                            false,
	} {
		header := http.Header{}
		require.NoError(t, a.Principal("").Authorize(t.Context(), "GET", target, header))
		assert.Equal(t, want, header.Get("Authorization") != "", target)
	}
}

func TestTokensSurviveARestart(t *testing.T) {
	w := authtest.New(t)
	store := NewMemoryStore()
	login(t, w, authorizer(t, w, defaults(nil), WithStore(store)), "alice")
	b := authorizer(t, w, defaults(nil), WithStore(store))
	served(t, w, b.Principal("alice"), "/mcp")
	assert.Zero(t, w.Count("401"), "not even one refusal")

	other, err := New("files", "https://elsewhere.example.com/mcp", defaults(nil), WithStore(store), WithHTTPClient(w.Client))
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	header := http.Header{}
	require.NoError(t, other.Principal("alice").Authorize(t.Context(), "GET", "https://elsewhere.example.com/mcp", header))
	assert.Empty(t, header, "another URL under the same name has other tokens (R270)")
}

func TestStatusAndRevoke(t *testing.T) {
	w := authtest.New(t)
	a := authorizer(t, w, defaults(func(c *Config) { c.Scopes = []string{"read"} }))
	status, err := a.Status(t.Context(), "alice")
	require.NoError(t, err)
	assert.Equal(t, Status{}, status)
	require.NoError(t, a.Revoke(t.Context(), "alice"))
	login(t, w, a, "alice")
	status, err = a.Status(t.Context(), "alice")
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now().Add(time.Hour), status.Expires, time.Minute)
	status.Expires = time.Time{}
	assert.Equal(t, Status{Authorized: true, Issuer: w.Issuer.URL, Resource: w.Endpoint(), ClientID: "client-1", Scopes: []string{"read"}, Renewable: true}, status)

	require.NoError(t, a.Revoke(t.Context(), "alice"))
	assert.Equal(t, 1, w.Count("revoke"))
	status, err = a.Status(t.Context(), "alice")
	require.NoError(t, err)
	assert.False(t, status.Authorized)
	_, err = w.Call(t.Context(), a.Principal("alice"), "/mcp")
	require.ErrorIs(t, err, errors.ErrAuthRequired)
}

func TestHandlers(t *testing.T) {
	w := authtest.New(t)
	a := authorizer(t, w, defaults(nil))
	identify := func(r *http.Request) (string, error) {
		if user := r.Header.Get("X-User"); user != "" {
			return user, nil
		}
		return "", errors.New("nobody")
	}
	get := func(h http.Handler, target, user string) *http.Response {
		request := httptest.NewRequest(http.MethodGet, target, nil)
		request.Header.Set("X-User", user)
		recorder := httptest.NewRecorder()
		h.ServeHTTP(recorder, request)
		return recorder.Result()
	}
	loginHandler := a.LoginHandler(identify, nil)
	callback := a.CallbackHandler(identify, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) }, nil)
	assert.Equal(t, http.StatusUnauthorized, get(loginHandler, "/login", "").StatusCode)
	response := get(loginHandler, "/login", "alice")
	require.Equal(t, http.StatusFound, response.StatusCode)
	query, err := w.Consent(t.Context(), response.Header.Get("Location"))
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, get(callback, "/callback?"+query.Encode(), "").StatusCode)
	assert.Equal(t, http.StatusBadRequest, get(callback, "/callback?"+query.Encode(), "mallory").StatusCode)
	response = get(callback, "/callback?"+query.Encode(), "alice")
	assert.Equal(t, http.StatusNoContent, response.StatusCode)
	assert.Equal(t, "no-referrer", response.Header.Get("Referrer-Policy"))
	served(t, w, a.Principal("alice"), "/mcp")

	w.EditServer = func(map[string]any) map[string]any { return nil }
	assert.Equal(t, http.StatusBadGateway, get(loginHandler, "/login", "bob").StatusCode)
	told := a.LoginHandler(identify, func(w http.ResponseWriter, _ *http.Request, err error) { w.WriteHeader(http.StatusTeapot) })
	assert.Equal(t, http.StatusTeapot, get(told, "/login", "bob").StatusCode)
}

func TestMetadataDocument(t *testing.T) { // R248
	w := authtest.New(t)
	text, _ := newKey(t)
	for _, key := range []string{"", text} {
		a := authorizer(t, w, defaults(func(c *Config) {
			c.ClientMetadataURL, c.PrivateKey, c.RedirectURL = "https://app.example.com/client.json", secret(key), "https://app.example.com/callback"
		}))
		recorder := httptest.NewRecorder()
		a.MetadataHandler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/client.json", nil))
		var document map[string]any
		require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &document))
		assert.Equal(t, "https://app.example.com/client.json", document["client_id"])
		assert.Equal(t, []any{"https://app.example.com/callback"}, document["redirect_uris"])
		assert.Equal(t, []any{"authorization_code", "refresh_token"}, document["grant_types"])
		assert.Equal(t, "web", document["application_type"])
		assert.NotContains(t, recorder.Body.String(), `"d"`)
		if key == "" {
			assert.Equal(t, "none", document["token_endpoint_auth_method"])
			assert.NotContains(t, document, "jwks")
		} else {
			assert.Equal(t, "private_key_jwt", document["token_endpoint_auth_method"])
			assert.Contains(t, document, "jwks")
		}
	}
}

func TestUsersWhoAreAskedAtTheSameTime(t *testing.T) {
	w := authtest.New(t)
	var mu sync.Mutex
	asked := map[string]int{}
	a := authorizer(t, w, defaults(nil), WithInteraction(func(ctx context.Context, request AuthorizationRequest) (url.Values, error) {
		mu.Lock()
		asked[request.Principal]++
		mu.Unlock()
		return w.Consent(ctx, request.URL)
	}))
	var all sync.WaitGroup
	var keep []*Principal
	for i := range 100 {
		p := a.Principal(fmt.Sprint("user", i%5))
		keep = append(keep, p)
		all.Go(func() {
			_, err := w.Call(context.Background(), p, "/mcp")
			assert.NoError(t, err)
		})
	}
	all.Wait()
	runtime.KeepAlive(keep)
	assert.Equal(t, map[string]int{"user0": 1, "user1": 1, "user2": 1, "user3": 1, "user4": 1}, asked)
	assert.Equal(t, 1, w.Count("register"))
}

func TestCloseDoesNotWaitForUsers(t *testing.T) {
	w := authtest.New(t)
	asked, leave := make(chan struct{}), make(chan struct{})
	a := authorizer(t, w, defaults(nil), WithInteraction(func(context.Context, AuthorizationRequest) (url.Values, error) {
		close(asked)
		<-leave
		return nil, nil
	}))
	p := a.Principal("")
	result := make(chan error, 1)
	go func() {
		_, err := w.Call(context.Background(), p, "/mcp")
		result <- err
	}()
	<-asked
	require.NoError(t, a.Close())
	require.ErrorIs(t, <-result, errors.ErrTransportClosed)
	close(leave)
	_, err := w.Call(t.Context(), p, "/mcp")
	require.ErrorIs(t, err, errors.ErrTransportClosed)
}

func TestPrincipalsThatNobodyUsesAreForgotten(t *testing.T) {
	w := authtest.New(t)
	a := authorizer(t, w, defaults(nil))
	for i := range 1000 {
		a.Principal(fmt.Sprint(i))
	}
	assert.Eventually(t, func() bool {
		runtime.GC()
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.principals) < 10
	}, 10*time.Second, time.Millisecond)
	p := a.Principal("kept")
	runtime.GC()
	assert.Same(t, p, a.Principal("kept"))
}

// brokenStore fails at everything.
type brokenStore struct{ readable bool }

func (s brokenStore) Get(context.Context, Key) ([]byte, bool, error) {
	if s.readable {
		return nil, false, nil
	}
	return nil, false, errors.New("the disk is gone")
}

func (brokenStore) Put(context.Context, Key, []byte, time.Time) error {
	return errors.New("the disk is full")
}

func (brokenStore) Swap(context.Context, Key, []byte, []byte, time.Time) (bool, error) {
	return false, errors.New("the disk is full")
}

func (brokenStore) Delete(context.Context, Key, []byte) (bool, error) {
	return false, errors.New("the disk is gone")
}

func TestStoresThatFail(t *testing.T) {
	w := authtest.New(t)
	_, err := w.Call(t.Context(), authorizer(t, w, defaults(nil), WithStore(brokenStore{})).Principal(""), "/mcp")
	require.ErrorContains(t, err, "the disk is gone")
	credentials := defaults(func(c *Config) {
		c.Type, c.ClientID, c.ClientSecret = TypeClientCredentials, "ours", secret("canary-secret")
	})
	served(t, w, authorizer(t, w, credentials, WithStore(brokenStore{readable: true})).Principal(""), "/mcp")
	_, err = authorizer(t, w, defaults(nil), WithStore(brokenStore{readable: true})).Begin(t.Context(), "")
	require.ErrorContains(t, err, "the disk is full")

	store := NewMemoryStore()
	a := authorizer(t, w, defaults(nil), WithStore(store))
	require.NoError(t, store.Put(t.Context(), a.issuerKey(), []byte("canary{"), time.Time{}))
	_, err = w.Call(t.Context(), a.Principal(""), "/mcp")
	require.ErrorContains(t, err, "not one of ours")
	assert.NotContains(t, err.Error(), "canary")
}

func TestNew(t *testing.T) {
	for _, base := range []string{"", "/relative", "http://[::canary"} {
		_, err := New("files", base, Config{})
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "canary")
	}
	a, err := New("files", "https://mcp.example.com/mcp", Config{})
	require.NoError(t, err)
	assert.Equal(t, "files", a.Server())
	_, err = a.Begin(t.Context(), "")
	require.ErrorContains(t, err, "no HTTP client")
	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
}

// Every secret of a whole life appears in no log, no error and no printed value.
func TestSecretsDoNotShow(t *testing.T) { // R271, P104
	var log bytes.Buffer
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: &log})
	text, _ := newKey(t)
	w := authtest.New(t)
	w.Scopes = map[string][]string{"/mcp/write": {"write"}}
	store := NewMemoryStore()
	cfg := defaults(func(c *Config) {
		c.ClientID, c.ClientSecret, c.PrivateKey, c.Assertion = "ours", secret("canary-secret"), secret(text), secret("canary-assertion")
		c.IdentityProvider.IDToken, c.Store.Key = secret("canary-id"), secret("canary-key")
	})
	a := authorizer(t, w, cfg, agreeing(w), WithStore(store), WithLogger(logger))
	var told []error
	tell := func(_ int, err error) { told = append(told, err) }
	p := a.Principal("alice")
	tell(w.Call(t.Context(), p, "/mcp"))
	tell(w.Call(t.Context(), p, "/mcp/write"))
	w.ExpireAccess(true)
	w.Token = func(form url.Values, _ http.Header) (int, string) {
		return 400, `{"error":"invalid_grant","error_description":"no"}`
	}
	tell(w.Call(t.Context(), p, "/mcp"))
	w.Token = func(form url.Values, _ http.Header) (int, string) { return 200, "canary-body" }
	tell(0, a.Finish(t.Context(), "alice", url.Values{"state": {"canary-state"}, "code": {"canary-code"}}))
	w.Token = nil
	login(t, w, a, "alice")
	tok := p.current.Load()
	require.NotNil(t, tok)
	raw, _, _ := store.Get(t.Context(), a.tokenKey(w.Issuer.URL, "alice"))
	require.Contains(t, string(raw), "canary-access", "the store has it")

	shown := log.String()
	for _, err := range told {
		shown += fmt.Sprintf("%v %+v %#v %s", err, err, err, err)
	}
	record, _, err := read[token](t.Context(), store, a.tokenKey(w.Issuer.URL, "alice"))
	require.NoError(t, err)
	for _, value := range []any{tok, *tok, record, *record, cfg, &cfg, store, registration{Secret: "canary"}, pending{Verifier: "canary"}, tokenAnswer{Access: "canary"}, &client{registration: registration{Secret: "canary"}}} {
		shown += fmt.Sprintf("%v %+v %#v %s %q %x", value, value, value, value, value, value)
		var line bytes.Buffer
		slog.New(slog.NewTextHandler(&line, nil)).Info("x", "value", value)
		shown += line.String()
	}
	assert.NotContains(t, shown, "canary")
	assert.NotContains(t, shown, "PRIVATE KEY")
	assert.NotContains(t, shown, fmt.Sprintf("%x", "canary"))
}
