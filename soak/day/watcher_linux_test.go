package day

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/internal/sleep"
)

const (
	// obeyed is how long after its writing a configuration must be in force.
	obeyed = 10 * time.Second
	// buried is how long a process that has ended may be a zombie.
	buried = 2 * time.Second
)

// watcher looks at the debug page, healthz, readyz and /proc, and compares what
// they say with what the day knows.
type watcher struct {
	day *day

	mu        sync.Mutex
	looks     int
	checks    int
	complains []string
	before    map[string]counters
	zombies   map[int]time.Time
	samples   []vitals
}

// counters are totals of the page, which only grow.
type counters struct{ requests, failures, handshakes, restarts, sessionsLost uint64 }

func newWatcher(d *day) *watcher {
	return &watcher{day: d, before: map[string]counters{}, zombies: map[int]time.Time{}}
}

// holds notes a check, and complains if it fails.
func (w *watcher) holds(ok bool, format string, arguments ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.checks++
	if !ok && len(w.complains) < 50 {
		w.complains = append(w.complains, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, arguments...))
	}
}

// watch looks once in a while until ctx ends, and measures at every tenth look.
func (w *watcher) watch(ctx context.Context, pause time.Duration) {
	for sleep.For(ctx, pause) == nil {
		w.look()
		if w.looks++; w.looks%10 == 0 {
			v, err := w.day.backend.vitals()
			w.holds(err == nil, "the vitals: %v", err)
			w.samples = append(w.samples, v)
		}
	}
}

func (w *watcher) look() {
	w.lookAtHealth()
	w.lookAtProcesses()
	counts := map[string]count{}
	for _, kind := range w.day.kinds {
		counts[kind.name] = w.day.oracle.count(kind.name)
	}
	wanted := w.day.expected()
	began := time.Now()
	page, err := w.day.backend.snapshot()
	w.holds(err == nil, "the debug page: %v", err)
	if err != nil {
		return
	}
	if again := w.day.expected(); again.written.Equal(wanted.written) && began.Sub(wanted.written) > obeyed {
		differences := page.differences(wanted)
		w.holds(len(differences) == 0, "long after the file was written: %s", strings.Join(differences, "; "))
	}
	for _, server := range page.Servers {
		before, known := counts[server.Name]
		if !known {
			continue // it comes and goes
		}
		after := w.day.oracle.count(server.Name)
		is := server.Stats
		w.holds(int(is.Requests) >= before.counted, "%s: the page counts %d requests, %d have ended", server.Name, is.Requests, before.counted)
		w.holds(int(is.Requests) <= after.begun, "%s: the page counts %d requests, %d have begun", server.Name, is.Requests, after.begun)
		w.holds(int(is.Failures) >= before.failed, "%s: the page counts %d failures, callers know of %d", server.Name, is.Failures, before.failed)
		w.holds(int(is.Failures) <= after.failed+after.hungUp+after.open(), "%s: the page counts %d failures, callers know of %d, and %d hung up", server.Name, is.Failures, after.failed, after.hungUp)
		w.holds(is.InFlight >= 0 && int(is.InFlight) <= 2*users*browsersPerUser, "%s: %d in flight", server.Name, is.InFlight)
		w.compareCounters(server.Name, counters{is.Requests, is.Failures, is.Handshakes, is.Restarts, is.SessionsLost})
		w.holds(!slices.Contains([]string{"closed", "exhausted", "faulty"}, server.State), "%s is %s", server.Name, server.State)
		if w.day.oracle.quiet(server.Name) {
			w.holds(server.State == "ready", "%s is %s, and no fault has befallen it for long", server.Name, server.State)
		}
	}
}

func (w *watcher) compareCounters(server string, now counters) {
	w.mu.Lock()
	before := w.before[server]
	w.before[server] = now
	w.mu.Unlock()
	w.holds(now.requests >= before.requests && now.failures >= before.failures && now.handshakes >= before.handshakes &&
		now.restarts >= before.restarts && now.sessionsLost >= before.sessionsLost, "%s: a total has become less: %v, then %v", server, before, now)
}

// mustObey waits until the page says that the configuration is in force, even if
// the day is over by then.
func (w *watcher) mustObey(wanted expected) {
	differences := []string{"the debug page was not seen"}
	for {
		time.Sleep(100 * time.Millisecond)
		page, err := w.day.backend.snapshot()
		if err == nil {
			differences = page.differences(wanted)
		}
		if len(differences) == 0 || time.Since(wanted.written) > obeyed {
			w.holds(len(differences) == 0, "%v after the file was written: %s", time.Since(wanted.written), strings.Join(differences, "; "))
			return
		}
	}
}

// differences are those between what the page says to be in force and what must
// be.
func (s snapshot) differences(wanted expected) []string {
	var found []string
	differ := func(ok bool, format string, arguments ...any) {
		if !ok {
			found = append(found, fmt.Sprintf(format, arguments...))
		}
	}
	shown := map[string]bool{}
	for _, server := range s.Servers {
		shown[server.Name] = true
		if generation, ours := wanted.generations[server.Name]; ours {
			queue := fmt.Sprint(queueBase + generation)
			in := slices.ContainsFunc(server.Config, func(c setting) bool { return c.Key == "limits.queue" && c.Value == queue })
			differ(in, "%s: limits.queue is not %s, as in the file", server.Name, queue)
		}
		if server.Name == "faulty" {
			differ(server.State == "faulty" && len(server.Faults) > 0, "the section with faults is %s, with %v", server.State, server.Faults)
		}
	}
	differ(shown[extraName] == wanted.extra, "the server that comes and goes is shown: %v", shown[extraName])
	differ(shown["faulty"] == wanted.faulty, "the section with faults is shown: %v", shown["faulty"])
	differ((len(s.Problems) > 0) == wanted.broken, "the file is broken: %v; the page says %q", wanted.broken, s.Problems)
	return found
}

// lookAtHealth asks as a load balancer does. The server demo is what the backend
// cannot do without.
func (w *watcher) lookAtHealth() {
	code, text := w.day.backend.get("/healthz")
	w.holds(code == http.StatusOK, "healthz: %d %s", code, text)
	dead, quiet := w.allStopped(), w.day.oracle.quiet("demo")
	code, text = w.day.backend.get("/readyz")
	w.holds(code == http.StatusOK || code == http.StatusServiceUnavailable, "readyz: %d %s", code, text)
	if quiet && w.day.oracle.quiet("demo") {
		w.holds(code == http.StatusOK, "readyz: %d, and nothing has befallen demo for long: %s", code, text)
	}
	if dead && w.allStopped() {
		w.holds(code == http.StatusServiceUnavailable, "readyz: %d, and every process of demo is stopped: %s", code, text)
	}
}

// allStopped reports whether there are processes of demo, all stopped for longer
// than an answer of readyz is given again.
func (w *watcher) allStopped() bool {
	children := w.day.backend.children()
	since := w.day.backend.frozenSince.Load()
	if len(children) == 0 || since == nil || time.Since(*since) < 1100*time.Millisecond {
		return false
	}
	for _, pid := range children {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || !strings.Contains(string(status), ") T ") {
			return false
		}
	}
	return true
}

// lookAtProcesses sees whether ended children are waited for.
func (w *watcher) lookAtProcesses() {
	_, ended := childrenOf(w.day.backend.process.Process.Pid)
	for pid := range w.zombies {
		if !slices.Contains(ended, pid) {
			delete(w.zombies, pid)
		}
	}
	for _, pid := range ended {
		if _, known := w.zombies[pid]; !known {
			w.zombies[pid] = time.Now()
		}
		w.holds(time.Since(w.zombies[pid]) < buried, "process %d ended %v ago and is a zombie", pid, time.Since(w.zombies[pid]))
	}
}

// mustHaveFailed sees that the page knows of a failure since a server went down.
func (w *watcher) mustHaveFailed(name string, since time.Time) {
	page, err := w.day.backend.snapshot()
	w.holds(err == nil, "the debug page: %v", err)
	for _, server := range page.Servers {
		if server.Name == name {
			w.holds(server.Stats.LastFailure.At.After(since), "%s is down since %v, and the page's latest failure is of %v", name, since, server.Stats.LastFailure.At)
		}
	}
}
