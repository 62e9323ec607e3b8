package policy

import (
	"context"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// One fetch for many programs. Where the store is shared, a program that finds no
// list claims the fetch of it. Those that do not get the claim look again and again
// for what the one that has it will keep, and claim the fetch themselves as soon as
// the claim is given back. They do so for a short while only, and then fetch: who
// has the claim may be slow, or gone. Where the store does not answer nobody waits.

const (
	// claimWait bounds the wait for what another program fetches. No call spends
	// more than half of its own time on it.
	claimWait = time.Second
	// claimLife is how long a claim holds that is not given back.
	claimLife = 2 * time.Second
	// Looks are so far apart, at first and in the end.
	firstLook, lastLook = 10 * time.Millisecond, 100 * time.Millisecond
)

// fetchForAll is fetch for those who wait in this program, and where it can be for
// those in others.
func (w *cached) fetchForAll(r *request) (result mcp.Result, isShared bool, err error) {
	c := w.cache
	claimer, ok := c.store.(CacheClaimer)
	if !ok || !isList(r.action) || !r.isWatched || r.mark == "" { // or else it is not kept
		return w.fetch(r, nil)
	}
	began := time.Now()
	result, release, err := c.claim(r, claimer)
	if err != nil || !result.IsZero() {
		return result, err == nil, err
	}
	defer release()
	if ceiling, waited := ceilingOf(r.ctx, c.ceiling), time.Since(began); ceiling > 0 && waited >= firstLook {
		r.ctx = withCeiling(r.ctx, max(ceiling-waited, time.Millisecond))
	}
	return w.fetch(r, nil)
}

// claim returns what another program has kept meanwhile, or else release, and it is
// the caller's turn to fetch.
func (c *Cache) claim(r *request, claimer CacheClaimer) (result mcp.Result, release func(), err error) {
	deadline := time.Now().Add(c.longestClaimWait(r))
	for look := firstLook; ; look = min(2*look, lastLook) {
		mark := r.mark
		word, err := c.tryClaim(r, claimer)
		if err != nil {
			if r.ctx.Err() == nil {
				c.complain("claim a fetch in", err)
			}
			return mcp.Result{}, func() {}, nil
		}
		release := func() { c.release(r, claimer, mark, word) }
		if word == "" {
			left := time.Until(deadline)
			if left <= 0 {
				return mcp.Result{}, func() {}, nil
			}
			if err := pause(r.ctx, nil, min(look, left)); err != nil {
				return mcp.Result{}, nil, waitFailure(c.name, r.action, "while another program was asking for the same", err)
			}
			release = func() {}
		}
		if result, found := c.find(r); found { // also where the claim was had: its last owner may have kept it since
			release()
			return result, nil, nil
		}
		if word != "" || r.mark == "" {
			return mcp.Result{}, release, nil
		}
	}
}

// longestClaimWait is how long the call may wait for other programs.
func (c *Cache) longestClaimWait(r *request) time.Duration {
	longest := claimWait
	if limit := shortestLimit(r.options, c.ceiling); limit > 0 {
		longest = min(longest, limit/2)
	}
	if left, isBounded := until(r.ctx); isBounded {
		longest = min(longest, left/2)
	}
	return longest
}

func (c *Cache) tryClaim(r *request, claimer CacheClaimer) (word string, err error) {
	ctx, cancel := context.WithTimeout(r.ctx, storeTimeout)
	defer cancel()
	return claimer.Claim(ctx, r.own, r.mark, claimLife)
}

// release gives a claim back, the caller gone or not.
func (c *Cache) release(r *request, claimer CacheClaimer, mark, word string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), storeTimeout)
	defer cancel()
	if err := claimer.Release(ctx, r.own, mark, word); err != nil {
		c.complain("give back the claim of a fetch in", err)
	}
}
