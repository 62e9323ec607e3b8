package oidc

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
)

func TestFirstCall(t *testing.T) { // R236, R240, R254, R273
	p := startProvider(t)
	r := startResource(t, p)
	files := connect(t, r, web())
	err := echo(t.Context(), t, files)
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	flow, err := files.Authorizer().Begin(t.Context(), "", auth.Because(err))
	require.NoError(t, err)
	assert.Equal(t, p.URL, flow.Issuer)
	assert.Equal(t, webClient, flow.ClientID)
	assert.False(t, flow.Registered)
	assert.Equal(t, []string{"openid", "profile", "offline_access"}, flow.Scopes, "the provider offers the last one")
	query, err := p.consent(t.Context(), flow.URL, userOne)
	require.NoError(t, err)
	require.NoError(t, files.Authorizer().Finish(t.Context(), "", query))
	require.NoError(t, echo(t.Context(), t, files))
	assert.Equal(t, []string{subjectOne}, r.served())
	status, err := files.Authorizer().Status(t.Context(), "")
	require.NoError(t, err)
	assert.True(t, status.Renewable)
	assert.WithinDuration(t, time.Now().Add(5*time.Minute), status.Expires, time.Minute)

	require.ErrorIs(t, files.Authorizer().Finish(t.Context(), "", query), errors.ErrAuthorizationResponse, "a callback is good once")
}

// The user is asked within the call, and the call goes on.
func TestFirstCallThatWaits(t *testing.T) {
	p := startProvider(t)
	r := startResource(t, p)
	files := connect(t, r, web(), asking(p, userOne))
	require.NoError(t, echo(t.Context(), t, files))
	assert.Equal(t, []string{subjectOne}, r.served())
	assert.Equal(t, 1, p.count("authorization_code"))
}

// A public client on the user's machine, whose port nobody knows beforehand
// (RFC 8252).
func TestAPublicClient(t *testing.T) {
	p := startProvider(t)
	r := startResource(t, p)
	files := connect(t, r, map[string]any{"client_id": nativeClient, "redirect_url": redirectURL})
	flow, err := files.Authorizer().Begin(t.Context(), "", auth.RedirectTo("http://127.0.0.1:9999/auth/callback"))
	require.NoError(t, err)
	query, err := p.consent(t.Context(), flow.URL, userOne)
	require.NoError(t, err)
	require.NoError(t, files.Authorizer().Finish(t.Context(), "", query))
	status, err := files.Authorizer().Status(t.Context(), "")
	require.NoError(t, err)
	assert.True(t, status.Authorized)
	assert.Equal(t, nativeClient, status.ClientID)
}

func TestRefreshAndRotation(t *testing.T) { // P94, R272
	for name, end := range map[string]func(*clock){
		"before the end": func(now *clock) { now.set(4*time.Minute + 45*time.Second) },
		"after the end":  func(now *clock) { now.set(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			p := startProvider(t)
			r := startResource(t, p)
			now := &clock{}
			store := &recordingStore{MemoryStore: auth.NewMemoryStore()}
			files := connect(t, r, web(), mcpclient.WithAuthOptions(auth.WithClock(now.time)), mcpclient.WithTokenStore(store))
			logIn(t, p, files, "", userOne)
			require.NoError(t, echo(t.Context(), t, files))
			first, spent := r.lastToken(), store.refreshToken(t)
			end(now)
			require.NoError(t, echo(t.Context(), t, files))
			assert.NotEqual(t, first, r.lastToken())
			assert.Equal(t, 1, p.count("refresh_token"))
			assert.Zero(t, r.refused, "renewed before it was sent")

			status, text, err := p.post(t.Context(), "/oauth/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {spent}})
			require.NoError(t, err)
			assert.Equal(t, http.StatusBadRequest, status, "it was rotated")
			assert.Contains(t, text, "invalid_grant")
			assert.NotEqual(t, spent, store.refreshToken(t))
			known, err := r.introspect(t.Context(), first)
			require.NoError(t, err)
			assert.False(t, known.Active)

			before := p.count("refresh_token")
			now.set(3 * time.Hour)
			require.NoError(t, echo(t.Context(), t, files), "with the one that came in its place")
			assert.Equal(t, before+1, p.count("refresh_token"))
			assert.Equal(t, 1, p.count("authorization_code"))
		})
	}
}

// Our clock is wrong, by more than a token lives: what counts is how long a token
// is good for, from its arrival on.
func TestClockSkew(t *testing.T) {
	for _, skew := range []time.Duration{-25 * time.Hour, -10 * time.Minute, 10 * time.Minute, 25 * time.Hour} {
		t.Run(skew.String(), func(t *testing.T) {
			p := startProvider(t)
			r := startResource(t, p)
			now := &clock{ahead: skew}
			files := connect(t, r, web(), mcpclient.WithAuthOptions(auth.WithClock(now.time)))
			logIn(t, p, files, "", userOne)
			for range 3 {
				require.NoError(t, echo(t.Context(), t, files))
			}
			assert.Zero(t, p.count("refresh_token"))
			now.set(skew + 6*time.Minute)
			require.NoError(t, echo(t.Context(), t, files))
			assert.Equal(t, 1, p.count("refresh_token"))
		})
	}
}

func TestStepUp(t *testing.T) { // R265, R266
	p := startProvider(t)
	r := startResource(t, p)
	sum := func(ctx context.Context, files *mcpclient.Connection) error {
		_, err := files.CallTool(ctx, "add", map[string]any{"a": 2, "b": 3})
		return err
	}
	scopes := func(files *mcpclient.Connection) []string {
		status, err := files.Authorizer().Status(t.Context(), "")
		require.NoError(t, err)
		return status.Scopes
	}
	t.Run("within the call", func(t *testing.T) {
		files := connect(t, r, web(), asking(p, userOne))
		require.NoError(t, echo(t.Context(), t, files))
		assert.NotContains(t, scopes(files), moreScope)
		require.NoError(t, sum(t.Context(), files))
		assert.Equal(t, []string{"openid", "profile", moreScope, "offline_access"}, scopes(files))
		require.NoError(t, echo(t.Context(), t, files))
	})
	t.Run("in two halves", func(t *testing.T) {
		files := connect(t, r, web())
		logIn(t, p, files, "", userOne)
		require.NoError(t, echo(t.Context(), t, files))
		err := sum(t.Context(), files)
		require.ErrorIs(t, err, errors.ErrAuthRequired)
		logIn(t, p, files, "", userOne) // Begin knows what the call lacked
		assert.Contains(t, scopes(files), moreScope)
		require.NoError(t, sum(t.Context(), files))
	})
}

func TestRevocation(t *testing.T) {
	p := startProvider(t)
	r := startResource(t, p)
	files := connect(t, r, web())
	logIn(t, p, files, "", userOne)
	require.NoError(t, echo(t.Context(), t, files))
	token := r.lastToken()
	require.NoError(t, files.Authorizer().Revoke(t.Context(), ""))
	known, err := r.introspect(t.Context(), token)
	require.NoError(t, err)
	assert.False(t, known.Active, "the provider knows")
	require.ErrorIs(t, echo(t.Context(), t, files), errors.ErrAuthRequired)

	// The provider's administrator ends it: the refresh token is spent in vain, and
	// the user has to log in again.
	logIn(t, p, files, "", userOne)
	require.NoError(t, echo(t.Context(), t, files))
	require.NoError(t, p.storage.TerminateSession(t.Context(), subjectOne, webClient))
	require.ErrorIs(t, echo(t.Context(), t, files), errors.ErrAuthRequired)
	tries := p.count("refresh_token")
	require.ErrorIs(t, echo(t.Context(), t, files), errors.ErrAuthRequired)
	assert.Equal(t, tries, p.count("refresh_token"), "once")
	logIn(t, p, files, "", userOne)
	require.NoError(t, echo(t.Context(), t, files))
}

// The access token alone is ended: the next call gets another one, unseen.
func TestAnAccessTokenThatIsEnded(t *testing.T) {
	p := startProvider(t)
	r := startResource(t, p)
	files := connect(t, r, web())
	logIn(t, p, files, "", userOne)
	require.NoError(t, echo(t.Context(), t, files))
	status, text, err := p.post(t.Context(), "/revoke", url.Values{"token": {r.lastToken()}, "token_type_hint": {"access_token"}})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, text)
	require.NoError(t, echo(t.Context(), t, files))
	assert.Equal(t, 1, p.count("refresh_token"))
}

// Two users log in, call, and have their tokens renewed at the same time; nobody
// gets the other's.
func TestTwoPrincipalsAtOnce(t *testing.T) {
	p := startProvider(t)
	r := startResource(t, p)
	now := &clock{}
	files := connect(t, r, web(), mcpclient.WithAuthOptions(auth.WithClock(now.time)))
	users := map[string]struct{ username, subject string }{"alice": {userOne, subjectOne}, "bob": {userTwo, subjectTwo}}
	var all sync.WaitGroup
	for principal, user := range users {
		all.Go(func() {
			ctx := mcpclient.WithPrincipal(context.Background(), principal)
			assert.ErrorIs(t, echo(ctx, t, files), errors.ErrAuthRequired)
			flow, err := files.Authorizer().Begin(ctx, principal)
			if !assert.NoError(t, err) {
				return
			}
			query, err := p.consent(ctx, flow.URL, user.username)
			assert.NoError(t, err)
			assert.NoError(t, files.Authorizer().Finish(ctx, principal, query))
		})
	}
	all.Wait()
	for round := range 3 {
		now.set(time.Duration(round) * time.Hour) // each round the tokens have ended
		for principal := range users {
			for range 20 {
				all.Go(func() {
					assert.NoError(t, echo(mcpclient.WithPrincipal(context.Background(), principal), t, files))
				})
			}
		}
		all.Wait()
	}
	assert.Equal(t, 4, p.count("refresh_token"), "two users, two rounds")
	assert.Equal(t, []string{subjectOne, subjectTwo}, r.served())
	for principal, user := range users {
		require.NoError(t, echo(mcpclient.WithPrincipal(t.Context(), principal), t, files))
		assert.Equal(t, []string{user.subject}, r.served(), principal)
	}
}

func TestAMachine(t *testing.T) { // R276
	p := startProvider(t)
	r := startResource(t, p)
	files := connect(t, r, map[string]any{"type": "client_credentials", "client_id": machine, "client_secret": machineKey})
	// The provider's machine clients may ask for their own tokens only, so that the
	// resource, another client, is not told of them: the grant is what counts here.
	err := echo(t.Context(), t, files)
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	assert.Equal(t, 1, p.count("client_credentials"))
	status, err := files.Authorizer().Status(t.Context(), "")
	require.NoError(t, err)
	assert.True(t, status.Authorized)
}

func TestWhatTheProviderRefuses(t *testing.T) {
	p := startProvider(t)
	r := startResource(t, p)
	t.Run("a redirect URL that it does not know", func(t *testing.T) {
		section := web()
		section["redirect_url"] = "http://127.0.0.1:9999/elsewhere"
		files := connect(t, r, section)
		flow, err := files.Authorizer().Begin(t.Context(), "")
		require.NoError(t, err)
		_, err = p.consent(t.Context(), flow.URL, userOne)
		require.Error(t, err, "its own page says so")
	})
	t.Run("a secret that is wrong", func(t *testing.T) {
		section := web()
		section["client_secret"] = "canary-wrong"
		files := connect(t, r, section)
		flow, err := files.Authorizer().Begin(t.Context(), "")
		require.NoError(t, err)
		query, err := p.consent(t.Context(), flow.URL, userOne)
		require.NoError(t, err)
		err = files.Authorizer().Finish(t.Context(), "", query)
		require.ErrorIs(t, err, errors.ErrTokenRequest)
		assert.NotContains(t, fmt.Sprintf("%v %+v", err, err), "canary")
	})
	t.Run("a code that was tampered with", func(t *testing.T) {
		files := connect(t, r, web())
		flow, err := files.Authorizer().Begin(t.Context(), "")
		require.NoError(t, err)
		query, err := p.consent(t.Context(), flow.URL, userOne)
		require.NoError(t, err)
		query.Set("code", strings.ToUpper(query.Get("code")))
		require.ErrorIs(t, files.Authorizer().Finish(t.Context(), "", query), errors.ErrTokenRequest)
		status, err := files.Authorizer().Status(t.Context(), "")
		require.NoError(t, err)
		assert.False(t, status.Authorized)
	})
	t.Run("a code that was stolen", func(t *testing.T) { // PKCE
		files, thief := connect(t, r, web()), connect(t, r, web())
		flow, err := files.Authorizer().Begin(t.Context(), "")
		require.NoError(t, err)
		query, err := p.consent(t.Context(), flow.URL, userOne)
		require.NoError(t, err)
		theirs, err := thief.Authorizer().Begin(t.Context(), "")
		require.NoError(t, err)
		stolen := url.Values{"code": query["code"], "state": {theirs.State}}
		require.ErrorIs(t, thief.Authorizer().Finish(t.Context(), "", stolen), errors.ErrTokenRequest)
	})
}
