package policy

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// What makes kept results stale before their time.
//
//   - A notification of change (R234), of whichever subscription the chain has.
//   - That a connection had to be made anew: what was notified in between is lost,
//     and the server may be another one. All of the server's results go. Where a
//     principal got another connection for another reason, only what is its own
//     goes.
//   - That a subscription of the cache's had to be opened again (P63).
//
// The last two are not announced; they are looked at with every request, which
// costs two look-ups and asks nobody.

// Notify takes in a message that the server sent of itself; others than
// notifications of change are passed over.
func (c *Cache) Notify(m mcp.Message) {
	switch m.Method {
	case mcp.NotificationToolsListChanged:
		c.forget(c.prefix(mcp.MethodListTools))
	case mcp.NotificationPromptsListChanged:
		c.forget(c.prefix(mcp.MethodListPrompts))
		c.forget(c.prefix(mcp.MethodGetPrompt))
	case mcp.NotificationResourcesListChanged:
		c.forget(c.prefix(mcp.MethodListResources))
		c.forget(c.prefix(mcp.MethodListResourceTemplates))
	case mcp.NotificationResourceUpdated:
		if params, err := mcp.ParseResourceUpdatedParams(m.Params); err == nil {
			for _, uri := range withParents(params.URI) {
				c.forget(c.subject(mcp.MethodReadResource, uri))
			}
		}
	}
}

// maxParents bounds how far up a change is followed.
const maxParents = 32

// withParents returns the uri and those that it is a part of: a change may name a
// part of what was subscribed to (P61).
func withParents(uri string) []string {
	uris := []string{uri}
	for rest := uri; len(uris) < 2*maxParents; {
		at := strings.LastIndexByte(rest, '/')
		if at <= 0 || strings.HasSuffix(rest[:at], "/") { // what is left is the scheme
			return uris
		}
		rest = rest[:at]
		uris = append(uris, rest, rest+"/")
	}
	return uris
}

// forget deletes what begins with the prefix.
func (c *Cache) forget(prefix string) {
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	if err := c.store.Delete(ctx, prefix); err != nil {
		c.complain("delete from", err)
	}
}

// lists are the methods whose results a change of a list makes stale.
func lists() []string {
	return []string{mcp.MethodListTools, mcp.MethodListPrompts, mcp.MethodListResources, mcp.MethodListResourceTemplates}
}

func isList(method string) bool {
	switch method {
	case mcp.MethodListTools, mcp.MethodListPrompts, mcp.MethodListResources, mcp.MethodListResourceTemplates:
		return true
	default:
		return false
	}
}

func (c *Cache) forgetLists() {
	for _, method := range lists() {
		c.forget(c.prefix(method))
	}
}

// viewers are the principals that have asked for something.
type viewers struct {
	mu    sync.Mutex
	known *simplelru.LRU[string, *viewer]
	left  []CacheWatch // of viewers that were forgotten: to be closed
}

// maxViewers bounds the principals that are remembered. Of one that is forgotten,
// what it had before a change of its connection may be found again until its time
// is over.
const maxViewers = 16384

// viewer is what is known of one principal. It is guarded by the mutex of the
// viewers.
type viewer struct {
	generation Generation
	epoch      uint64

	watch    CacheWatch // nil if there is none
	openings uint64
	opening  bool      // one is being opened
	notUntil time.Time // the last one could not be opened
}

func (v *viewers) get(principal string) *viewer {
	if v.known == nil {
		v.known, _ = simplelru.NewLRU(maxViewers, func(_ string, gone *viewer) { // fails only for a size below 1
			if gone.watch != nil {
				v.left = append(v.left, gone.watch)
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

// takeLeft returns what is to be closed.
func (v *viewers) takeLeft() []CacheWatch {
	left := v.left
	v.left = nil
	return left
}

// observe drops what has become stale since the principal's last request, and
// returns the principal's epoch.
func (c *Cache) observe(principal string) (epoch uint64) {
	if c.peer == nil {
		return 0
	}
	generation := c.peer.Generation(principal)
	c.viewers.mu.Lock()
	known := c.viewers.get(principal)
	reconnected := known.sees(generation)
	reopened := known.looksAtWatch()
	epoch = known.epoch
	left := c.viewers.takeLeft()
	c.viewers.mu.Unlock()
	for _, watch := range left {
		_ = watch.Close()
	}
	switch {
	case reconnected:
		c.forget(c.server() + ":")
	case reopened:
		c.forgetLists()
	}
	return epoch
}

// sees compares the principal's connection with what it was. It reports that the
// connection was made anew.
func (v *viewer) sees(now Generation) (reconnected bool) {
	last := v.generation
	if now == (Generation{}) || now == last {
		return false
	}
	v.generation = now
	switch {
	case last == (Generation{}):
		return false
	case last.Connection == now.Connection:
		return true
	default:
		v.epoch++
		return false
	}
}

// looksAtWatch reports that changes may have been missed.
func (v *viewer) looksAtWatch() (missed bool) {
	if v.watch == nil {
		return false
	}
	select {
	case <-v.watch.Done():
		v.watch = nil
		return true
	default:
	}
	openings := v.watch.Openings()
	missed = openings != v.openings
	v.openings = openings
	return missed
}

const (
	// watchTimeout bounds the opening of a subscription.
	watchTimeout = 30 * time.Second
	// watchPause is how long after one that could not be opened the next is tried.
	watchPause = time.Minute
)

// watch subscribes to changes of lists for the principal, in the background,
// unless that is done. What was kept before it is open goes then (P63).
func (c *Cache) watch(r *request) {
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
		watch, err := c.peer.Watch(ctx, filter, c.Notify)
		c.endWatch(r.principal, watch, err)
		if err != nil {
			c.log.Debug("could not subscribe to changes of lists", "server", c.name, "error", err)
			return
		}
		c.forgetLists()
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

func (c *Cache) endWatch(principal string, watch CacheWatch, err error) {
	c.viewers.mu.Lock()
	defer c.viewers.mu.Unlock()
	known := c.viewers.get(principal)
	known.opening = false
	if err != nil {
		known.notUntil = time.Now().Add(watchPause)
		return
	}
	known.watch, known.openings = watch, watch.Openings()
}
