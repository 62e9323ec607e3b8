package mcpclient

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// CallOption changes one call.
type CallOption func(*call)

// call is what the options of one call come to.
type call struct {
	options transporters.CallOptions
	changed bool
	onEvent transporters.EventFunc
	err     error
}

func newCall(ctx context.Context) *call { return &call{options: *transporters.CallOptionsOf(ctx)} }

func (c *call) context(ctx context.Context) context.Context {
	if !c.changed {
		return ctx
	}
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { *o = c.options })
}

// OnProgress has the call's progress reports handed to show, and the server
// asked for them. show runs in the goroutine that made the call, before the call
// returns; it may make calls itself.
func OnProgress(show func(mcp.Progress)) CallOption {
	return func(c *call) { c.options.OnProgress, c.changed = show, true }
}

// OnEvent has every message that belongs to the call handed to see, the answer
// included; see transporters.EventFunc for the rules.
func OnEvent(see transporters.EventFunc) CallOption {
	return func(c *call) { c.onEvent = see }
}

// WithTimeout replaces request_timeout for this call: the longest silence, which
// each progress report restarts. 0 means no limit. One longer than
// max_request_timeout raises that too.
func WithTimeout(silence time.Duration) CallOption {
	return func(c *call) { c.options.RequestTimeout = c.limit("WithTimeout", silence) }
}

// WithMaxTimeout replaces max_request_timeout for this call: its whole life,
// however much progress is made. 0 means no limit.
func WithMaxTimeout(ceiling time.Duration) CallOption {
	return func(c *call) { c.options.MaxRequestTimeout = c.limit("WithMaxTimeout", ceiling) }
}

func (c *call) limit(option string, length time.Duration) *time.Duration {
	c.changed = true
	if length < 0 {
		c.err = fmt.Errorf("%w: %s(%v); allowed: 0 (no limit) or more", errors.ErrInvalidParams, option, length)
	}
	return &length
}

// WithMeta adds to the _meta of the request. Keys that the protocol reserves for
// the client itself are not replaced.
func WithMeta(meta map[string]any) CallOption {
	return func(c *call) {
		merged := maps.Clone(c.options.Meta)
		if merged == nil {
			merged = make(map[string]any, len(meta))
		}
		maps.Copy(merged, meta)
		c.options.Meta, c.changed = merged, true
	}
}
