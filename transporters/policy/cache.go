package policy

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// How the cache works. A result of a modern server is kept for its ttlMs, for the
// authorization that asked for it, or for all of the server's where its cacheScope
// is public (R228-R235). A legacy server says nothing of the kind; its results are
// kept for the time that is configured for the method, if any.
//
// Never kept are results of requests that go on with a round, results that took a
// round to get, and what is no complete result (R229): an observer of the request's
// messages tells whether the session answered something on the way.
//
// A request that finds nothing fetches, in its own goroutine. Others for the same
// wait for it and share what it gets (cache_flight.go). What makes kept results
// stale is in cache_stale.go. That a change came during a fetch shows in the
// store's mark, which the fetch took before: what is stale already is not kept
// (P68).

// CachePeer is the end of the chain as the cache sees it. Its methods are safe
// for concurrent use and do not block, Era and Watch aside.
type CachePeer interface {
	// Generation tells the connections of a principal apart.
	Generation(principal string) Generation
	// Era is that of the server of the principal of ctx, after the handshake.
	Era(ctx context.Context) mcp.Era
	// Watch subscribes for the principal of ctx; see CacheWatch.
	Watch(ctx context.Context, filter mcp.SubscriptionFilter, handler func(mcp.Message)) (CacheWatch, error)
	// Background runs f on a goroutine that somebody waits for, or returns false.
	Background(f func()) bool
}

// CacheWatch is a subscription; *session.Subscription is one.
type CacheWatch interface {
	// Openings is how often it was opened.
	Openings() uint64
	// Done is closed at its end.
	Done() <-chan struct{}
	Close() error
}

// Generation tells what stands behind a principal's requests: which connection,
// counted over the life of the chain from 1, and how many handshakes it has made.
// The zero value is none.
type Generation struct{ Connection, Handshakes uint64 }

// CacheOptions are what a configuration file cannot hold. All may be left out.
type CacheOptions struct {
	// Store is where results are kept; nil is a MemoryCache of its own, with the
	// configured bounds.
	Store CacheStore
	// Identity tells servers of the same name apart in a store that is shared: it
	// stands for all that is configured of this one. It is asked for once, with the
	// first request. nil is none.
	Identity func() string
	// Peer is the end of the chain. Without it results are never stale before
	// their time.
	Peer CachePeer
	// Principal names whom a call is for; nil is the principal of its options.
	Principal PrincipalFunc
	// MaxRequestTimeout is the whole life of a request that brings no ceiling of
	// its own, the wait for somebody else's answer included; 0 is no limit.
	MaxRequestTimeout time.Duration
	// Logger gets what the store fails at; nil discards.
	Logger hclog.Logger
}

// Cache keeps results of one server. It is safe for concurrent use.
type Cache struct {
	name      string
	server    func() string // first part of the keys
	cfg       CacheConfig
	store     CacheStore
	isLocal   bool // the store is in memory: it needs no bounds on time, and no checking
	largest   int
	ceiling   time.Duration
	peer      CachePeer
	principal PrincipalFunc
	log       hclog.Logger
	logged    throttle

	flights  flights
	viewers  viewers
	fleeting fleeting
}

// storeTimeout bounds one look into a store that is not in memory, and
// deleteTimeout one deletion, for which no caller waits.
const (
	storeTimeout  = 500 * time.Millisecond
	deleteTimeout = 5 * time.Second
)

// largestShared bounds a result in a store that is not in memory.
const largestShared = 8 << 20

// NewCache returns an empty cache.
func NewCache(server string, cfg CacheConfig, options CacheOptions) *Cache {
	c := &Cache{
		name: server, cfg: cfg, store: options.Store, largest: largestShared, ceiling: options.MaxRequestTimeout,
		peer: options.Peer, principal: options.Principal.orDefault(), log: options.Logger,
	}
	c.server = sync.OnceValue(func() string {
		if options.Identity == nil {
			return serverKey(server, "")
		}
		return serverKey(server, options.Identity())
	})
	if c.log == nil {
		c.log = hclog.NewNullLogger()
	}
	if c.store == nil {
		c.store = NewMemoryCache(cfg.MaxEntries, cfg.MaxBytes)
	}
	if _, c.isLocal = c.store.(*MemoryCache); c.isLocal {
		c.largest = max(cfg.MaxBytes/4, 1)
	}
	return c
}

// Wrap adds the cache to a transporter.
//
// Of a call that is answered from the cache onEvent sees the answer and nothing
// else, with the id 0, which no request has. Calls with an onEvent or OnProgress
// that find nothing make their request themselves, so that they see all of it; so
// do those that are to be Fresh. An error is shared among those who waited for the
// same fetch, unless it came of the limits of the one who made it.
func (c *Cache) Wrap(next transporters.Transporter) transporters.Transporter {
	if !c.cfg.Enabled {
		return next
	}
	return &cached{cache: c, next: next}
}

type cached struct {
	cache *Cache
	next  transporters.Transporter
}

// Request answers from the cache, or makes the request.
func (w *cached) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	c := w.cache
	if !c.cfg.isKept(action) {
		return w.next.Request(ctx, action, params, onEvent)
	}
	encoded, err := mcp.ParamsOf(params)
	if err != nil {
		return mcp.Result{}, unencodable(c.name, action, err)
	}
	if encoded.IsContinuation() {
		return w.next.Request(ctx, action, encoded, onEvent)
	}
	r, hasKey := c.newRequest(ctx, action, encoded)
	if !hasKey {
		return w.next.Request(ctx, action, encoded, onEvent)
	}
	if result, found := c.find(r); found && !r.options.Fresh {
		return answered(result, onEvent), nil
	}
	isAlone := r.options.Fresh || r.options.HandOverInput || r.options.OnProgress != nil || onEvent != nil
	if isAlone || c.fleeting.includes(r.own) {
		result, _, err := w.fetch(r, onEvent)
		return result, err
	}
	return w.share(r)
}

// answered hands the caller an answer that was kept.
func answered(result mcp.Result, onEvent transporters.EventFunc) mcp.Result {
	if onEvent != nil {
		id := mcp.NumberID(0)
		onEvent(mcp.Message{ID: id, Result: result.Raw(), Raw: jsonrpc.AppendResult(nil, id, result.Raw())})
	}
	return result
}

// find looks into the store. In any case the request then has its mark.
func (c *Cache) find(r *request) (result mcp.Result, found bool) {
	ctx := r.ctx
	if !c.isLocal {
		bounded, cancel := context.WithTimeout(ctx, storeTimeout)
		defer cancel()
		ctx = bounded
	}
	value, mark, err := c.store.Get(ctx, r.own, r.shared)
	if err != nil {
		c.complain("look into", err)
		return mcp.Result{}, false
	}
	r.mark = mark
	if value == nil || !c.isLocal && !isObject(value) {
		return mcp.Result{}, false
	}
	return mcp.NewResult(value), true
}

// isObject checks what comes from a store that others write to.
func isObject(value []byte) bool {
	return jsonscan.Valid(value) && value[jsonscan.SkipSpace(value, 0)] == '{'
}

// fetch makes the request and keeps its result. isShared reports that it may be
// given to others who ask for the same.
func (w *cached) fetch(r *request, onEvent transporters.EventFunc) (result mcp.Result, isShared bool, err error) {
	took := false // a round
	see := onEvent
	if mayAskForInput(r.action) {
		see = func(m mcp.Message) {
			if m.Result != nil && mcp.NewResult(m.Result).Type() == mcp.ResultInputRequired {
				took = true
			}
			if onEvent != nil {
				onEvent(m)
			}
		}
	}
	result, err = w.next.Request(r.ctx, r.action, r.params, see)
	switch {
	case err != nil:
		w.cache.lostPage(r, err)
		return result, false, err
	case took || result.IsEnvelope() || result.Type() != mcp.ResultComplete:
		return result, false, nil
	default:
		return result, w.cache.keep(r, result), nil
	}
}

// mayAskForInput reports whether a modern server may answer with a question.
func mayAskForInput(method string) bool {
	return method == mcp.MethodGetPrompt || method == mcp.MethodReadResource
}

// complain logs what the store fails at, once in a while.
func (c *Cache) complain(what string, err error) {
	if c.logged.allows(time.Minute) {
		c.log.Warn("could not "+what+" the cache", "server", c.name, "error", err)
	}
}
