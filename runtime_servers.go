package mcpclient

import (
	"context"
	"fmt"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// AddServer adds a server that is in no configuration: one that a user of the
// program has registered, for example. settings is what config.FromServers takes
// for one server, a map or a struct; defaults of the client's configuration do not
// apply to it. Or it is the *config.Section of that name from any configuration.
// Nothing is connected yet.
//
// The server stays until RemoveServer: Apply neither changes nor removes it. The
// error is a *errors.ServerConfigurationError with every fault; one that wraps
// ErrServerExists if there is a server of that name, one with faults included; one
// that wraps ErrTransportClosed after Close. Nothing is added then.
func (c *Client) AddServer(name string, settings any) (*Connection, error) {
	section, err := sectionOf(name, settings)
	if err != nil {
		return nil, err
	}
	c.changing.Lock()
	defer c.changing.Unlock()
	servers := c.servers.Load()
	if _, known := servers.byName[name]; known {
		return nil, fmt.Errorf("add server %q: %w", name, errors.ErrServerExists)
	}
	fingerprint := section.Fingerprint()
	made, err := c.factory.Make(section)
	if err != nil {
		return nil, err
	}
	added := &server{
		name: name, source: fromProgram, section: section, fingerprint: fingerprint,
		connection: follow(name, made), slot: made.Slot,
	}
	if err := c.put(servers.with(added), fmt.Sprintf("add server %q", name)); err != nil {
		return nil, err
	}
	c.log.Info("server added by the program", "server", name)
	return added.connection, nil
}

func sectionOf(name string, settings any) (*config.Section, error) {
	if name == "" {
		return nil, errors.New("add a server: it needs a name")
	}
	if section, isSection := settings.(*config.Section); isSection {
		if section == nil || section.Server() != name {
			return nil, fmt.Errorf("add server %q: the section is not that of a server of this name", name)
		}
		return section, nil
	}
	cfg, err := config.FromServers(map[string]any{name: settings})
	if err != nil {
		return nil, err
	}
	section, _ := cfg.Server(name)
	return section, nil
}

// RemoveServer removes a server, wherever it came from: Connect no longer knows
// it, calls through its connection fail with ErrTransportClosed. It lets running
// calls finish and waits for them; when ctx ends first, it closes at once and
// returns ctx's error. It must not be called from a callback of that server.
//
// A server of the configuration comes back with the next Apply of one that has it.
// A name that is not there gives an error that wraps ErrUnknownServer; after Close
// the error wraps ErrTransportClosed.
func (c *Client) RemoveServer(ctx context.Context, name string) error {
	connection, err := c.remove(name)
	if err != nil || connection == nil {
		return err
	}
	c.log.Info("server removed by the program", "server", name)
	defer c.left(connection)
	return connection.Shutdown(ctx)
}

// remove takes a server out. Its connection, nil if it had none, is to be ended
// by the caller.
func (c *Client) remove(name string) (*Connection, error) {
	c.changing.Lock()
	defer c.changing.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	servers := c.servers.Load()
	known := servers.byName[name]
	if known == nil {
		return nil, servers.unknown(name)
	}
	if err := c.refuse(fmt.Sprintf("remove server %q", name)); err != nil {
		return nil, err
	}
	c.store(servers.without(name))
	if known.connection != nil {
		c.leaving[known.connection] = struct{}{}
	}
	return known.connection, nil
}
