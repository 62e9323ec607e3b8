package pool

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// life is how long a call may take in all, waiting in line included.
type life struct {
	limit time.Duration // 0: no limit
	begun time.Time
	spent bool // some of it has passed: the session must be told what is left
}

func (p *Pool) lifeOf(ctx context.Context) *life {
	limit := p.config.MaxRequestTimeout
	if own := transporters.CallOptionsOf(ctx).MaxRequestTimeout; own != nil {
		limit = *own
	}
	return &life{limit: limit, begun: time.Now()}
}

// limited returns the context for the next attempt, with what is left of the
// ceiling if some of it was spent.
func (l *life) limited(ctx context.Context) context.Context {
	if l.limit <= 0 || !l.spent {
		return ctx
	}
	rest := max(l.limit-time.Since(l.begun), time.Millisecond)
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.MaxRequestTimeout = &rest })
}

// waiter is a call in line.
type waiter struct {
	past  tried
	place chan *instance // capacity 1; closed if the pool is closed
}

// takePlace returns an instance on which the call now has a place.
func (p *Pool) takePlace(ctx context.Context, l *life, past tried) (*instance, error) {
	chosen, w, err := p.placeNow(past)
	if w == nil {
		return chosen, err
	}
	l.spent = true
	var expired <-chan time.Time
	if l.limit > 0 {
		timer := time.NewTimer(l.limit - time.Since(l.begun))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case chosen, open := <-w.place:
		if !open {
			return nil, errors.ErrTransportClosed
		}
		return chosen, nil
	case <-ctx.Done():
		err = callerEnded(ctx)
	case <-expired:
		err = fmt.Errorf("%w: waited %v for a place (max_request_timeout)", errors.ErrRequestTimeout, l.limit)
	}
	p.leaveLine(w)
	return nil, err
}

// callerEnded is the end of the caller's own context, with its cause.
func callerEnded(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}

// placeNow takes a place at once, or gets in line. Who was in line before, and
// is back since the instance refused, goes to its head.
func (p *Pool) placeNow(past tried) (*instance, *waiter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return nil, nil, errors.ErrTransportClosed
	}
	chosen := p.best(byCalls, func(i *instance) bool { return p.hasPlace(i) && p.mayUse(i, past) })
	if chosen != nil {
		chosen.running++
		return chosen, nil, nil
	}
	w := &waiter{past: past, place: make(chan *instance, 1)}
	if slices.Contains(past, true) {
		p.line = slices.Insert(p.line, 0, w)
	} else {
		p.line = append(p.line, w)
	}
	return nil, w, nil
}

func (p *Pool) hasPlace(i *instance) bool {
	return p.config.MaxInFlight <= 0 || i.running < p.config.MaxInFlight
}

// mayUse reports whether a call may go to an instance: one that it was not made
// on, and that will serve again. Only where there is no such one it goes to one
// that is gone, which tells why.
func (p *Pool) mayUse(i *instance, past tried) bool {
	if past.includes(i) || !i.isGone() {
		return !past.includes(i)
	}
	return !slices.ContainsFunc(p.instances, func(other *instance) bool { return !past.includes(other) && !other.isGone() })
}

// givePlace hands the place to the first in line who can use it.
func (p *Pool) givePlace(i *instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pass(i)
}

// pass is givePlace; p.mu is held.
func (p *Pool) pass(i *instance) {
	at := slices.IndexFunc(p.line, func(w *waiter) bool { return p.mayUse(i, w.past) })
	if at < 0 {
		i.running--
		return
	}
	p.line[at].place <- i
	p.line = slices.Delete(p.line, at, at+1)
}

// leaveLine takes a waiter out, or gives back the place that it got meanwhile.
func (p *Pool) leaveLine(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.Index(p.line, w); at >= 0 {
		p.line = slices.Delete(p.line, at, at+1)
		return
	}
	if i, got := <-w.place; got {
		p.pass(i)
	}
}
