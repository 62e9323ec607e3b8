package redis

import (
	"context"
	"crypto/tls"
	"net"
	"sync"

	"github.com/hashicorp/go-hclog"
	"github.com/redis/rueidis"

	"github.com/mcp-client-go/mcpclient/errors"
)

// connection is a Redis that is dialed when it is first needed. The client library
// dials as soon as it is made, which a program that starts must not wait for, and
// fails for good if it cannot: so it is made by the first operation, and by the next
// one if that failed. Once it is made it dials again by itself.
type connection struct {
	options rueidis.ClientOption
	log     hclog.Logger
	dialed  func() // is told of every connection before anything is sent on it; nil for nobody

	mu      sync.Mutex
	client  rueidis.Client
	dialing *dialing // nil if nobody dials
	closed  bool
	owned   sync.WaitGroup
}

// dialing is one try; the rest is written before done is closed.
type dialing struct {
	done   chan struct{}
	client rueidis.Client
	err    error
}

func newConnection(options rueidis.ClientOption, logger hclog.Logger) *connection {
	if logger == nil {
		logger = hclog.NewNullLogger()
	}
	c := &connection{options: options, log: logger}
	dial := options.DialCtxFn
	if dial == nil {
		dial = dialTCP
	}
	c.options.DialCtxFn = func(ctx context.Context, address string, dialer *net.Dialer, config *tls.Config) (net.Conn, error) {
		made, err := dial(ctx, address, dialer, config)
		if err == nil && c.dialed != nil {
			c.dialed()
		}
		return made, err
	}
	return c
}

func dialTCP(ctx context.Context, address string, dialer *net.Dialer, config *tls.Config) (net.Conn, error) {
	if config == nil {
		return dialer.DialContext(ctx, "tcp", address)
	}
	secured := tls.Dialer{NetDialer: dialer, Config: config}
	return secured.DialContext(ctx, "tcp", address)
}

// connect returns the client, or waits for it.
func (c *connection) connect(ctx context.Context) (rueidis.Client, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil, errors.ErrTransportClosed
	}
	if c.client != nil {
		defer c.mu.Unlock()
		return c.client, nil
	}
	if c.dialing == nil {
		c.dialing = &dialing{done: make(chan struct{})}
		next := c.dialing
		c.owned.Go(func() { c.dial(next) })
	}
	waited := c.dialing
	c.mu.Unlock()
	select {
	case <-waited.done:
		return waited.client, waited.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// dial is bounded by the dialer's own timeout.
func (c *connection) dial(next *dialing) {
	client, err := rueidis.NewClient(c.options)
	c.mu.Lock()
	isLate := c.closed
	if err == nil && !isLate {
		c.client = client
	}
	c.dialing = nil
	next.client, next.err = client, err
	if isLate {
		next.client, next.err = nil, errors.ErrTransportClosed
	}
	c.mu.Unlock()
	close(next.done)
	if err == nil && isLate {
		client.Close()
	}
}

// close ends the connections, and waits for one that is being made.
func (c *connection) close() error {
	c.mu.Lock()
	client := c.client
	c.client, c.closed = nil, true
	c.mu.Unlock()
	c.owned.Wait()
	if client != nil {
		client.Close()
	}
	return nil
}
