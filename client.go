package mcpclient

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Client holds the connections to the configured servers. It is made once,
// shared by all goroutines, and closed at the end of the program.
type Client struct {
	names    []string
	servers  map[string]server
	problems []*errors.ServerConfigurationError
	factory  *factory.TransporterFactory
}

// server is a configured server: a connection, or why there is none.
type server struct {
	connection *Connection
	problem    *errors.ServerConfigurationError
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
	c := &Client{
		servers: make(map[string]server),
		factory: s.factory.With(append(s.build, factory.WithWrappers(s.wrappers...))...),
	}
	for _, injected := range s.injected {
		if isNil(injected.transporter) {
			return nil, fmt.Errorf("the transporter for server %q is nil", injected.server)
		}
		chain := transporters.Chain(injected.transporter, s.wrappers...)
		c.add(injected.server, server{connection: newConnection(injected.server, chain, baseOf(injected.transporter))})
	}
	if cfg == nil {
		return c, nil
	}
	c.configure(cfg)
	if cfg.Strict() && len(c.problems) > 0 {
		return nil, c.refusal()
	}
	return c, nil
}

func (c *Client) add(name string, s server) {
	if _, known := c.servers[name]; !known {
		c.names = append(c.names, name)
	}
	c.servers[name] = s
}

// configure adds the configured servers, except those that were injected.
func (c *Client) configure(cfg *config.Config) {
	injected := c.names
	c.names = nil
	if faults := append(cfg.Faults(), c.factory.CheckDefaults(cfg.Defaults())...); len(faults) > 0 {
		c.problems = append(c.problems, &errors.ServerConfigurationError{Faults: faults})
	}
	for _, name := range cfg.Names() {
		if slices.Contains(injected, name) {
			c.names = append(c.names, name)
			continue
		}
		section, _ := cfg.Server(name)
		made, err := c.factory.Make(section)
		if problem, isFault := errors.AsType[*errors.ServerConfigurationError](err); isFault {
			c.problems = append(c.problems, problem)
			c.add(name, server{problem: problem})
			continue
		}
		connection := newConnection(name, made.Head, made.Slot)
		connection.authorizer = made.Authorizer
		c.add(name, server{connection: connection})
	}
	for _, name := range injected {
		if !slices.Contains(c.names, name) {
			c.names = append(c.names, name)
		}
	}
}

func (c *Client) refusal() error {
	failures := make([]error, len(c.problems))
	for i, problem := range c.problems {
		failures[i] = problem
	}
	return errors.Join(failures...)
}

// Problems returns what is wrong with the configuration: one error per server
// with all its faults, in the order of the file; first one with an empty Server
// for faults outside any server. It is empty if all is well.
func (c *Client) Problems() []*errors.ServerConfigurationError { return slices.Clone(c.problems) }

// Servers returns the names of all servers, those with faults included, in the
// order of the configuration.
func (c *Client) Servers() []string { return slices.Clone(c.names) }

// Connect returns the connection to a server. It does no I/O: the handshake
// happens with the first call. Everybody who connects to one server shares one
// connection. A name that is not configured gives an error that wraps
// ErrUnknownServer; a server with faults its *errors.ServerConfigurationError.
func (c *Client) Connect(name string) (*Connection, error) {
	s, known := c.servers[name]
	switch {
	case !known:
		return nil, c.unknown(name)
	case s.problem != nil:
		return nil, s.problem
	default:
		return s.connection, nil
	}
}

func (c *Client) unknown(name string) error {
	if len(c.names) == 0 {
		return fmt.Errorf("%w %q: no server is configured", errors.ErrUnknownServer, name)
	}
	hint := ""
	if nearest := config.Nearest(name, c.names); nearest != "" {
		hint = fmt.Sprintf("; did you mean %q?", nearest)
	}
	return fmt.Errorf("%w %q; configured: %s%s", errors.ErrUnknownServer, name, strings.Join(c.names, ", "), hint)
}

// Close ends all connections at once and waits for them, each within its own
// bounds: running calls fail with ErrTransportClosed, processes are ended. It
// never waits for callbacks. Idempotent.
func (c *Client) Close() error {
	return c.end(func(connection *Connection) error { return connection.Close() })
}

// Shutdown lets running calls finish, refuses new ones, then closes. When ctx
// ends first, it closes at once and returns ctx's error. It must not be called
// from a callback.
func (c *Client) Shutdown(ctx context.Context) error {
	return c.end(func(connection *Connection) error { return connection.Shutdown(ctx) })
}

// end ends every connection, all at the same time.
func (c *Client) end(end func(*Connection) error) error {
	failures := make([]error, len(c.names))
	var ending sync.WaitGroup
	for i, name := range c.names {
		if connection := c.servers[name].connection; connection != nil {
			ending.Go(func() { failures[i] = end(connection) })
		}
	}
	ending.Wait()
	c.factory.CloseIdle()
	return errors.Join(failures...)
}
