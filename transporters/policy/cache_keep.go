package policy

import (
	"context"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// keep stores a result if it may be kept, which it reports.
func (c *Cache) keep(r *request, result mcp.Result) bool {
	ttl, isPublic := c.lifetime(r, result)
	c.fleeting.note(r.own, ttl <= 0)
	if ttl <= 0 {
		return false
	}
	epoch, _ := c.observe(r.principal)
	if len(result.Raw()) > c.largest || epoch != r.epoch {
		return true
	}
	key := r.own
	if isPublic {
		key = r.shared
	}
	fetched := time.Now()
	store := func() {
		left := ttl - time.Since(fetched)
		if left <= 0 {
			return
		}
		ctx := context.WithoutCancel(r.ctx) // the caller may be gone
		if !c.isLocal {
			bounded, cancel := context.WithTimeout(ctx, storeTimeout)
			defer cancel()
			ctx = bounded
		}
		if err := c.store.Set(ctx, key, result.Raw(), left, r.mark); err != nil {
			c.complain("write to", err)
		}
	}
	if r.isWatched || !isList(r.action) {
		store()
		store = func() {}
	}
	c.watch(r, store)
	return true
}

// lifetime is how long a result may be kept, and whether for all. What a legacy
// server says on that is not meant so.
func (c *Cache) lifetime(r *request, result mcp.Result) (ttl time.Duration, isPublic bool) {
	hints, hinted := mcp.CachingOf(result)
	if hinted && isHinted(r.action) && (c.peer == nil || c.peer.Era(r.ctx) != mcp.EraLegacy) {
		ttl, isPublic = hints.TTL, hints.CacheScope == mcp.CachePublic
	} else {
		ttl = c.cfg.TTL[r.action].Or(0)
	}
	return min(ttl, c.cfg.MaxTTL.Or(defaultMaxTTL)), isPublic
}

// lostPage drops a list of which a page cannot be had any more, so that the next
// listing begins anew (R235).
func (c *Cache) lostPage(r *request, err error) {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	if ok && failure.Kind == errors.KindPeer && isList(r.action) && !isFirstPage(r.params) {
		c.forget(c.prefix(r.action))
	}
}
