package policy

import (
	"context"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// DeadlineConfig holds the configured limits of a request. 0 means no limit.
type DeadlineConfig struct {
	// RequestTimeout is the longest silence.
	RequestTimeout time.Duration
	// MaxRequestTimeout is the ceiling: the whole life, however much progress.
	MaxRequestTimeout time.Duration
}

// Deadline returns the policy that settles the limits of a request: what the
// call asks for wins over the configuration, and a silence limit raised for one
// call raises the ceiling with it, unless the call gives a ceiling too. It only
// writes the numbers into the call's options. The session runs the clock, since
// it knows when a request really starts, which a wrapper does not.
//
// A call that asks for nothing passes as it is: the base applies the configured
// limits of itself.
func Deadline(cfg DeadlineConfig) transporters.Wrapper {
	return func(next transporters.Transporter) transporters.Transporter {
		return &deadline{cfg: cfg, next: next}
	}
}

type deadline struct {
	cfg  DeadlineConfig
	next transporters.Transporter
}

// Request settles the limits and passes the request on.
func (d *deadline) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	options := transporters.CallOptionsOf(ctx)
	if options.RequestTimeout != nil || options.MaxRequestTimeout != nil {
		silence, ceiling := d.cfg.settle(options)
		ctx = transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) {
			o.RequestTimeout, o.MaxRequestTimeout = &silence, &ceiling
		})
	}
	return d.next.Request(ctx, action, params, onEvent)
}

// settle returns both limits of one call.
func (c DeadlineConfig) settle(options *transporters.CallOptions) (silence, ceiling time.Duration) {
	silence, ceiling = c.RequestTimeout, c.MaxRequestTimeout
	if options.RequestTimeout != nil {
		silence = *options.RequestTimeout
		if ceiling > 0 && silence > ceiling {
			ceiling = silence
		}
	}
	if options.MaxRequestTimeout != nil {
		ceiling = *options.MaxRequestTimeout
	}
	return silence, ceiling
}
