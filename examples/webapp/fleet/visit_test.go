//go:build unix

package fleet

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// visit is a request of a user's browser, and what came of it.
type visit struct {
	status   int
	location string
	body     string
	cookies  []*http.Cookie
	err      error
}

// isDown: the replica says that logins cannot be renewed, which is what it has to
// say while the store is down.
func (v visit) isDown() bool {
	return v.status == http.StatusServiceUnavailable && strings.Contains(v.body, "Logins cannot be renewed")
}

// request makes one request to a replica, for a user who is signed in.
func (f *fleet) request(at *replica, user int, method, path string, form url.Values) visit {
	request, err := http.NewRequestWithContext(f.t.Context(), method, at.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		return visit{err: err}
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if f.cookies[user] != nil {
		request.AddCookie(f.cookies[user])
	}
	answer, err := f.browser.Do(request)
	if err != nil {
		return visit{err: err}
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	return visit{status: answer.StatusCode, location: answer.Header.Get("Location"), body: string(body), err: err, cookies: answer.Cookies()}
}

// signIn makes the user known to the backend, at one replica for all.
func (f *fleet) signIn(at *replica, user int) {
	made := f.request(at, user, http.MethodPost, "/session", url.Values{"name": {fmt.Sprintf("user %02d", user)}})
	require.NoError(f.t, made.err)
	require.Len(f.t, made.cookies, 1, made.body)
	f.cookies[user] = made.cookies[0]
}

// Each of these is one visit, of which the phase takes note. It is good if what the
// user sees is right.

// sum has a tool called for the user.
func (f *fleet) sum(p *phase, at *replica, user int) bool {
	return p.note(func() (visit, bool) { return f.addUp(at, user) })
}

func (f *fleet) addUp(at *replica, user int) (made visit, isGood bool) {
	form := url.Values{"a": {strconv.Itoa(user)}, "b": {"1000"}}
	made = f.request(at, user, http.MethodPost, "/sum", form)
	return made, made.status == http.StatusOK && strings.Contains(made.body, fmt.Sprintf("<output>%d</output>", user+1000))
}

// list has the user's tools listed.
func (f *fleet) list(p *phase, at *replica, user int) bool {
	return p.note(func() (visit, bool) {
		made := f.request(at, user, http.MethodGet, "/servers/demo/tools", nil)
		return made, made.status == http.StatusOK && strings.Contains(made.body, "echo\n")
	})
}

// login begins at one replica and ends at another.
func (f *fleet) login(p *phase, user int, begin, finish *replica) bool {
	var query url.Values
	return p.note(func() (visit, bool) {
		made := f.request(begin, user, http.MethodGet, "/servers/demo/login", nil)
		if made.err == nil && made.status == http.StatusFound {
			query, made.err = f.world.Consent(f.t.Context(), made.location)
		}
		return made, made.status == http.StatusFound && made.err == nil
	}) && p.note(func() (visit, bool) {
		made := f.request(finish, user, http.MethodGet, "/servers/demo/callback?"+query.Encode(), nil)
		return made, made.status == http.StatusFound && made.location == "/"
	})
}

// catalogTools counts the tools of the server that is the same for all.
func (f *fleet) catalogTools(at *replica) int {
	made := f.request(at, 0, http.MethodGet, "/servers/catalog/tools", nil)
	assert.Equal(f.t, http.StatusOK, made.status, "%v %s", made.err, made.body)
	return strings.Count(made.body, "\n")
}

// everybody has each user do something, all at the same time.
func everybody(do func(user int)) {
	var all sync.WaitGroup
	for user := range userCount {
		all.Go(func() { do(user) })
	}
	all.Wait()
}

// balance has the user add up at one of the replicas in the rotation. What a replica
// took along that was killed is asked of another one, as a load balancer does, and
// counted.
func (f *fleet) balance(p *phase, user, n int, lost *atomic.Int64) {
	p.note(func() (made visit, isGood bool) {
		for try := range replicaCount {
			at := f.rotation.take(user + n + try)
			made, isGood = f.addUp(at, user)
			at.busy.Done()
			if made.err == nil || !at.dead.Load() {
				return made, isGood
			}
			f.rotation.remove(at)
			lost.Add(1)
		}
		return made, isGood
	})
}

// rotation is which replicas are given requests.
type rotation struct {
	mu       sync.Mutex
	replicas []*replica
}

// take returns one of them, the n-th around; at its end it is busy with one less.
func (r *rotation) take(n int) *replica {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.replicas[n%len(r.replicas)]
	at.busy.Add(1)
	return at
}

func (r *rotation) add(at *replica) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replicas = append(r.replicas, at)
}

func (r *rotation) remove(at *replica) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replicas = slices.DeleteFunc(r.replicas, func(other *replica) bool { return other == at })
}

// everywhere has each user add up at each replica, all at the same time.
func (f *fleet) everywhere(p *phase) {
	everybody(func(user int) {
		var all sync.WaitGroup
		for _, at := range f.replicas {
			all.Go(func() { f.sum(p, at, user) })
		}
		all.Wait()
	})
}

// drive has each user do something again and again, at random times, until over is
// closed.
func drive(over <-chan struct{}, pause time.Duration, do func(user, n int)) {
	everybody(func(user int) {
		chance := rand.New(rand.NewPCG(12, uint64(user)))
		for n := 0; ; n++ {
			select {
			case <-over:
				return
			case <-time.After(time.Duration(chance.ExpFloat64() * float64(pause))):
			}
			do(user, n)
		}
	})
}
