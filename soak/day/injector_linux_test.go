package day

import (
	"context"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/mcp-client-go/mcpclient/internal/sleep"
)

// pace is how often things go wrong: the pause between two faults of a server, and
// between two reloads, is drawn from half of it to one and a half.
type pace struct{ fault, reload time.Duration }

func pausing(random *rand.Rand, around time.Duration) time.Duration {
	return around/2 + time.Duration(random.Int64N(int64(around)))
}

// outage is from when on the debug page must have noticed that nobody answers.
const outage = time.Second

// injectFaults lets one server suffer one fault after the other.
func (d *day) injectFaults(ctx context.Context, p *peer, random *rand.Rand) {
	var possible []fault
	for _, f := range faults() {
		if f.at(p.kind) {
			possible = append(possible, f)
		}
	}
	for sleep.For(ctx, pausing(random, d.pace.fault)) == nil {
		f := pick(random, possible, func(f fault) int { return f.weight })
		began, lasts := time.Now(), f.lasts(random)
		ended := d.oracle.begin(p.kind.name, f.name, f.causes)
		end := f.on(p, random)
		if lasts >= outage && f.unreachable {
			_ = sleep.For(ctx, outage/4) // failures of before are known by then
			before := d.oracle.count(p.kind.name).failed
			_ = sleep.For(ctx, lasts-outage/4)
			if d.oracle.count(p.kind.name).failed > before { // callers may all be waiting for another server
				d.watcher.mustHaveFailed(p.kind.name, began)
			}
		} else {
			_ = sleep.For(ctx, lasts)
		}
		if end != nil {
			end()
		}
		ended()
	}
}

// injectReloads changes the configuration file, in every way before it does so in
// any for another time, and sees that each is obeyed. A file that was broken is
// mended next.
func (d *day) injectReloads(ctx context.Context, random *rand.Rand) {
	for {
		ways := reloads()
		random.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
		for _, way := range ways {
			for again := true; again; again = d.expected().broken {
				if sleep.For(ctx, pausing(random, d.pace.reload)) != nil {
					return
				}
				d.change(way, random)
				d.watcher.mustObey(d.expected())
			}
		}
	}
}

// change makes one change. Calls that run are not to notice; what is kept of
// tokens ends with the configuration of their server.
func (d *day) change(r reload, random *rand.Rand) {
	d.configuring.Lock()
	defer d.configuring.Unlock()
	before := maps.Clone(d.configuration.generations)
	wasBroken := d.configuration.broken
	r.do(d.configuration, random)
	d.reloads[r.name]++
	for name, generation := range d.configuration.generations {
		if generation != before[name] || wasBroken {
			var causes []string
			if kindOf(name).protected {
				causes = []string{needsLogin}
			}
			d.oracle.begin(name, "reload", causes)()
		}
	}
	d.configuration.write()
	if !d.configuration.broken {
		d.inForce.generations = maps.Clone(d.configuration.generations)
		d.inForce.extra, d.inForce.faulty = d.configuration.extra, d.configuration.faulty
	}
	d.inForce.broken, d.inForce.written = d.configuration.broken, d.configuration.written
}

// expected is what the configuration in force must be, once it has been read.
type expected struct {
	generations           map[string]int
	extra, faulty, broken bool
	written               time.Time
}

func (d *day) expected() expected {
	d.configuring.Lock()
	defer d.configuring.Unlock()
	return d.inForce
}
