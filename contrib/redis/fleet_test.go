//go:build unix

package redis

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/authtest"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// fleet is three replicas of a backend, each a process, that share one Redis before
// a server that wants each user's own token. Refresh tokens can be used once.
type fleet struct {
	t        *testing.T
	redis    *redisServer
	world    *authtest.World
	server   *mcptest.Server // behind the world
	open     *mcptest.Server // another one, that wants no tokens
	client   *http.Client
	replicas []string // their URLs
}

const (
	replicaCount = 3
	userCount    = 64
)

func startFleet(t *testing.T, store string) *fleet {
	t.Helper()
	f := &fleet{t: t, world: authtest.New(t), server: mcptest.NewDemoServer(mcptest.WithTTL(time.Hour))}
	// What it was told is on disk: a Redis that forgets logs all users out.
	f.redis = startRedis(t, "--appendonly", "yes")
	t.Cleanup(f.server.Close)
	f.open = mcptest.NewDemoServer(mcptest.WithTTL(time.Hour))
	f.world.Handler = f.server.Handler()
	f.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: userCount}}
	t.Cleanup(f.client.CloseIdleConnections)
	file := filepath.Join(t.TempDir(), "mcp.yaml")
	require.NoError(t, os.WriteFile(file, []byte(fmt.Sprintf(`
store: {type: redis, url: '%s', key: %s, timeout: 5s, token_timeout: 20s%s}
servers:
  files:
    type: http
    base_url: %s
    auth: {redirect_url: https://app.example.com/callback}
    cache: {enabled: true}
  open:
    type: http
    base_url: %s
    cache: {enabled: true, watch: true}
`, f.redis.url(), testKey(), store, f.world.Endpoint(), mcptest.StartHTTP(t, f.open))), 0o600))
	for range replicaCount {
		f.replicas = append(f.replicas, startReplica(t, file))
	}
	return f
}

// startReplica starts a process that ends with the test, and returns its URL.
func startReplica(t *testing.T, file string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), replicaMode+"="+file, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	output, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = input.Close()
		ending := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		defer ending.Stop()
		assert.NoError(t, cmd.Wait())
	})
	address, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	return "http://" + strings.TrimSpace(address)
}

func user(i int) string { return fmt.Sprintf("user%02d", i) }

// ask has a replica do something for a user.
func (f *fleet) ask(replica int, user, path string) answer {
	request, err := http.NewRequest(http.MethodGet, f.replicas[replica%replicaCount]+path, nil)
	if err != nil {
		return answer{Error: err.Error()}
	}
	request.Header.Set("X-User", user)
	response, err := f.client.Do(request)
	if err != nil {
		return answer{Error: err.Error()}
	}
	defer func() { _ = response.Body.Close() }()
	var given answer
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&given); err != nil {
		given.Error = err.Error()
	}
	return given
}

// everybody has each user ask each replica, all at the same time.
func (f *fleet) everybody(path string, check func(user string, given answer)) {
	var all sync.WaitGroup
	for u := range userCount {
		for replica := range replicaCount {
			all.Go(func() { check(user(u), f.ask(replica, user(u), path)) })
		}
	}
	all.Wait()
}

func (f *fleet) everybodyEchoes() {
	f.t.Helper()
	f.everybody("/echo", func(user string, given answer) {
		assert.Empty(f.t, given.Error)
		assert.Equal(f.t, user, given.Text)
	})
}

// login begins at one replica and ends at another.
func (f *fleet) login() {
	f.t.Helper()
	var all sync.WaitGroup
	for u := range userCount {
		all.Go(func() {
			begun := f.ask(u, user(u), "/login")
			if !assert.Empty(f.t, begun.Error) {
				return
			}
			query, err := f.world.Consent(f.t.Context(), begun.Text)
			if assert.NoError(f.t, err) {
				assert.Empty(f.t, f.ask(u+1, user(u), "/callback?"+query.Encode()).Error)
			}
		})
	}
	all.Wait()
	require.Equal(f.t, userCount, f.world.Count("authorize"))
}

func TestFleet(t *testing.T) { // P94, R272
	f := startFleet(t, "")
	f.login()
	assert.Equal(t, 1, f.world.Count("register"), "one client for the whole fleet")
	f.everybodyEchoes()
	assert.Zero(t, f.world.Count("refresh_token"))

	for round := 1; round <= 2; round++ {
		f.world.ExpireAccess(false)
		f.everybodyEchoes()
		assert.Equal(t, round*userCount, f.world.Count("refresh_token"), "one refresh for each user and expiry in the fleet")
	}
	assert.Equal(t, userCount, f.world.Count("authorize"), "nobody had to log in again")

	t.Run("what one has fetched all find", f.testHits)
	t.Run("what one hears all obey", f.testListChanged)
	t.Run("Redis is killed and started again", f.testRedisKilled)
}

// The hit ratio is as computed: results are each user's own, so that of 64 users
// who ask 3 replicas twice 64 requests reach the server, one of 6.
func (f *fleet) testHits(t *testing.T) {
	for range 2 {
		for replica := range replicaCount {
			var all sync.WaitGroup
			for worker := range 4 { // no more: a look into the cache that takes long is a miss
				all.Go(func() {
					for u := worker; u < userCount; u += 4 {
						given := f.ask(replica, user(u), "/tools")
						assert.Empty(t, given.Error)
						assert.Equal(t, 5, given.Tools)
					}
				})
			}
			all.Wait()
		}
	}
	assert.Equal(t, userCount, f.server.Count(mcp.MethodListTools))
}

// A tool is added. One replica has subscribed, since it fetched the list; the
// others, which found it, obey all the same.
func (f *fleet) testListChanged(t *testing.T) {
	list := func(replica int) int {
		given := f.ask(replica, "", "/open/tools")
		require.Empty(t, given.Error)
		return given.Tools
	}
	fetched := func() int { return f.open.Count(mcp.MethodListTools) }
	require.Eventually(t, func() bool { // what was kept before the subscription was open goes
		before := fetched()
		list(0)
		return f.open.Listens() == 1 && fetched() == before
	}, 30*time.Second, 50*time.Millisecond)
	before := fetched()
	for replica := range replicaCount {
		require.Equal(t, 5, list(replica))
	}
	require.Equal(t, before, fetched())
	require.Equal(t, 1, f.open.Listens())
	f.open.AddTool(mcp.Tool{Name: "added"}, func(context.Context, *mcptest.Call) (any, error) { return "", nil })
	began := time.Now()
	for _, replica := range []int{2, 1, 0} {
		require.Eventually(t, func() bool { return list(replica) == 6 }, time.Second, time.Millisecond, "replica %d", replica)
	}
	t.Logf("obeyed by all after %v", time.Since(began).Round(time.Millisecond))
}

func (f *fleet) testRedisKilled(t *testing.T) {
	var failed, down, calls atomic.Int64
	expired := make(chan struct{})
	stop := make(chan struct{})
	var all sync.WaitGroup
	for u := range userCount {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-time.After(20 * time.Millisecond):
				}
				path := []string{"/echo", "/tools"}[n%2]
				given := f.ask(u+n, user(u), path)
				calls.Add(1)
				select {
				case <-expired:
					if given.Down { // a token that has to be renewed
						down.Add(1)
						continue
					}
				default:
				}
				if given.Error != "" && failed.Add(1) < 5 {
					t.Errorf("%s %s: %s", user(u), path, given.Error)
				}
			}
		})
	}
	pause := func() { time.Sleep(700 * time.Millisecond) }
	refreshes := f.world.Count("refresh_token")
	pause()
	f.redis.kill()
	pause()
	assert.Equal(t, refreshes, f.world.Count("refresh_token"))
	close(expired)
	f.world.ExpireAccess(false)
	pause()
	f.redis.start()
	pause()
	close(stop)
	all.Wait()
	assert.Zero(t, failed.Load(), "failed otherwise than documented, of %d calls", calls.Load())
	assert.Positive(t, down.Load(), "tokens cannot be renewed while the store is down")
	require.Eventually(t, func() bool {
		var failing atomic.Int32
		f.everybody("/echo", func(_ string, given answer) {
			if given.Error != "" {
				failing.Add(1)
			}
		})
		return failing.Load() == 0
	}, 30*time.Second, 100*time.Millisecond)
	f.everybodyEchoes()
	assert.Equal(t, refreshes+userCount, f.world.Count("refresh_token"), "each renewed once, when Redis was back")
	assert.Equal(t, userCount, f.world.Count("authorize"))
}
