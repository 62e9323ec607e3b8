package auth

import (
	"context"
	"fmt"
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

// 500 callers of ten principals in five replicas when all tokens end: each token
// is refreshed once, and no call fails.
func TestReplicasRefreshOnce(t *testing.T) { // P94, R272
	for name, ended := range map[string]func(*authtest.World, *clock){
		"expired":               func(_ *authtest.World, now *clock) { now.now = now.now.Add(time.Hour) },
		"about to":              func(_ *authtest.World, now *clock) { now.now = now.now.Add(time.Hour - 30*time.Second) },
		"refused by the server": func(w *authtest.World, _ *clock) { w.ExpireAccess(false) },
	} {
		t.Run(name, func(t *testing.T) {
			w := authtest.New(t)
			now := &clock{time.Now()}
			store := &MemoryStore{now: now.time}
			var replicas []*Authorizer
			for range 5 {
				replicas = append(replicas, authorizer(t, w, defaults(nil), WithStore(store), WithClock(now.time)))
			}
			var keep []*Principal
			for i := range 10 {
				name := fmt.Sprint("user", i)
				login(t, w, replicas[0], name)
				for _, replica := range replicas {
					p := replica.Principal(name)
					served(t, w, p, "/mcp") // everybody has the token in memory
					keep = append(keep, p)
				}
			}
			ended(w, now)
			before := w.Count("served")
			var all sync.WaitGroup
			for i := range 500 {
				all.Go(func() {
					status, err := w.Call(context.Background(), keep[i%len(keep)], "/mcp")
					assert.NoError(t, err)
					assert.Equal(t, http.StatusOK, status)
				})
			}
			all.Wait()
			assert.Equal(t, 10, w.Count("refresh_token"))
			assert.Equal(t, 500, w.Count("served")-before)
			assert.Equal(t, 10, w.Count("authorize"))
		})
	}
}

func TestReplicasShareWhatNoUserGave(t *testing.T) {
	w := authtest.New(t)
	store := NewMemoryStore()
	cfg := defaults(func(c *Config) {
		c.Type, c.ClientID, c.ClientSecret = TypeClientCredentials, "ours", secret("canary-secret")
	})
	var all sync.WaitGroup
	for range 5 {
		p := authorizer(t, w, cfg, WithStore(store)).Principal("")
		for range 20 {
			all.Go(func() {
				_, err := w.Call(context.Background(), p, "/mcp")
				assert.NoError(t, err)
			})
		}
	}
	all.Wait()
	assert.Equal(t, 1, w.Count("client_credentials"))
}

func TestReplicasRegisterOnce(t *testing.T) { // R250
	w := authtest.New(t)
	store := NewMemoryStore()
	var all sync.WaitGroup
	for i := range 6 {
		a := authorizer(t, w, defaults(nil), WithStore(store))
		all.Go(func() {
			_, err := a.Begin(context.Background(), fmt.Sprint("user", i))
			assert.NoError(t, err)
		})
	}
	all.Wait()
	assert.Equal(t, 1, w.Count("register"))
}

// A replica dies while it refreshes: the others go on when its lease has run out.
func TestALeaseWhoseOwnerDied(t *testing.T) {
	w := authtest.New(t)
	store := NewMemoryStore()
	a := authorizer(t, w, defaults(nil), WithStore(store))
	login(t, w, a, "")
	w.ExpireAccess(false)
	lease := a.tokenLease(w.Issuer.URL, "")
	require.NoError(t, store.Put(t.Context(), lease, []byte("somebody"), time.Now().Add(100*time.Millisecond)))
	served(t, w, a.Principal(""), "/mcp")
	assert.Equal(t, 1, w.Count("refresh_token"))
	_, found, err := store.Get(t.Context(), lease)
	require.NoError(t, err)
	assert.False(t, found, "it was given back")

	w.ExpireAccess(false)
	require.NoError(t, store.Put(t.Context(), lease, []byte("somebody"), time.Time{}))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = w.Call(ctx, a.Principal(""), "/mcp")
	require.ErrorIs(t, err, context.DeadlineExceeded, "a caller waits no longer than it wants")
	assert.Equal(t, 1, w.Count("refresh_token"))
}

// What happens elsewhere while a replica refreshes goes before what it got: its
// lease may have run out.
func TestARefreshThatComesTooLate(t *testing.T) {
	for name, test := range map[string]struct {
		meanwhile func(*testing.T, *authtest.World, *Authorizer)
		served    bool
	}{
		"another login": {func(t *testing.T, w *authtest.World, elsewhere *Authorizer) { login(t, w, elsewhere, "alice") }, true},
		"a logout": {func(t *testing.T, w *authtest.World, elsewhere *Authorizer) {
			assert.NoError(t, elsewhere.Revoke(t.Context(), "alice"))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := authtest.New(t)
			store := NewMemoryStore()
			here, elsewhere := authorizer(t, w, defaults(nil), WithStore(store)), authorizer(t, w, defaults(nil), WithStore(store))
			login(t, w, here, "alice")
			p := here.Principal("alice")
			w.ExpireAccess(false)
			w.EditToken = func(form url.Values, _ map[string]any) {
				if form.Get("grant_type") == grantRefresh {
					test.meanwhile(t, w, elsewhere)
				}
			}
			_, err := w.Call(t.Context(), p, "/mcp")
			stored, storeErr := p.stored(t.Context())
			require.NoError(t, storeErr)
			if !test.served {
				require.ErrorIs(t, err, errors.ErrAuthRequired)
				assert.Nil(t, stored)
				return
			}
			require.NoError(t, err)
			require.NotNil(t, stored)
			assert.Equal(t, stored.Access, p.current.Load().Access, "the store's, which everybody uses")
		})
	}
}

// Somebody logged out in another process: the token that this one has in memory
// is not renewed.
func TestALogoutElsewhere(t *testing.T) {
	w := authtest.New(t)
	w.EditServer = func(m map[string]any) map[string]any {
		delete(m, "revocation_endpoint") // so that the refresh token would still be good
		return m
	}
	now := &clock{time.Now()}
	store := &MemoryStore{now: now.time}
	here, elsewhere := authorizer(t, w, defaults(nil), WithStore(store), WithClock(now.time)), authorizer(t, w, defaults(nil), WithStore(store), WithClock(now.time))
	login(t, w, here, "alice")
	p := here.Principal("alice")
	require.NoError(t, elsewhere.Revoke(t.Context(), "alice"))
	now.now = now.now.Add(2 * time.Hour)
	_, err := w.Call(t.Context(), p, "/mcp")
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	assert.Zero(t, w.Count("refresh_token"))
}

// The store was away when a token was renewed: what is in memory is newer than
// what is in the store.
func TestATokenThatCouldNotBeStored(t *testing.T) {
	w := authtest.New(t)
	store := &fullStore{MemoryStore: NewMemoryStore()}
	a := authorizer(t, w, defaults(nil), WithStore(store))
	login(t, w, a, "")
	p := a.Principal("")
	for range 2 {
		store.full = true
		w.ExpireAccess(false)
		served(t, w, p, "/mcp")
	}
	store.full = false
	w.ExpireAccess(false)
	served(t, w, p, "/mcp")
	assert.Equal(t, 1, w.Count("authorize"))
	assert.Equal(t, 3, w.Count("refresh_token"))
	stored, err := p.stored(t.Context())
	require.NoError(t, err)
	assert.Equal(t, p.current.Load().Access, stored.Access)
}

// fullStore cannot be written to.
type fullStore struct {
	*MemoryStore
	full bool
}

func (s *fullStore) Swap(ctx context.Context, key Key, old, value []byte, expires time.Time) (bool, error) {
	if s.full {
		return false, errors.New("the disk is full")
	}
	return s.MemoryStore.Swap(ctx, key, old, value, expires)
}

// A store that is back is used at once: of what it failed at callers do not get the
// error any longer.
func TestAStoreThatIsBack(t *testing.T) {
	w := authtest.New(t)
	store := &fleetingStore{MemoryStore: NewMemoryStore()}
	now := &clock{time.Now()}
	a := authorizer(t, w, defaults(nil), WithStore(store), WithClock(now.time))
	login(t, w, a, "known")
	served(t, w, a.Principal("known"), "/mcp")
	for name, p := range map[string]*Principal{"known": a.Principal("known"), "not seen yet": a.Principal("other")} {
		w.ExpireAccess(false)
		store.gone = true
		_, err := w.Call(t.Context(), p, "/mcp")
		require.ErrorContains(t, err, "the network is gone", name)
		store.gone = false
		_, err = w.Call(t.Context(), p, "/mcp")
		if name == "known" {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, errors.ErrAuthRequired)
		}
	}
	assert.Equal(t, 1, w.Count("refresh_token"))
}

// fleetingStore cannot be read now and then.
type fleetingStore struct {
	*MemoryStore
	gone bool
}

func (s *fleetingStore) Get(ctx context.Context, key Key) ([]byte, bool, error) {
	if s.gone {
		return nil, false, errors.New("the network is gone")
	}
	return s.MemoryStore.Get(ctx, key)
}
