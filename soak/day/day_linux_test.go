package day

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// idleTimeout is how long the client keeps a connection that is not used.
const idleTimeout = 90 * time.Second

// shortDay is how long the day is where DAY does not say.
const shortDay = 20 * time.Second

// longDay is from when on chance evens out, and caches and pools are full.
const longDay = 2 * time.Minute

// day is one run.
type day struct {
	t       *testing.T
	kinds   []serverKind
	peers   map[string]*peer
	backend *backend
	oracle  *oracle
	watcher *watcher
	pace    pace
	logins  atomic.Int64

	configuring   sync.Mutex
	configuration *configuration
	inForce       expected
	reloads       map[string]int
}

func length(t *testing.T) (time.Duration, pace) {
	text := os.Getenv("DAY")
	if text == "" {
		return shortDay, pace{fault: 4 * time.Second, reload: 2 * time.Second}
	}
	length, err := time.ParseDuration(text)
	require.NoError(t, err, "DAY is a duration such as 30m")
	return length, pace{fault: 12 * time.Second, reload: 8 * time.Second}
}

func seed(t *testing.T) uint64 {
	given := uint64(time.Now().UnixNano())
	if text := os.Getenv("DAY_SEED"); text != "" {
		var err error
		given, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("DAY_SEED=%d", given)
	return given
}

// TestDay is all of it. What is judged at the end are its subtests.
func TestDay(t *testing.T) {
	length, pace := length(t)
	seed := seed(t)
	d := newDay(t, pace, seed)
	atFirst := d.idle()
	t.Logf("at first: %v", atFirst)
	d.run(length, seed)
	d.comeToRest()
	atLast := d.vitalsLike(atFirst, length)
	d.write(length, seed, atFirst, atLast)

	t.Run("no answer is wrong", func(t *testing.T) { assert.Zero(t, d.oracle.wrong, d.complaints("WRONG")) })
	t.Run("each failure has a cause", func(t *testing.T) { assert.Zero(t, d.oracle.unfounded, d.complaints("no fault")) })
	t.Run("most calls are answered", func(t *testing.T) { d.checkAnswered(t, length) })
	t.Run("the debug page is true", func(t *testing.T) {
		assert.Empty(t, d.watcher.complains, strings.Join(d.watcher.complains, "\n"))
		assert.Greater(t, d.watcher.checks, 100)
	})
	t.Run("nothing is left behind", func(t *testing.T) {
		assert.LessOrEqual(t, atLast.Goroutines, atFirst.Goroutines, "goroutines")
		assert.LessOrEqual(t, atLast.Files, atFirst.Files, "descriptors")
		assert.Zero(t, atLast.Children, "child processes")
		assert.Less(t, atLast.Heap, atFirst.Heap+warmHeap, "bytes in use")
		d.checkLog(t)
	})
	t.Run("memory is flat", func(t *testing.T) { d.checkMemory(t, length) })
	t.Run("no rule of the protocol is broken", func(t *testing.T) {
		for _, p := range d.peers {
			p.tell("violations", nil)
		}
		notes, err := os.ReadFile(filepath.Join(d.configuration.folder, "notes"))
		assert.True(t, os.IsNotExist(err), "%.3000s", notes)
	})
	t.Run("it ends", func(t *testing.T) {
		took, err := d.backend.stop()
		require.NoError(t, err)
		assert.Less(t, took, 20*time.Second)
		live, ended := childrenOf(os.Getpid())
		for _, pid := range append(live, ended...) { // its own children and, orphaned, the backend's
			assert.True(t, d.owns(pid), "process %d is left of the backend", pid)
		}
	})
}

func newDay(t *testing.T, pace pace, seed uint64) *day {
	d := &day{
		t: t, kinds: serverKinds(), peers: map[string]*peer{}, backend: newBackend(t, freeAddress(t)),
		pace: pace, reloads: map[string]int{},
	}
	d.watcher = newWatcher(d)
	folder := t.TempDir()
	d.configuration = &configuration{t: t, folder: folder, site: d.backend.site, peers: d.peers, generations: map[string]int{}}
	for _, kind := range d.kinds {
		d.peers[kind.name] = newPeer(t, kind, folder, seed)
		d.peers[kind.name].backend = d.backend
		d.configuration.generations[kind.name] = 0
	}
	d.configuration.write()
	d.inForce = expected{generations: map[string]int{}, written: d.configuration.written}
	for _, kind := range d.kinds {
		d.inForce.generations[kind.name] = 0
	}
	d.backend.start(buildBackend(t), d.configuration.path())
	d.oracle = newOracle()
	return d
}

// run is the day itself.
func (d *day) run(length time.Duration, seed uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	var working sync.WaitGroup
	for i, kind := range d.kinds {
		random := rand.New(rand.NewPCG(seed, uint64(1000+i)))
		working.Go(func() { d.injectFaults(ctx, d.peers[kind.name], random) })
	}
	working.Go(func() { d.injectReloads(ctx, rand.New(rand.NewPCG(seed, 2000))) })
	working.Go(func() { d.watcher.watch(ctx, length/600+250*time.Millisecond) })
	for user := range users {
		login := &login{}
		for number := range browsersPerUser {
			c := newCaller(d, fmt.Sprintf("user%c", 'a'+user), number, login, rand.New(rand.NewPCG(seed, uint64(user*100+number))))
			working.Go(func() { c.run(ctx) })
		}
	}
	working.Wait()
}

// idle measures the backend with no connections of this test's to it.
func (d *day) idle() vitals {
	v, err := d.backend.vitals()
	require.NoError(d.t, err)
	return v
}

// comeToRest puts a configuration in force that has nothing of before: every
// session and process is closed by that, and nothing calls for another.
func (d *day) comeToRest() {
	require.Eventually(d.t, func() bool {
		page, err := d.backend.snapshot()
		if err != nil {
			return false
		}
		for _, server := range page.Servers {
			if server.Stats.InFlight != 0 {
				return false
			}
		}
		return true
	}, 40*time.Second, 100*time.Millisecond, "calls are in flight that nobody has made")
	d.change(reload{name: "the end of the day", do: func(c *configuration, _ *rand.Rand) {
		for name := range c.generations {
			c.generations[name]++
		}
		c.broken, c.faulty, c.extra = false, false, false
	}}, nil)
}

// warmHeap is what a backend at rest may hold, in bytes, that it did not before its
// first call: caches of the standard library and of templates, and what was read of
// the last configuration.
const warmHeap = 2e6

// vitalsLike waits until the backend is as it was, or for a while.
// Idle connections to servers are kept for idleTimeout, which a short day does not
// wait for: there the servers close them.
func (d *day) vitalsLike(before vitals, length time.Duration) vitals {
	var now vitals
	patience := 30*time.Second + idleTimeout
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if length < idleTimeout {
			for _, p := range d.peers {
				if p.proxy != nil {
					p.proxy.Reset()
				}
			}
		}
		now = d.idle()
		if now.Goroutines <= before.Goroutines && now.Files <= before.Files && now.Children == 0 && now.Heap < before.Heap+warmHeap {
			break
		}
	}
	if now.Goroutines > before.Goroutines {
		_, stacks := d.backend.get("/debug/pprof/goroutine?debug=1")
		d.t.Logf("goroutines that are left:\n%.8000s", stacks)
	}
	return now
}

// owns reports whether a process is one of the servers over HTTP.
func (d *day) owns(pid int) bool {
	for _, p := range d.peers {
		p.mu.Lock()
		ours := p.process != nil && p.process.Process.Pid == pid
		p.mu.Unlock()
		if ours {
			return true
		}
	}
	return false
}

// checkLog sees that the backend's log has nothing of the level error that is no
// call's, no panic, and no token.
func (d *day) checkLog(t *testing.T) {
	text, err := os.ReadFile(d.backend.log)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "panic") || strings.Contains(line, "DATA RACE") || strings.Contains(line, "goroutine ") ||
			strings.Contains(line, " ERROR ") && !strings.Contains(line, "add up") {
			t.Errorf("the backend's log: %.500s", line)
		}
		if strings.Contains(line, "Bearer ey") {
			t.Errorf("the backend's log holds a token: %.100s", line)
		}
	}
}

// checkAnswered compares how many calls were answered of those that did not hang
// up: of all servers together and, in a day that is long enough for chance to be
// fair, of each.
func (d *day) checkAnswered(t *testing.T, length time.Duration) {
	answered, asked := 0, 0
	for name, tally := range d.oracle.tallies {
		answered, asked = answered+tally.answered, asked+tally.asked-tally.hungUp
		assert.Greater(t, tally.answered, 20, name)
		if length >= longDay {
			assert.GreaterOrEqual(t, float64(tally.answered), answeredAtLeast*float64(tally.asked-tally.hungUp), name)
		}
	}
	assert.GreaterOrEqual(t, float64(answered), answeredAtLeast*float64(asked))
}

// checkMemory compares what was in use in the first third of the day, its warming
// up left out, and in the last.
func (d *day) checkMemory(t *testing.T, length time.Duration) {
	first, last := d.thirds()
	t.Logf("first third: %v; last third: %v", first, last)
	require.NotZero(t, last.Heap, "nothing was measured")
	assert.Less(t, last.Heap, 64e6)
	if length < longDay {
		return // caches and pools are still being filled
	}
	assert.Less(t, last.Heap, 1.15*first.Heap+1e6, "bytes in use")
	assert.Less(t, float64(last.Goroutines), 1.2*float64(first.Goroutines)+20, "goroutines")
	assert.Less(t, float64(last.Files), 1.2*float64(first.Files)+20, "descriptors")
}

// thirds are the means of the first third of the samples, without the first
// tenth of all, and of the last.
func (d *day) thirds() (first, last vitals) {
	samples := d.watcher.samples
	n := len(samples)
	return mean(samples[n/10 : max(n/3, min(n, n/10+1))]), mean(samples[n-max(n/3, min(n, 1)):])
}

func mean(samples []vitals) (m vitals) {
	for _, v := range samples {
		m.Heap += v.Heap / float64(len(samples))
		m.Goroutines += v.Goroutines
		m.Files += v.Files
		m.Children += v.Children
	}
	if n := len(samples); n > 0 {
		m.Goroutines, m.Files, m.Children = m.Goroutines/n, m.Files/n, m.Children/n
	}
	return m
}

// complaints are those that hold a text.
func (d *day) complaints(of string) string {
	var found []string
	for _, complaint := range d.oracle.complains {
		if strings.Contains(complaint, of) {
			found = append(found, complaint)
		}
	}
	return strings.Join(found, "\n")
}
