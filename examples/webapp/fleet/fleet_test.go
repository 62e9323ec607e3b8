//go:build unix

package fleet

import (
	"context"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/internal/authtest"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	replicaCount = 3
	userCount    = 64
	// listLife is how long the lists of the users' server may be kept.
	listLife = time.Second
	// noticedWithin is for how long a replica may not ask a Redis that is back.
	noticedWithin = time.Second
)

// fleet is three replicas of the example that share one Redis, before a server that
// wants each user's own token and one that is the same for all. Refresh tokens can be
// used once.
type fleet struct {
	t           *testing.T
	program     string
	environment []string
	redis       *redisServer
	world       *authtest.World
	demo        *mcptest.Server // behind the world
	catalog     *mcptest.Server
	tokenLife   atomic.Int64 // of new tokens, seconds
	browser     *http.Client
	cookies     [userCount]*http.Cookie
	replicas    [replicaCount]*replica
	rotation    rotation
	phases      []*phase
}

func startFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t, redis: startRedis(t), world: authtest.New(t), program: build(t)}
	f.demo, f.catalog = mcptest.NewDemoServer(mcptest.WithTTL(listLife), mcptest.WithReceivedLimit(0)), mcptest.NewDemoServer(mcptest.WithTTL(time.Hour))
	t.Cleanup(f.demo.Close)
	f.world.Handler = f.demo.Handler()
	f.tokenLife.Store(3600)
	f.world.EditToken = func(_ url.Values, answer map[string]any) { answer["expires_in"] = f.tokenLife.Load() }
	f.browser = &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: userCount},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       patience,
	}
	t.Cleanup(f.browser.CloseIdleConnections)
	f.environment = []string{
		"REDIS_URL=redis://" + f.redis.address + "/0",
		"STORE_KEY=" + hex.EncodeToString([]byte(strings.Repeat("k", 32))),
		"STORE_TIMEOUT=5s", "STORE_TOKEN_TIMEOUT=20s", // whatever else the machine has to do
		"WEBAPP_SESSION_KEY=" + strings.Repeat("s", 32),
		"WEBAPP_URL=https://app.example.com",
		"DEMO_URL=" + f.world.Endpoint(),
		"CATALOG_URL=" + mcptest.StartHTTP(t, f.catalog),
	}
	for i := range f.replicas {
		f.replicas[i] = startReplica(t, f.program, f.environment, f.browser)
	}
	return f
}

func (f *fleet) phase(name string) *phase {
	p := &phase{t: f.t, name: name}
	f.phases = append(f.phases, p)
	return p
}

func (f *fleet) refreshes() int { return f.world.Count("refresh_token") }

func (f *fleet) handshakes() int { return f.demo.Count(mcp.MethodDiscover) }

// What a fleet of the example does is what docs/scale.md says. (P94, R272)
func TestFleet(t *testing.T) {
	f := startFleet(t)
	f.usersLogIn()
	f.tokensEnd()
	f.listsAreKept()
	f.listChanges()
	f.redisIsKilled()
	f.replicasAreReplaced()
	assert.Equal(t, userCount, f.world.Count("authorize"), "nobody had to log in again")
	assert.Equal(t, 1, f.world.Count("register"), "one client for the whole fleet")
	report(t, f.phases)
}

// A login begins at one replica, ends at another, and holds for all.
func (f *fleet) usersLogIn() {
	for user := range userCount {
		f.signIn(f.replicas[user%replicaCount], user)
	}
	p := f.phase("users log in")
	everybody(func(user int) { f.login(p, user, f.replicas[user%replicaCount], f.replicas[(user+1)%replicaCount]) })
	p.fact("logins", userCount, float64(f.world.Count("authorization_code")), 0)

	p = f.phase("their first call at each replica")
	f.everywhere(p)
	p.fact("handshakes", replicaCount*userCount, float64(f.handshakes()), 0)
	p.fact("refreshes", 0, float64(f.refreshes()), 0)
}

// All tokens end at once, while each user makes a call at each replica: because the
// server refuses them, and by their own time.
func (f *fleet) tokensEnd() {
	before := f.refreshes()
	p := f.phase("all tokens are refused")
	f.world.ExpireAccess(false)
	f.everywhere(p)
	p.fact("refreshes", userCount, float64(f.refreshes()-before), 0)

	const life = 4 * time.Second
	f.tokenLife.Store(int64(life.Seconds()))
	f.world.ExpireAccess(false)
	before = f.refreshes()
	p = f.phase("... again, for ones of 4 seconds")
	everybody(func(user int) { f.sum(p, f.replicas[user%replicaCount], user) })
	p.fact("refreshes", userCount, float64(f.refreshes()-before), 0)

	f.tokenLife.Store(3600)
	time.Sleep(life)
	before = f.refreshes()
	p = f.phase("all tokens have run out")
	f.everywhere(p)
	p.fact("refreshes", userCount, float64(f.refreshes()-before), 0)
}

// Each user looks at the list of their tools at random times, at one replica after
// the other. What one has fetched all find.
func (f *fleet) listsAreKept() {
	const pause, lasting = 250 * time.Millisecond, 8 * time.Second
	p := f.phase("users look at their lists")
	before, began := f.demo.Count(mcp.MethodListTools), time.Now()
	drive(after(lasting), pause, func(user, n int) { f.list(p, f.replicas[(user+n)%replicaCount], user) })
	rate := float64(p.visits()) / userCount / time.Since(began).Seconds()
	hits := 1 - float64(f.demo.Count(mcp.MethodListTools)-before)/float64(p.visits())
	const tolerance = 0.06
	p.fact("share of hits", hitRatio(rate, listLife), hits, tolerance)
	assert.Greater(f.t, hits, hitRatio(rate/replicaCount, listLife)+tolerance, "each replica on its own would come near to that")
}

// A tool is added. One replica has subscribed, since it fetched the list; the
// others, which found it, obey all the same.
func (f *fleet) listChanges() {
	fetched := func() int { return f.catalog.Count(mcp.MethodListTools) }
	began, seen := time.Now(), 0
	for quiet := time.Now(); time.Since(quiet) < time.Second; time.Sleep(50 * time.Millisecond) {
		require.Less(f.t, time.Since(began), patience)
		f.catalogTools(f.replicas[0])
		if now := fetched(); now != seen || f.catalog.Listens() != 1 { // what was kept before the subscription was open goes
			quiet, seen = time.Now(), now
		}
	}
	before := fetched()
	for _, at := range f.replicas {
		require.Equal(f.t, 5, f.catalogTools(at))
	}
	require.Equal(f.t, before, fetched(), "the others found it")
	require.Equal(f.t, 1, f.catalog.Listens())

	p := f.phase("a tool is added")
	began = time.Now()
	f.catalog.AddTool(mcp.Tool{Name: "added"}, func(context.Context, *mcptest.Call) (any, error) { return "", nil })
	var all sync.WaitGroup
	for _, at := range f.replicas {
		all.Go(func() {
			for f.catalogTools(at) != 6 && time.Since(began) < patience {
				time.Sleep(time.Millisecond)
			}
		})
	}
	all.Wait()
	p.limit("until the last replica obeys", 1000, milliseconds(time.Since(began)), 0, "ms")
}

// hitRatio is the share of looks at a result that find it, where those come at random
// times: after each fetch all within its life do, and the next one fetches.
func hitRatio(perSecond float64, life time.Duration) float64 {
	found := perSecond * life.Seconds()
	return found / (1 + found)
}

// handshakesPerSecond of a rollout: each replica makes one for each user who calls.
func handshakesPerSecond(replicas, users int, rollout time.Duration) float64 {
	return float64(replicas*users) / rollout.Seconds()
}
