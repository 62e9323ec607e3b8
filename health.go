package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	defaultHealthTimeout = 5 * time.Second
	// maxAskedAtOnce bounds the servers that are asked at the same time.
	maxAskedAtOnce = 64
)

// Health is how the servers of a client are.
type Health struct {
	// OK: all of them are well.
	OK bool `json:"ok"`
	// Servers are in the order of Client.Servers.
	Servers []ServerHealth `json:"servers"`
}

// ServerHealth is how one server is.
type ServerHealth struct {
	// Server is the configured name.
	Server string
	// State is that of the connection, before it was asked.
	State transporters.State
	// OK: it answered, or is idle and its last attempt to connect, if there was
	// one, did not fail.
	OK bool
	// Asked: it was asked for a sign of life.
	Asked bool
	// Latency is how long its answer took, connecting included.
	Latency time.Duration
	// Err is why it is not OK.
	Err error
	// Version is the version of the protocol that is spoken; empty if there was
	// no handshake yet.
	Version mcp.Version
}

// MarshalJSON writes an object with the error's text and the latency in seconds.
func (h ServerHealth) MarshalJSON() ([]byte, error) {
	text := ""
	if h.Err != nil {
		text = errors.PeerText(h.Err.Error(), 500)
	}
	return json.Marshal(struct {
		Server  string             `json:"server"`
		State   transporters.State `json:"state"`
		OK      bool               `json:"ok"`
		Asked   bool               `json:"asked"`
		Latency float64            `json:"latency_seconds,omitempty"`
		Version mcp.Version        `json:"version,omitempty"`
		Error   string             `json:"error,omitempty"`
	}{h.Server, h.State, h.OK, h.Asked, h.Latency.Seconds(), h.Version, text})
}

// HealthOption changes what Health does.
type HealthOption func(*healthCheck)

type healthCheck struct {
	timeout   time.Duration
	startIdle bool
	servers   []string // nil: all
}

// HealthTimeout bounds the whole of Health; the default, which 0 or less means as
// well, is 5 seconds.
func HealthTimeout(timeout time.Duration) HealthOption {
	return func(h *healthCheck) {
		if timeout > 0 {
			h.timeout = timeout
		}
	}
}

// HealthStartIdle has idle servers asked as well, for which they are connected to,
// and processes started.
func HealthStartIdle() HealthOption { return func(h *healthCheck) { h.startIdle = true } }

// HealthOf asks these servers only. A name that is not configured is not well.
func HealthOf(servers ...string) HealthOption {
	return func(h *healthCheck) { h.servers = append(h.servers, servers...) }
}

// Health asks the servers that are connected how they are, all at the same time,
// with a request that does nothing: ping, in the modern era server/discover. Any
// answer is a sign of life, an error too. It goes past all policies, takes no place
// in a pool, and is none of the calls that Stats counts. Of several principals of
// a server one is asked that is connected.
//
// A server that is idle, as each is before its first call, is not started for it,
// unless HealthStartIdle says so. Transporters that were injected and are no
// transporters.Base are not asked: they are well until they are closed.
func (c *Client) Health(ctx context.Context, options ...HealthOption) Health {
	check := healthCheck{timeout: defaultHealthTimeout}
	for _, option := range options {
		option(&check)
	}
	if check.servers == nil {
		check.servers = c.Servers()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, check.timeout, fmt.Errorf("%w: no sign of life within %v", errors.ErrRequestTimeout, check.timeout))
	defer cancel()
	health := Health{Servers: make([]ServerHealth, len(check.servers))}
	places := make(chan struct{}, maxAskedAtOnce)
	var asking sync.WaitGroup
	for i, name := range check.servers {
		asking.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			health.Servers[i] = c.healthOf(ctx, name, check.startIdle)
		})
	}
	asking.Wait()
	health.OK = !slices.ContainsFunc(health.Servers, func(s ServerHealth) bool { return !s.OK })
	return health
}

func (c *Client) healthOf(ctx context.Context, name string, startIdle bool) ServerHealth {
	health := ServerHealth{Server: name}
	connection, err := c.Connect(name)
	if err != nil {
		health.Err = err
		return health
	}
	health.State = connection.State()
	_, isBare := connection.base.(*bareBase)
	switch {
	case health.State == transporters.StateClosed:
		health.Err = fmt.Errorf("mcp server %q: %w", name, errors.ErrTransportClosed)
	case isBare:
	case health.State == transporters.StateIdle && !startIdle:
		if failure := connection.base.Stats().ConnectFailure; !failure.IsZero() {
			health.Err = errors.New(failure.Text)
		}
	default:
		health.Asked = true
		asked := time.Now()
		health.Err = connection.signOfLife(ctx)
		health.Latency = time.Since(asked)
	}
	health.OK = health.Err == nil
	health.Version = connection.base.Stats().Version
	return health
}

// signOfLife is nil if the server answers anything.
func (c *Connection) signOfLife(ctx context.Context) error {
	var err error
	if pinging, ok := c.base.(interface{ Ping(context.Context) error }); ok {
		err = pinging.Ping(ctx)
	} else {
		_, err = c.base.Request(ctx, mcp.MethodPing, nil, nil)
	}
	if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok && failure.Kind == errors.KindPeer {
		return nil
	}
	return err
}
