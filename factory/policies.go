package factory

import (
	"slices"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// policies are the keys of the policies that are off unless asked for.
type policies struct {
	Retry   policy.RetryConfig   `config:"retry"`
	Breaker policy.BreakerConfig `config:"breaker"`
	Limit   policy.LimitConfig   `config:"limits"`
}

// Check returns the faults of all of them.
func (p policies) Check(section *config.Section) []errors.Fault {
	return slices.Concat(p.Retry.Check(section), p.Breaker.Check(section), p.Limit.Check(section))
}

// WithRetry sets the functions that decide about retries (retry.*) and their
// pace, for those of options that are not nil; the rest of options is the
// factory's own.
func WithRetry(options policy.RetryOptions) Option {
	return func(f *TransporterFactory) { f.retry = options }
}

// retryOf fills in what the caller left out.
func (f *TransporterFactory) retryOf(common commonKeys, slot *Slot, catalogue *policy.ToolCatalogue) policy.RetryOptions {
	options := f.retry
	if options.Check == nil && common.Retry.IdempotentTools {
		options.Check = policy.DefaultCheckRetry(catalogue.IsIdempotent)
	}
	options.MaxRequestTimeout = common.MaxRequestTimeout.Or(0)
	options.Life = slot.life
	options.Logger = f.logger
	return options
}
