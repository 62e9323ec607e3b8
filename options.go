package mcpclient

import (
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Option sets what a configuration file cannot hold.
type Option func(*settings)

type settings struct {
	factory  *factory.TransporterFactory
	build    []factory.Option
	wrappers []transporters.Wrapper
	injected []injection
	hooks    []Hook
}

type injection struct {
	server      string
	transporter transporters.Transporter
}

// WithLogger sets the logger of everything the client does, the stderr of server
// processes included; the default discards. What concerns a server is logged by a
// sub-logger of its name (logger.Named), and has the name under the key "server" as
// well. WithSlog takes a logger of the standard library.
func WithLogger(logger hclog.Logger) Option { return building(factory.WithLogger(logger)) }

// WithClientInfo replaces what servers are told of this client: by default
// mcp.ClientInfo().
func WithClientInfo(info mcp.Implementation) Option { return building(factory.WithClientInfo(info)) }

// WithRestyClient makes HTTP servers be spoken to through a copy of client. The
// client is handed over: see httplink.WithClient for what of it is kept and what
// is changed.
func WithRestyClient(client *resty.Client) Option { return building(factory.WithRestyClient(client)) }

// WithDrainTimeout bounds how long calls may go on that run when Apply replaces or
// removes their server: after it they fail with ErrTransportClosed. The default,
// which 0 or less means as well, is factory.DefaultDrainTimeout, 10 minutes:
// max_request_timeout's default.
func WithDrainTimeout(limit time.Duration) Option { return building(factory.WithDrainTimeout(limit)) }

// WithFactory builds transporters with a copy of f, taken when New is called:
// with its registered types and options. The default is factory.New().
func WithFactory(f *factory.TransporterFactory) Option {
	return func(s *settings) { s.factory = f }
}

// Use wraps the calls to every server, those of WithTransporter included. What
// is used stands outside all policies, the first one outermost, so that it sees
// what the caller asked for and what the caller gets. A wrapper is called once for
// each server, and again when Apply has changed the server: what it keeps per server
// starts anew then.
func Use(wrappers ...transporters.Wrapper) Option {
	return func(s *settings) { s.wrappers = append(s.wrappers, wrappers...) }
}

// WithTransporter makes the transporter serve the named server, whether it is
// configured or not: the place for a fake in a test. It stands for the whole
// chain, so that policies of the configuration do not apply to it. If it is a
// transporters.Base, ServerInfo, State, Stats, Close and Shutdown reach it.
func WithTransporter(server string, transporter transporters.Transporter) Option {
	return func(s *settings) { s.injected = append(s.injected, injection{server, transporter}) }
}

func building(option factory.Option) Option {
	return func(s *settings) { s.build = append(s.build, option) }
}
