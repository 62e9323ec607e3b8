package auth

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/authtest"
)

func TestRefreshAfterRefusal(t *testing.T) { // P94, P95, R272
	w := authtest.New(t)
	a := authorizer(t, w, defaults(nil))
	login(t, w, a, "")
	w.ExpireAccess(false)
	served(t, w, a.Principal(""), "/mcp")
	form := w.Forms()[1]
	assert.Equal(t, "refresh_token", form.Get("grant_type"))
	assert.Equal(t, w.Endpoint(), form.Get("resource"))
	assert.Equal(t, "client-1", form.Get("client_id"))
	w.ExpireAccess(false)
	served(t, w, a.Principal(""), "/mcp") // the world's refresh tokens are good once: rotation
	assert.Equal(t, 2, w.Count("refresh_token"))
	assert.Equal(t, 1, w.Count("authorize"))
}

func TestRefreshKeepsATokenThatIsNotRotated(t *testing.T) {
	w := authtest.New(t)
	w.EditToken = func(form url.Values, answer map[string]any) {
		if form.Get("grant_type") == "refresh_token" {
			delete(answer, "refresh_token")
		}
	}
	a := authorizer(t, w, defaults(nil))
	login(t, w, a, "")
	before := a.Principal("").current.Load()
	w.ExpireAccess(false)
	p := a.Principal("")
	served(t, w, p, "/mcp")
	assert.Equal(t, before.Refresh, p.current.Load().Refresh)
}

func TestRefreshBeforeTheEnd(t *testing.T) {
	w := authtest.New(t)
	now := &clock{time.Now()}
	a := authorizer(t, w, defaults(nil), WithClock(now.time))
	p := a.Principal("")
	login(t, w, a, "")
	for _, step := range []struct {
		ahead     time.Duration
		refreshes int
	}{{0, 0}, {58 * time.Minute, 0}, {90 * time.Second, 1}, {0, 1}, {24 * time.Hour, 2}} {
		now.now = now.now.Add(step.ahead)
		served(t, w, p, "/mcp")
		assert.Equal(t, step.refreshes, w.Count("refresh_token"), step.ahead)
	}
	assert.Zero(t, w.Count("401"), "no call was refused")
}

func TestTokensWithoutAnEndAreUsedUntilTheyAreRefused(t *testing.T) {
	for name, lifetime := range map[string]any{"absent": nil, "zero": 0, "negative": -1, "words": "soon"} {
		t.Run(name, func(t *testing.T) {
			w := authtest.New(t)
			w.EditToken = func(_ url.Values, answer map[string]any) {
				delete(answer, "expires_in")
				if lifetime != nil {
					answer["expires_in"] = lifetime
				}
			}
			now := &clock{time.Now()}
			a := authorizer(t, w, defaults(nil), WithClock(now.time))
			login(t, w, a, "")
			now.now = now.now.Add(1000 * time.Hour)
			served(t, w, a.Principal(""), "/mcp")
			assert.Zero(t, w.Count("refresh_token"))
		})
	}
	assert.Equal(t, time.Hour, (&tokenAnswer{ExpiresIn: []byte(`"3600"`)}).lifetime())
}

func TestARefreshTokenThatIsNoGood(t *testing.T) {
	w := authtest.New(t)
	store := NewMemoryStore()
	a := authorizer(t, w, defaults(nil), WithStore(store))
	login(t, w, a, "")
	w.ExpireAccess(true)
	_, err := w.Call(t.Context(), a.Principal(""), "/mcp")
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	_, found, _ := store.Get(t.Context(), a.tokenKey(w.Issuer.URL, ""))
	assert.False(t, found, "it is forgotten")
	_, err = w.Call(t.Context(), a.Principal(""), "/mcp")
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	assert.Equal(t, 1, w.Count("refresh_token"), "and not tried again")

	login(t, w, a, "")
	served(t, w, a.Principal(""), "/mcp")
}

func TestARefreshThatFailsForNow(t *testing.T) {
	w := authtest.New(t)
	now := &clock{time.Now()}
	a := authorizer(t, w, defaults(nil), WithClock(now.time))
	p := a.Principal("")
	login(t, w, a, "")
	w.Token = func(url.Values, http.Header) (int, string) { return http.StatusServiceUnavailable, "<html>" }
	now.now = now.now.Add(time.Hour - 10*time.Second)
	served(t, w, p, "/mcp")
	now.now = now.now.Add(20 * time.Second)
	_, err := w.Call(t.Context(), p, "/mcp")
	require.ErrorIs(t, err, errors.ErrTokenRequest)
	failure, _ := errors.AsType[*errors.TransporterRequestError](err)
	assert.Equal(t, errors.DeliveryNotSent, failure.Delivery)
	tries := w.Count("refresh_token")
	_, err = w.Call(t.Context(), p, "/mcp")
	require.ErrorIs(t, err, errors.ErrTokenRequest)
	assert.Equal(t, tries, w.Count("refresh_token"), "a server in trouble is left alone for a while")

	w.Token = nil
	now.now = now.now.Add(failurePause)
	served(t, w, p, "/mcp")
	assert.Equal(t, 1, w.Count("authorize"), "the refresh token was not given up")
}

// 1,000 callers of ten principals see their tokens refused at the same time.
func TestManyCallersRefreshOnce(t *testing.T) {
	w := authtest.New(t)
	a := authorizer(t, w, defaults(nil))
	var principals []*Principal
	for i := range 10 {
		name := string(rune('a' + i))
		login(t, w, a, name)
		principals = append(principals, a.Principal(name))
	}
	w.ExpireAccess(false)
	var all sync.WaitGroup
	for i := range 1000 {
		all.Go(func() {
			if status, err := w.Call(context.Background(), principals[i%10], "/mcp"); assert.NoError(t, err) {
				assert.Equal(t, http.StatusOK, status)
			}
		})
	}
	all.Wait()
	assert.Equal(t, 10, w.Count("refresh_token"))
	assert.Equal(t, 1000, w.Count("served"))
}

func TestACallThatIsCancelledDoesNotLoseTheToken(t *testing.T) {
	w := authtest.New(t)
	a := authorizer(t, w, defaults(nil))
	p := a.Principal("")
	login(t, w, a, "")
	w.ExpireAccess(false)
	asked, answer := make(chan struct{}), make(chan struct{})
	w.Token = func(url.Values, http.Header) (int, string) {
		close(asked)
		<-answer
		return 0, ""
	}
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := w.Call(ctx, p, "/mcp")
		result <- err
	}()
	<-asked
	cancel()
	require.ErrorIs(t, <-result, context.Canceled)
	close(answer)
	w.Change(func() { w.Token = nil })
	served(t, w, p, "/mcp")
	assert.Equal(t, 1, w.Count("refresh_token"), "the refresh went on")
}

func TestAnotherProcessWasQuicker(t *testing.T) {
	w := authtest.New(t)
	store := NewMemoryStore()
	first, second := authorizer(t, w, defaults(nil), WithStore(store)), authorizer(t, w, defaults(nil), WithStore(store))
	login(t, w, first, "")
	p, q := first.Principal(""), second.Principal("")
	served(t, w, q, "/mcp") // from the store
	w.ExpireAccess(false)
	served(t, w, p, "/mcp")
	served(t, w, q, "/mcp")
	assert.Equal(t, 1, w.Count("refresh_token"))
	assert.Equal(t, 1, w.Count("authorize"))
}

func TestMigration(t *testing.T) { // R243, R253, P93
	for name, document := range map[string]string{"registered": "", "metadata document": "https://app.example.com/client.json"} {
		t.Run(name, func(t *testing.T) { migrate(t, document) })
	}
}

func migrate(t *testing.T, document string) {
	w, other := authtest.New(t), authtest.New(t)
	for _, world := range []*authtest.World{w, other} {
		world.EditServer = func(m map[string]any) map[string]any {
			m["client_id_metadata_document_supported"] = true
			return m
		}
	}
	a := authorizer(t, w, defaults(func(c *Config) { c.ClientMetadataURL = document }), agreeing(other)) // Consent follows any URL
	served(t, w, a.Principal(""), "/mcp")
	w.EditResource = func(m map[string]any) map[string]any {
		m["authorization_servers"] = []string{other.Issuer.URL}
		return m
	}
	w.ExpireAccess(false)
	_, err := w.Call(t.Context(), a.Principal(""), "/mcp") // the world does not know the other's tokens
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	registrations := 1
	if document != "" { // that client is everybody's
		registrations = 0
	}
	assert.Equal(t, registrations, other.Count("register"))
	assert.Equal(t, 1, other.Count("authorize"))
	assert.Zero(t, w.Count("refresh_token")+other.Count("refresh_token"), "the old token goes nowhere")
}

func TestConfiguredCredentialsDoNotMigrate(t *testing.T) { // R253
	for name, issuer := range map[string]bool{"with issuer": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			w, other := authtest.New(t), authtest.New(t)
			a := authorizer(t, w, defaults(func(c *Config) {
				c.ClientID, c.ClientSecret = "ours", secret("canary-secret")
				if issuer {
					c.Issuer = w.Issuer.URL
				}
			}), agreeing(w))
			served(t, w, a.Principal(""), "/mcp")
			w.EditResource = func(m map[string]any) map[string]any {
				m["authorization_servers"] = []string{other.Issuer.URL}
				return m
			}
			w.ExpireAccess(true)
			_, err := w.Call(t.Context(), a.Principal(""), "/mcp")
			require.ErrorContains(t, err, other.Issuer.URL)
			require.ErrorContains(t, err, "auth.issuer")
			assert.Zero(t, other.Count("authorize"))
			assert.Empty(t, other.Forms())
		})
	}
}

func TestAServerThatRefusesEverything(t *testing.T) {
	w := authtest.New(t)
	w.Scopes = map[string][]string{}
	w.EditToken = func(url.Values, map[string]any) { w.ExpireAccess(false) }
	a := authorizer(t, w, defaults(nil), agreeing(w))
	_, err := w.Call(t.Context(), a.Principal(""), "/mcp")
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	require.ErrorContains(t, err, "refuses the token that it was just given")
	assert.Equal(t, 1, w.Count("authorize"))
}

func TestOnlyTheTokenThatIsNoGoodIsRemoved(t *testing.T) {
	w := authtest.New(t)
	store := NewMemoryStore()
	first, second := authorizer(t, w, defaults(nil), WithStore(store)), authorizer(t, w, defaults(nil), WithStore(store))
	login(t, w, first, "")
	p := first.Principal("")
	old := p.current.Load()
	login(t, w, second, "") // a newer one, of another process
	p.drop(t.Context(), old)
	assert.Nil(t, p.current.Load())
	stored, err := p.stored(t.Context())
	require.NoError(t, err)
	require.NotNil(t, stored)
	assert.NotEqual(t, old.Access, stored.Access)
}
