package day

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// outcome is how a call ended.
type outcome struct {
	began, ended time.Time
	answered     bool
	hungUp       bool   // by its own user: it need not be answered
	wanted       bool   // it failed as it should, and counts as answered
	kind         string // of the failure
	text         string
	wrong        string // what must never be; "" if all is well
	counted      bool   // surely one of the requests that the debug page counts
}

// tally is what became of the calls to one server.
type tally struct {
	begun    int // requests that may reach the client
	counted  int // that surely did, and have ended
	failed   int // of these, that failed, as they should or not
	asked    int
	answered int
	hungUp   int
	wrong    int
	failures map[string]int // by kind
	took     []float32      // seconds, of those that were answered
}

// oracle knows what went wrong where and when, and judges what callers got.
type oracle struct {
	began time.Time

	mu        sync.Mutex
	tallies   map[string]*tally // by server
	episodes  map[string][]*episode
	faults    map[string]int // how often, by name
	complains []string
	wrong     int
	unfounded int // failures without a cause
}

// episode is one fault at one server; to is zero while it lasts.
type episode struct {
	name     string
	causes   []string
	from, to time.Time
}

func newOracle() *oracle {
	o := &oracle{began: time.Now(), tallies: map[string]*tally{}, episodes: map[string][]*episode{}, faults: map[string]int{}}
	for _, kind := range serverKinds() {
		o.tallies[kind.name] = &tally{failures: map[string]int{}}
	}
	return o
}

// begin notes that a fault begins; what it returns, that it has ended.
func (o *oracle) begin(server, name string, causes []string) (end func()) {
	e := &episode{name: name, causes: causes, from: time.Now()}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.faults[name]++
	o.episodes[server] = append(slices.DeleteFunc(o.episodes[server], func(old *episode) bool {
		return !old.to.IsZero() && time.Since(old.to) > 3*aftermath
	}), e)
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		e.to = time.Now()
	}
}

// founded reports whether a fault can have caused a failure. o.mu is held.
func (o *oracle) founded(server string, out outcome) bool {
	return slices.ContainsFunc(o.episodes[server], func(e *episode) bool {
		return slices.Contains(e.causes, out.kind) && e.from.Before(out.ended) &&
			(e.to.IsZero() || e.to.Add(aftermath).After(out.began))
	})
}

// calls counts a call that begins.
func (o *oracle) calls(server string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tallies[server].begun++
}

// judge takes a call's end.
func (o *oracle) judge(server, activity, user string, out outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.tallies[server]
	t.asked++
	if out.counted {
		t.counted++
		if out.kind != "" {
			t.failed++
		}
	}
	complain := func(what string) {
		if len(o.complains) < 50 {
			o.complains = append(o.complains, fmt.Sprintf("%s %s, %s at %s: %s", out.ended.Format("15:04:05.000"), user, activity, server, what))
		}
	}
	switch {
	case out.wrong != "":
		t.wrong++
		o.wrong++
		complain("WRONG: " + out.wrong)
	case out.hungUp:
		t.hungUp++
	case out.answered || out.wanted:
		t.answered++
		t.took = append(t.took, float32(out.ended.Sub(out.began).Seconds()))
	default:
		t.failures[out.kind]++
		if !o.founded(server, out) {
			o.unfounded++
			complain(fmt.Sprintf("no fault explains %q after %v: %.400s", out.kind, out.ended.Sub(out.began).Round(time.Millisecond), out.text))
		}
	}
}

// count is what is known of the calls to a server.
type count struct{ begun, ended, counted, failed, hungUp int }

// open is how many run.
func (c count) open() int { return c.begun - c.ended }

func (o *oracle) count(server string) count {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.tallies[server]
	return count{t.begun, t.asked, t.counted, t.failed, t.hungUp}
}

// quiet reports whether nothing has befallen a server for long.
func (o *oracle) quiet(server string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Since(o.began) > aftermath && !slices.ContainsFunc(o.episodes[server], func(e *episode) bool {
		return e.to.IsZero() || time.Since(e.to) < aftermath
	})
}

// percentile is of what took seconds; it sorts.
func percentile(took []float32, part float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	slices.SortFunc(took, cmp.Compare[float32])
	return time.Duration(float64(took[min(len(took)-1, int(part*float64(len(took))))]) * float64(time.Second)).Round(100 * time.Microsecond)
}
