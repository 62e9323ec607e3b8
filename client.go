package mcpclient

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Client holds the connections to the servers. It is made once, shared by all
// goroutines, and closed at the end of the program. Meanwhile its servers may
// change: Apply puts another configuration in force, AddServer and RemoveServer
// change one server. All methods are safe for concurrent use.
type Client struct {
	factory *factory.TransporterFactory
	log     hclog.Logger
	// storeSection tells what store New has opened, which is that of the client's
	// whole life.
	storeSection [32]byte

	// What the servers are is read without a lock. It is replaced by one change
	// at a time, which prepares under changing, and takes effect under mu, so that
	// Close never waits for what a change prepares.
	servers  atomic.Pointer[roster]
	changing sync.Mutex

	mu       sync.Mutex
	closed   bool
	leaving  map[*Connection]struct{} // of servers that are removed, until they are closed
	draining sync.WaitGroup           // goroutines; none are added after closed
	life     context.Context          // ends when nothing may drain any longer
	kill     context.CancelFunc
	watchers []*config.Watcher
	storeEnd sync.Once
}

// New makes a client of a configuration; nil is one without servers. It does no
// I/O. A server with faults does not sink the rest: Problems lists them, and
// Connect refuses it. With `strict: true` in the configuration any fault makes
// New fail, with every *errors.ServerConfigurationError joined.
func New(cfg *config.Config, options ...Option) (*Client, error) {
	var s settings
	for _, option := range options {
		option(&s)
	}
	if s.factory == nil {
		s.factory = factory.New()
	}
	hooks, err := transporters.NewHooks(s.hooks...)
	if err != nil {
		return nil, err
	}
	c := &Client{
		factory: s.factory.With(append(s.build, factory.WithWrappers(s.wrappers...), factory.WithHooks(hooks))...),
		leaving: make(map[*Connection]struct{}),
	}
	c.life, c.kill = context.WithCancel(context.Background())
	c.log = c.factory.Logger()
	first, err := injected(s, hooks)
	if err != nil {
		return nil, err
	}
	c.servers.Store(first)
	if cfg == nil {
		return c, nil
	}
	faults := append(c.faultsOutside(cfg), c.factory.OpenStore(cfg)...)
	c.storeSection = storePrint(cfg)
	next := c.compare(cfg)
	if len(faults) > 0 {
		next.problems = append(next.problems, &errors.ServerConfigurationError{Faults: faults})
	}
	if problems := next.allProblems(); cfg.Strict() && len(problems) > 0 {
		_ = c.factory.CloseStore() // nobody has used it
		return nil, joined(problems)
	}
	c.warn(cfg)
	c.servers.Store(&next.roster)
	return c, nil
}

// injected returns the servers of WithTransporter.
func injected(s settings, hooks *transporters.Hooks) (*roster, error) {
	first := newRoster()
	for _, injected := range s.injected {
		if isNil(injected.transporter) {
			return nil, fmt.Errorf("the transporter for server %q is nil", injected.server)
		}
		chain := policy.Hooks(injected.server, hooks)(transporters.Chain(injected.transporter, s.wrappers...))
		first.add(&server{
			connection: newConnection(injected.server, chain, baseOf(injected.transporter)),
			name:       injected.server, source: fromInjection,
		})
	}
	return first, nil
}

// faultsOutside returns what is wrong with a configuration outside any server.
func (c *Client) faultsOutside(cfg *config.Config) []errors.Fault {
	return append(cfg.Faults(), c.factory.CheckDefaults(cfg.Defaults())...)
}

func joined(problems []*errors.ServerConfigurationError) error {
	failures := make([]error, len(problems))
	for i, problem := range problems {
		failures[i] = problem
	}
	return errors.Join(failures...)
}

// Problems returns what is wrong with the configuration: one error per server
// with all its faults, in the order of the file; first one with an empty Server
// for faults outside any server. It is empty if all is well.
//
// A server whose section was faulty when it was applied goes on as it was
// configured before; its problem says so in its last fault. If the latest
// configuration was refused as a whole, the last problems tell why, the first of
// them with an empty Server.
func (c *Client) Problems() []*errors.ServerConfigurationError { return c.servers.Load().allProblems() }

// Servers returns the names of all servers, those with faults included: the
// configured ones in the order of the configuration, then the others in the order
// in which they were added.
func (c *Client) Servers() []string { return slices.Clone(c.servers.Load().names) }

// Connect returns the connection to a server. It does no I/O: the handshake
// happens with the first call. Everybody who connects to one server shares one
// connection. It stays valid when the server's configuration is changed by Apply:
// later calls follow. A name that is not configured gives an error that wraps
// ErrUnknownServer; a server with faults its *errors.ServerConfigurationError.
func (c *Client) Connect(name string) (*Connection, error) {
	servers := c.servers.Load()
	s, known := servers.byName[name]
	switch {
	case !known:
		return nil, servers.unknown(name)
	case s.connection == nil:
		return nil, s.problem
	default:
		return s.connection, nil
	}
}

func (r *roster) unknown(name string) error {
	if len(r.names) == 0 {
		return fmt.Errorf("%w %q: no server is configured", errors.ErrUnknownServer, name)
	}
	hint := ""
	if nearest := config.Nearest(name, r.names); nearest != "" {
		hint = fmt.Sprintf("; did you mean %q?", nearest)
	}
	return fmt.Errorf("%w %q; configured: %s%s", errors.ErrUnknownServer, name, strings.Join(r.names, ", "), hint)
}
