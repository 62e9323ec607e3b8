package supervise

import (
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	defaultConnectTimeout = 60 * time.Second
	defaultRetireTimeout  = 20 * time.Second
)

// Option sets what configuration cannot hold.
type Option func(*Link)

// WithLogger sets the logger; the default discards. Each restart is a warning,
// exhaustion an error.
func WithLogger(logger hclog.Logger) Option {
	return func(l *Link) {
		if logger != nil {
			l.logger = logger
		}
	}
}

// WithTraits sets what Traits returns, which the session asks before there is
// a link to ask. The default is that of a child process: named stdio, silence
// is evidence.
func WithTraits(traits transporters.Traits) Option {
	return func(l *Link) { l.traits = traits }
}

// WithConnectTimeout bounds each restart that happens by itself, from dial to
// the end of prepare; the default is 60 seconds. Start, and the dial of an
// on-demand Connect, are bounded by their own context.
func WithConnectTimeout(timeout time.Duration) Option {
	return func(l *Link) {
		if timeout > 0 {
			l.connectTimeout = timeout
		}
	}
}

// WithRetireTimeout bounds the closing of a link whose peer died or could not
// be prepared; the default is 20 seconds.
func WithRetireTimeout(timeout time.Duration) Option {
	return func(l *Link) {
		if timeout > 0 {
			l.retireTimeout = timeout
		}
	}
}

// WithErrorListener adds a function that is told of what goes wrong without
// anybody waiting for it: each failed restart, exhaustion, a listener that
// panicked. It runs where the other listeners run, in order with them. A panic
// of its own is logged.
func WithErrorListener(listener func(error)) Option {
	return func(l *Link) {
		if listener != nil {
			l.onError = append(l.onError, listener)
		}
	}
}
