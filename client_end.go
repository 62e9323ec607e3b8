package mcpclient

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Close ends all connections at once and waits for them, each within its own
// bounds: running calls fail with ErrTransportClosed, processes are ended, those
// of servers that were removed included. It never waits for callbacks, but that
// listeners of OnDrain have 3 seconds first. What would change the servers is
// refused from now on. Idempotent; called from a listener it only begins, and
// returns at once.
func (c *Client) Close() error {
	c.kill()
	return unlessListener(func() error {
		return c.end(func(connection *Connection) error { return connection.Close() })
	})
}

// Shutdown lets running calls finish, refuses new ones, then closes. When ctx
// ends first, it closes at once and returns ctx's error. It must not be called
// from a callback.
func (c *Client) Shutdown(ctx context.Context) error {
	defer c.kill()
	return c.end(func(connection *Connection) error { return connection.Shutdown(ctx) })
}

// end ends every connection, all at the same time.
func (c *Client) end(end func(*Connection) error) error {
	c.mu.Lock()
	c.closed = true
	connections := slices.Collect(maps.Keys(c.leaving))
	servers, watchers := c.servers.Load(), c.watchers
	c.mu.Unlock()
	for _, watcher := range watchers {
		watcher.Close() // waits for nothing that may wait for us
	}
	for _, name := range servers.names {
		if connection := servers.byName[name].connection; connection != nil {
			connections = append(connections, connection)
		}
	}
	failures := make([]error, len(connections))
	var ending sync.WaitGroup
	for i, connection := range connections {
		ending.Go(func() { failures[i] = end(connection) })
	}
	ending.Wait()
	c.kill()
	c.draining.Wait()
	c.factory.CloseIdle()
	c.storeEnd.Do(func() { failures = append(failures, c.factory.CloseStore()) })
	return errors.Join(failures...)
}

// refuse returns why the servers cannot be changed any more, nil if they can.
// c.mu is held.
func (c *Client) refuse(action string) error {
	if !c.closed {
		return nil
	}
	return fmt.Errorf("%s: the client is closed: %w", action, errors.ErrTransportClosed)
}

// leave has the connection of a server that was removed drained and closed on a
// goroutine of the client. c.mu is held, and the client is not closed.
func (c *Client) leave(connection *Connection) {
	c.leaving[connection] = struct{}{}
	c.draining.Go(func() {
		ctx, cancel := context.WithTimeoutCause(c.life, c.factory.DrainTimeout(), errDrainTimeout)
		defer cancel()
		if err := connection.Shutdown(ctx); err != nil {
			c.log.Warn("the connection to a server that was removed did not end cleanly", "server", connection.Name(), "error", err)
		}
		c.left(connection)
	})
}

func (c *Client) left(connection *Connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.leaving, connection)
}

// errDrainTimeout ends the calls of a server that was removed long ago.
var errDrainTimeout = errors.New("its calls did not end within the drain timeout")
