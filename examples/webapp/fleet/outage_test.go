//go:build unix

package fleet

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/assert"
)

// Redis is killed while users call. As long as their tokens are good nobody sees
// anything of it; what needs a renewal is told to come again, and finds it made when
// Redis is back.
func (f *fleet) redisIsKilled() {
	const pause = 100 * time.Millisecond
	before := f.refreshes()
	either := func(p *phase) func(user, n int) {
		return func(user, n int) {
			at := f.replicas[(user+n)%replicaCount]
			if n%2 == 0 {
				f.sum(p, at, user)
			} else {
				f.list(p, at, user)
			}
		}
	}
	p := f.phase("Redis is killed")
	meanwhile(func() { drive(after(2*time.Second), pause, either(p)) }, func() {
		time.Sleep(500 * time.Millisecond)
		f.redis.kill()
	})
	p.fact("calls that failed", 0, float64(p.failed), 0)

	p = f.phase("... and all tokens are refused")
	p.mayBeDown = true
	f.world.ExpireAccess(false)
	drive(after(time.Second), pause, either(p))
	p.fact("calls that failed otherwise", 0, float64(p.failed), 0)
	p.fact("refreshes", 0, float64(f.refreshes()-before), 0)
	assert.Positive(f.t, p.down, "a token is renewed without the store")

	p = f.phase("... and Redis is started again")
	p.mayBeDown = true
	isBack := make(chan struct{})
	var back time.Time
	meanwhile(func() {
		drive(isBack, pause, func(user, n int) {
			f.sum(p, f.replicas[(user+n)%replicaCount], user)
		})
	}, func() {
		defer close(isBack)
		time.Sleep(500 * time.Millisecond)
		f.redis.start()
		back = time.Now()
		for time.Since(later(back, p.lastDown())) < time.Second && time.Since(back) < patience {
			time.Sleep(20 * time.Millisecond)
		}
	})
	until := p.lastDown().Sub(back)
	p.limit("until nobody is told to come again", milliseconds(noticedWithin), max(0, milliseconds(until)), 2000, "ms")
	p.fact("calls that failed otherwise", 0, float64(p.failed), 0)
	p.mayBeDown = false
	f.everywhere(p)
	p.fact("refreshes", userCount, float64(f.refreshes()-before), 0)
}

// The replicas are replaced one after the other while users call: the first and the
// last are taken out of the rotation and asked to end, the second is killed.
func (f *fleet) replicasAreReplaced() {
	const pause, slot = 150 * time.Millisecond, 3 * time.Second
	p := f.phase("the replicas are replaced")
	handshakes, refreshes := f.handshakes(), f.refreshes()
	for _, at := range f.replicas {
		f.rotation.add(at)
	}
	var lost atomic.Int64
	var took time.Duration
	over := make(chan struct{})
	meanwhile(func() {
		drive(over, pause, func(user, n int) { f.balance(p, user, n, &lost) })
	}, func() {
		defer close(over)
		began := time.Now()
		for i, at := range f.replicas {
			if i == 1 {
				at.kill()
			}
			f.rotation.remove(at)
			at.busy.Wait()
			at.stop()
			f.replicas[i] = startReplica(f.t, f.program, f.environment, f.browser)
			f.rotation.add(f.replicas[i])
			time.Sleep(time.Until(began.Add(time.Duration(i+1) * slot)))
		}
		took = time.Since(began)
	})
	made := float64(f.handshakes() - handshakes)
	computed := handshakesPerSecond(replicaCount, userCount, took)
	p.fact("handshakes/s", computed, made/took.Seconds(), computed/4)
	p.limit("calls lost with the killed one, and made again", userCount, float64(lost.Load()), 0, "")
	p.fact("calls that failed", 0, float64(p.failed), 0)
	f.everywhere(p)
	p.fact("handshakes", replicaCount*userCount, float64(f.handshakes()-handshakes), 0)
	p.fact("refreshes", 0, float64(f.refreshes()-refreshes), 0)
}

func milliseconds(took time.Duration) float64 { return float64(took.Milliseconds()) }

func later(one, other time.Time) time.Time {
	if other.After(one) {
		return other
	}
	return one
}

func after(lasting time.Duration) <-chan struct{} {
	over := make(chan struct{})
	time.AfterFunc(lasting, func() { close(over) })
	return over
}

// meanwhile does two things at the same time.
func meanwhile(one, other func()) {
	var all sync.WaitGroup
	all.Go(one)
	other()
	all.Wait()
}
