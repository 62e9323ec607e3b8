package policy

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// What the cache knows of those who ask: the connection that each had last, and its
// subscription. The results that all share are covered by one subscription, the
// witness's: as long as it is not interrupted, no interruption of another one can
// have missed what concerns all.

// viewers are the principals that have asked for something.
type viewers struct {
	mu    sync.Mutex
	known *simplelru.LRU[string, *viewer]
	left  []CacheWatch // of viewers that were forgotten: to be closed

	witness *viewer // whose subscription has covered what all share; nil if none has
}

// maxViewers bounds the principals that are remembered. Of one that is forgotten,
// what it had before a change of its connection may be found again until its time
// is over.
const maxViewers = 16384

// viewer is what is known of one principal. It is guarded by the mutex of the
// viewers.
type viewer struct {
	generation Generation
	epoch      uint64 // counts what made its results stale

	watch    CacheWatch // nil if there is none
	openings uint64
	opening  bool      // one is being opened
	notUntil time.Time // if the last one could not be opened: when the next is tried
}

// hasFailed reports that lists are kept without a subscription.
func (v *viewer) hasFailed() bool { return !v.notUntil.IsZero() }

// hasEnded reports that the viewer's subscription is over.
func (v *viewer) hasEnded() bool {
	select {
	case <-v.watch.Done():
		return true
	default:
		return false
	}
}

// isSteady reports that the viewer's subscription was not interrupted since the last
// look at it.
func (v *viewer) isSteady() bool {
	return v.watch != nil && v.watch.Openings() == v.openings && !v.hasEnded()
}

func (v *viewers) get(principal string) *viewer {
	if v.known == nil {
		v.known, _ = simplelru.NewLRU(maxViewers, func(_ string, gone *viewer) { // fails only for a size below 1
			if gone.watch != nil {
				v.left = append(v.left, gone.watch)
				gone.watch = nil
			}
		})
	}
	known, found := v.known.Get(principal)
	if !found {
		known = &viewer{}
		v.known.Add(principal, known)
	}
	return known
}

// missed makes the viewer, who has missed something, the witness unless there is one
// that has not: what all share is stale then.
func (v *viewers) missed(known *viewer) (isPublicStale bool) {
	if v.witness != nil && v.witness != known && v.witness.isSteady() {
		return false
	}
	v.witness = known
	return true
}

// takeLeft returns what is to be closed.
func (v *viewers) takeLeft() []CacheWatch {
	left := v.left
	v.left = nil
	return left
}

// observe drops what has become stale since the principal's last request. It returns
// the principal's epoch, which counts that, and whether lists may be kept for it:
// changes of them are heard of, or nobody is to hear of them.
func (c *Cache) observe(principal string) (epoch uint64, isWatched bool) {
	if c.peer == nil {
		return 0, true
	}
	generation := c.peer.Generation(principal)
	c.viewers.mu.Lock()
	known := c.viewers.get(principal)
	reconnected, replaced := known.sees(generation)
	reopened := known.looksAtWatch()
	isPublicStale := reopened && c.viewers.missed(known)
	if reconnected || replaced || reopened {
		known.epoch++
	}
	epoch, isWatched = known.epoch, !c.cfg.Watch || known.watch != nil || known.hasFailed()
	left := c.viewers.takeLeft()
	c.viewers.mu.Unlock()
	for _, watch := range left {
		_ = watch.Close()
	}
	switch own := whomOf(principal); {
	case reconnected && principal == "":
		c.forget(c.server() + ":")
	case reconnected:
		c.forgetOf(readingMethods(), own, public)
	case replaced:
		c.forgetOf(readingMethods(), own)
	}
	c.forgetMissed(principal, reopened, isPublicStale)
	return epoch, isWatched
}

// forgetMissed deletes lists of which changes may have been missed: the principal's
// own, and those that all share.
func (c *Cache) forgetMissed(principal string, isOwnStale, isPublicStale bool) {
	switch {
	case isOwnStale && (isPublicStale || principal == ""):
		c.forgetFor(principal, lists()...)
	case isOwnStale:
		c.forgetOf(lists(), whomOf(principal))
	case isPublicStale:
		c.forgetOf(lists(), public)
	}
}

// sees compares the principal's connection with what it was: whether it was made
// anew, or another one has replaced it.
func (v *viewer) sees(now Generation) (reconnected, replaced bool) {
	last := v.generation
	if now == (Generation{}) || now == last {
		return false, false
	}
	v.generation = now
	isFirst := last == (Generation{})
	return !isFirst && last.Connection == now.Connection, !isFirst && last.Connection != now.Connection
}

// looksAtWatch reports that changes may have been missed.
func (v *viewer) looksAtWatch() (missed bool) {
	if v.watch == nil || v.isSteady() {
		return false
	}
	if v.hasEnded() {
		v.watch = nil
	} else {
		v.openings = v.watch.Openings()
	}
	return true
}

const (
	// watchTimeout bounds the opening of a subscription.
	watchTimeout = 30 * time.Second
	// watchPause is how long after one that could not be opened the next is tried.
	watchPause = time.Minute
)

// watch subscribes to changes of lists for the principal, in the background, unless
// that is done. unable is called if it cannot be.
func (c *Cache) watch(r *request, unable func()) {
	if !c.cfg.Watch || c.peer == nil || !isList(r.action) || !c.beginWatch(r.principal) {
		return
	}
	ctx := transporters.WithCallOptions(context.WithoutCancel(r.ctx), func(o *transporters.CallOptions) {
		o.OnProgress, o.RequestTimeout, o.MaxRequestTimeout = nil, nil, nil
	})
	open := func() {
		ctx, cancel := context.WithTimeout(ctx, watchTimeout)
		defer cancel()
		filter := mcp.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}
		watch, err := c.peer.Watch(ctx, filter, func(m mcp.Message) { c.Notify(r.principal, m) })
		isOwnStale, isPublicStale := c.endWatch(r.principal, watch, err)
		if err != nil {
			c.log.Debug("could not subscribe to changes of lists", "server", c.name, "error", err)
			unable()
			return
		}
		c.forgetMissed(r.principal, isOwnStale, isPublicStale)
	}
	if !c.peer.Background(open) {
		c.endWatch(r.principal, nil, context.Canceled)
	}
}

func (c *Cache) beginWatch(principal string) bool {
	c.viewers.mu.Lock()
	defer c.viewers.mu.Unlock()
	known := c.viewers.get(principal)
	if known.watch != nil || known.opening || time.Now().Before(known.notUntil) {
		return false
	}
	known.opening = true
	return true
}

// endWatch notes what became of an opening. Lists of the principal are stale then if
// they were kept without a subscription, and those that all share if nobody has
// listened for them meanwhile.
func (c *Cache) endWatch(principal string, watch CacheWatch, err error) (isOwnStale, isPublicStale bool) {
	c.viewers.mu.Lock()
	defer c.viewers.mu.Unlock()
	known := c.viewers.get(principal)
	known.opening = false
	if err != nil {
		known.notUntil = time.Now().Add(watchPause)
		return false, false
	}
	isOwnStale = known.hasFailed()
	if isOwnStale {
		known.epoch++
	}
	known.watch, known.openings, known.notUntil = watch, watch.Openings(), time.Time{}
	if c.viewers.witness == nil && !isOwnStale {
		c.viewers.witness = known
		return false, false
	}
	return isOwnStale, c.viewers.missed(known)
}
