package factory

import (
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
)

// Option sets what a configuration file cannot hold.
type Option func(*TransporterFactory)

// WithLogger sets the logger of everything that is built, each server with a
// sub-logger of its name; the default discards.
// nil changes nothing.
func WithLogger(logger hclog.Logger) Option {
	return func(f *TransporterFactory) {
		if logger != nil {
			f.logger = logger
		}
	}
}

// WithClientInfo replaces what is announced of this client to servers.
func WithClientInfo(info mcp.Implementation) Option {
	return WithSessionOptions(session.WithClientInfo(info))
}

// WithRestyClient makes HTTP servers be spoken to through a copy of client; see
// httplink.WithClient for what of it is kept. nil changes nothing.
func WithRestyClient(client *resty.Client) Option {
	if client == nil {
		return func(*TransporterFactory) {}
	}
	return WithHTTPOptions(httplink.WithClient(client))
}

// WithWrappers adds wrappers that stand outside all policies of every server,
// the first one outermost. They see what the caller asked for and what the
// caller gets.
func WithWrappers(wrappers ...transporters.Wrapper) Option {
	return func(f *TransporterFactory) { f.wrappers = append(f.wrappers, wrappers...) }
}

// WithSessionOptions adds options of every session.
func WithSessionOptions(options ...session.Option) Option {
	return func(f *TransporterFactory) { f.session = append(f.session, options...) }
}

// WithHTTPOptions adds options of every HTTP link.
func WithHTTPOptions(options ...httplink.Option) Option {
	return func(f *TransporterFactory) { f.http = append(f.http, options...) }
}

// WithStdioOptions adds options of every link to a child process.
func WithStdioOptions(options ...stdiolink.Option) Option {
	return func(f *TransporterFactory) { f.stdio = append(f.stdio, options...) }
}

// WithMaxPrincipals bounds how many principals one server may be connected for
// at once where its key max_principals is not written; the default is
// DefaultMaxPrincipals. 0 or less means the default.
func WithMaxPrincipals(limit int) Option {
	return func(f *TransporterFactory) { f.maxPrincipals = limit }
}

// WithDrainTimeout bounds how long calls may go on that run when their server's
// configuration is replaced or removed: after it they fail with
// ErrTransportClosed. The default, which 0 or less means as well, is
// DefaultDrainTimeout.
func WithDrainTimeout(limit time.Duration) Option {
	if limit <= 0 {
		limit = DefaultDrainTimeout
	}
	return func(f *TransporterFactory) { f.drain = limit }
}
