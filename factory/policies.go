package factory

import (
	"cmp"
	"slices"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// policies are the keys of the policies that are off unless asked for.
type policies struct {
	Cache   policy.CacheConfig   `config:"cache"`
	Retry   policy.RetryConfig   `config:"retry"`
	Breaker policy.BreakerConfig `config:"breaker"`
	Limit   policy.LimitConfig   `config:"limits"`

	identity func() string // stands for the whole section
}

// Check returns the faults of all of them.
func (p policies) Check(section *config.Section) []errors.Fault {
	return slices.Concat(p.Cache.Check(section), p.Retry.Check(section), p.Breaker.Check(section), p.Limit.Check(section))
}

// WithRetry sets the functions that decide about retries (retry.*) and their
// pace, for those of options that are not nil; the rest of options is the
// factory's own.
func WithRetry(options policy.RetryOptions) Option {
	return func(f *TransporterFactory) { f.retry = options }
}

// retryOf fills in what the caller left out.
func (f *TransporterFactory) retryOf(common commonKeys, slot *Slot, catalogue *policy.ToolCatalogue, log hclog.Logger) policy.RetryOptions {
	options := f.retry
	if options.Check == nil && common.Retry.IdempotentTools {
		options.Check = policy.DefaultCheckRetry(catalogue.IsIdempotent)
	}
	options.MaxRequestTimeout = common.MaxRequestTimeout.Or(0)
	options.Life = &slot.life
	options.Logger = log
	return options
}

// WithCacheStore keeps cached results (cache.*) of all servers in the store; the
// default is a store in memory for each server. nil changes nothing.
func WithCacheStore(store policy.CacheStore) Option {
	return func(f *TransporterFactory) {
		if store != nil {
			f.cacheStore = store
		}
	}
}

// cacheOf makes the cache of a chain.
func (f *TransporterFactory) cacheOf(server string, common commonKeys, slot *Slot, log hclog.Logger) *policy.Cache {
	return policy.NewCache(server, common.Cache, policy.CacheOptions{
		Store:             cmp.Or(f.cacheStore, f.stores.Cache),
		Identity:          common.identity,
		Peer:              cachePeer{slot},
		Principal:         slot.principal,
		MaxRequestTimeout: common.MaxRequestTimeout.Or(0),
		Logger:            log,
	})
}
