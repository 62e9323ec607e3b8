package mcpclient

import (
	"context"

	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// WithFresh returns a context whose calls ask the server although an answer is
// cached (cache.*). What it answers takes the place of what was cached.
func WithFresh(ctx context.Context) context.Context {
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.Fresh = true })
}

// WithCacheStore keeps cached results of all servers in the store, which may be
// shared between programs. The default is a store in memory for each server. See
// policy.CacheStore.
func WithCacheStore(store policy.CacheStore) Option { return building(factory.WithCacheStore(store)) }
