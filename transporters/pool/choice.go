package pool

import (
	"cmp"
	"slices"
	"time"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// tried is the instances that a call was made on already.
type tried []bool

func newTried(instances int) tried        { return make(tried, instances) }
func (t tried) add(i *instance)           { t[i.index] = true }
func (t tried) includes(i *instance) bool { return t[i.index] }
func (t tried) addAllBut(i *instance) {
	for n := range t {
		t[n] = n != i.index
	}
}
func (t tried) all() bool { return !slices.Contains(t, false) }

// What is compared between instances that are equally fit.
func byCalls(i *instance) int         { return i.running }
func bySubscriptions(i *instance) int { return i.subscriptions }

// choose returns the best instance that was not tried, whether it has a place or
// not; nil if all were.
func (p *Pool) choose(past tried, load func(*instance) int) *instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.best(load, func(i *instance) bool { return !past.includes(i) })
}

// best returns the best of the instances that are allowed, or nil. The state of
// an instance is asked under p.mu, which no session ever waits for.
func (p *Pool) best(load func(*instance) int, allowed func(*instance) bool) *instance {
	var best *instance
	var lowest cost
	now := time.Now()
	for _, candidate := range p.instances {
		if !allowed(candidate) {
			continue
		}
		if c := candidate.cost(load, now); best == nil || c.compare(lowest) < 0 {
			best, lowest = candidate, c
		}
	}
	return best
}

// cost is what speaks against an instance, the weightiest first.
type cost struct{ fitness, load, cold int }

func (c cost) compare(other cost) int {
	return cmp.Or(cmp.Compare(c.fitness, other.fitness), cmp.Compare(c.load, other.load), cmp.Compare(c.cold, other.cold))
}

// The fitness of instances.
const (
	serves   = iota // ready, or can be started
	starting        // somebody waits for it already
	ailing          // being replaced, or refused a call a moment ago
	gone            // its budget is spent, or it is closed
)

func (i *instance) cost(load func(*instance) int, now time.Time) cost {
	c := cost{load: load(i)}
	switch state := i.base.State(); state {
	case transporters.StateExhausted, transporters.StateClosed:
		c.fitness = gone
	case transporters.StateReconnecting:
		c.fitness = ailing
	case transporters.StateStarting:
		c.fitness = starting
	case transporters.StateIdle:
		c.cold = 1
	}
	if c.fitness < ailing && now.Before(i.restUntil) {
		c.fitness = ailing
	}
	return c
}

// isGone reports whether the instance will never serve again.
func (i *instance) isGone() bool {
	state := i.base.State()
	return state == transporters.StateExhausted || state == transporters.StateClosed
}
