package policy

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// flights are the fetches that are under way. The first one that asks makes the
// request, in its own goroutine and within its own limits; those that come while
// it does wait for it. If it gives up, the next of them makes the request. A fetch
// that began before a change of the lists is not joined by those that come after
// it: the mark of the store is part of its name.
type flights struct {
	mu       sync.Mutex
	underway map[string]*flight
}

// flight is one fetch; the fields below done are written before it is closed.
type flight struct {
	done     chan struct{}
	result   mcp.Result
	err      error
	isShared bool // result, or err, is for those who waited too
	gaveUp   bool // it came of the limits of the one who made it
}

// join returns the fetch of that name; leads reports that it is the caller's to
// make.
func (f *flights) join(name string) (joined *flight, leads bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if joined = f.underway[name]; joined != nil {
		return joined, false
	}
	if f.underway == nil {
		f.underway = map[string]*flight{}
	}
	joined = &flight{done: make(chan struct{})}
	f.underway[name] = joined
	return joined, true
}

// land ends a fetch.
func (f *flights) land(name string, landed *flight) {
	f.mu.Lock()
	delete(f.underway, name)
	f.mu.Unlock()
	close(landed.done)
}

// share makes the request, or waits for somebody who makes it.
func (w *cached) share(r *request) (mcp.Result, error) {
	for {
		name := r.own + ":" + r.mark
		joined, leads := w.cache.flights.join(name)
		if leads {
			return w.lead(r, name, joined)
		}
		if err := w.cache.waitFor(r, joined); err != nil {
			return mcp.Result{}, err
		}
		switch {
		case joined.isShared:
			return joined.result, joined.err
		case !joined.gaveUp:
			result, _, err := w.fetch(r, nil)
			return result, err
		}
	}
}

// lead makes the request for all who wait.
func (w *cached) lead(r *request, name string, own *flight) (mcp.Result, error) {
	own.gaveUp = true // if a callback of the call panics
	defer w.cache.flights.land(name, own)
	if w.cache.isLocal { // somebody may have landed since the last look
		if result, found := w.cache.find(r); found {
			own.result, own.isShared, own.gaveUp = result, true, false
			return result, nil
		}
	}
	own.result, own.isShared, own.err = w.fetchForAll(r)
	own.gaveUp = isOfTheCaller(own.err, r.options)
	own.isShared = own.isShared || own.err != nil && !own.gaveUp
	return own.result, own.err
}

// isOfTheCaller reports whether an error came of limits that its caller brought,
// which are not those of others.
func isOfTheCaller(err error, options *transporters.CallOptions) bool {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	switch {
	case !ok:
		return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	case failure.Kind == errors.KindTimeout && errors.Is(err, errors.ErrRequestTimeout):
		return options.RequestTimeout != nil || options.MaxRequestTimeout != nil
	default:
		return failure.Kind == errors.KindCanceled || failure.Kind == errors.KindTimeout
	}
}

// waitFor waits for a fetch of somebody else, within the limits of the call. If
// that one gave up, what was waited is taken off the call's ceiling.
func (c *Cache) waitFor(r *request, joined *flight) error {
	began, limit := time.Now(), shortestLimit(r.options, c.ceiling)
	var late <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-joined.done:
		if ceiling := ceilingOf(r.ctx, c.ceiling); ceiling > 0 && !joined.isShared {
			r.ctx = withCeiling(r.ctx, max(ceiling-time.Since(began), time.Millisecond))
			r.options = transporters.CallOptionsOf(r.ctx)
		}
		return nil
	case <-r.ctx.Done():
		return waitFailure(c.name, r.action, "while another call was asking for the same", ended(r.ctx))
	case <-late:
		return &errors.TransporterRequestError{
			Server: c.name, Action: r.action, Kind: errors.KindTimeout, Delivery: errors.DeliveryNotSent,
			Message: fmt.Sprintf("another call, which was asking for the same, had no answer within %v", limit),
			Err:     errors.ErrRequestTimeout,
		}
	}
}

// shortestLimit is the shortest of the limits of the call, and of the configured
// ceiling where it brings none of its own; 0 is none.
func shortestLimit(options *transporters.CallOptions, ceiling time.Duration) (shortest time.Duration) {
	if options.MaxRequestTimeout != nil {
		ceiling = *options.MaxRequestTimeout
	}
	shortest = max(ceiling, 0)
	if silence := options.RequestTimeout; silence != nil && *silence > 0 && (shortest == 0 || *silence < shortest) {
		shortest = *silence
	}
	return shortest
}

// fleeting remembers of which requests the results could not be kept when they
// were fetched last: nobody is made to wait for the like, which would only make
// the callers of a server without hints stand in line.
type fleeting struct {
	mu    sync.Mutex
	known *simplelru.LRU[string, struct{}]
}

// maxFleeting bounds what is remembered.
const maxFleeting = 4096

func (f *fleeting) includes(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known != nil && f.known.Contains(key)
}

func (f *fleeting) note(key string, isFleeting bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		f.known, _ = simplelru.NewLRU[string, struct{}](maxFleeting, nil) // fails only for a size below 1
	}
	if isFleeting {
		f.known.Add(key, struct{}{})
		return
	}
	f.known.Remove(key)
}

// throttle lets something happen only once in a while.
type throttle struct{ last atomic.Int64 }

func (t *throttle) allows(pause time.Duration) bool {
	now, last := time.Now().UnixNano(), t.last.Load()
	return (last == 0 || now-last >= int64(pause)) && t.last.CompareAndSwap(last, now)
}
