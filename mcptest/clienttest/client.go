// Package clienttest makes clients for tests, through the constructor that
// programs use: a configuration, mcpclient.New, and test doubles of package
// mcptest in the place of servers.
//
// It is a package of its own because it imports package mcpclient, which
// mcptest, so that this module's own packages can be tested with it, does not.
package clienttest

import (
	"context"
	"maps"
	"slices"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// Servers are what a client is connected to, by name. A value is one of these:
//
//   - a *mcptest.Server: it is spoken to in memory, as a process over stdio is,
//     and started again by the next call after Server.Kill
//   - Configured: the same with keys of the configuration
//   - a transporters.Transporter, such as a *mcptest.Transporter or a
//     *mcptest.Replayer: it gets the calls as they are made, without policies
//   - a map or struct: a server's section of the configuration, as
//     config.FromServers takes it
type Servers map[string]any

// Configured is a server in memory that has keys of the configuration: those
// common to all types, for example request_timeout, protocol or tools.
type Configured struct {
	// Server is required.
	Server *mcptest.Server
	// Keys are the section's keys, without type.
	Keys map[string]any
	// HTTP has the server spoken to as over streamable HTTP, still in memory.
	HTTP bool
}

// New returns a client of the servers, made by mcpclient.New with the options;
// mcpclient.WithFactory cannot be one of them. A fault of the configuration fails
// the test at once. When the test ends the client is closed, then what breaks the
// protocol according to a server's Violations fails the test, and the servers are
// closed.
func New(t mcptest.TB, servers Servers, options ...mcpclient.Option) *mcpclient.Client {
	t.Helper()
	sections := map[string]any{}
	inMemory := map[string]Configured{}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		switch value := servers[name].(type) {
		case *mcptest.Server:
			inMemory[name] = Configured{Server: value}
		case Configured:
			inMemory[name] = value
		case transporters.Transporter:
			options = append(options, mcpclient.WithTransporter(name, value))
		default:
			sections[name] = value
		}
	}
	for name, configured := range inMemory {
		section := maps.Clone(configured.Keys)
		if section == nil {
			section = map[string]any{}
		}
		section["type"] = typeInMemory
		sections[name] = section
	}
	client, err := newClient(sections, inMemory, options)
	if err != nil {
		t.Fatalf("no client: %v", err)
		return nil
	}
	for _, problem := range client.Problems() {
		t.Errorf("the configuration: %v", problem)
	}
	t.Cleanup(func() { end(t, client, inMemory) })
	if len(client.Problems()) > 0 {
		t.Fatalf("the client is not usable")
	}
	return client
}

// Connect returns the connection to a server of the client; a name that is not
// among its servers fails the test at once.
func Connect(t mcptest.TB, client *mcpclient.Client, name string) *mcpclient.Connection {
	t.Helper()
	connection, err := client.Connect(name)
	if err != nil {
		t.Fatalf("no connection: %v", err)
	}
	return connection
}

// typeInMemory is the type of an mcptest.Server in the configuration.
const typeInMemory = "mcptest"

func newClient(sections map[string]any, inMemory map[string]Configured, options []mcpclient.Option) (*mcpclient.Client, error) {
	cfg, err := config.FromServers(sections)
	if err != nil {
		return nil, err
	}
	types := factory.New()
	if err := types.Register(typeInMemory, construct(inMemory), keys{}); err != nil {
		return nil, err
	}
	return mcpclient.New(cfg, append([]mcpclient.Option{mcpclient.WithFactory(types)}, options...)...)
}

// keys are those of typeInMemory beyond the common ones.
type keys struct {
	Supervision *supervise.Config `config:"supervision" doc:"as of type stdio"`
}

// construct is the constructor of typeInMemory: a session over a supervised link,
// as type stdio has.
func construct(inMemory map[string]Configured) factory.Constructor {
	return func(section *config.Section, build factory.Build) (factory.Blueprint, []errors.Fault) {
		var k keys
		faults := section.Decode(&k)
		if k.Supervision != nil {
			faults = append(faults, k.Supervision.Check(section)...)
		}
		server := inMemory[section.Server()]
		open := func(caller factory.Caller) (transporters.Base, error) {
			var link transporters.Link
			if server.HTTP {
				link = server.Server.HTTPLink()
			} else {
				dial := func(context.Context) (transporters.Link, error) { return server.Server.Link(), nil }
				link = supervise.New(build.Server, k.Supervision, dial, supervise.WithLogger(build.Logger))
			}
			options := append(slices.Clone(build.Session), session.WithPrincipal(caller.Principal),
				session.WithRetryLostRequests(k.Supervision != nil && k.Supervision.RetryLostRequests))
			return session.New(build.Server, build.Settings, link, options...), nil
		}
		return factory.Blueprint{Open: open}, faults
	}
}

func end(t mcptest.TB, client *mcpclient.Client, inMemory map[string]Configured) {
	t.Helper()
	if err := client.Close(); err != nil {
		t.Errorf("closing the client: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(inMemory)) {
		server := inMemory[name].Server
		for _, violation := range server.Violations() {
			t.Errorf("server %q: the client broke the protocol: %s", name, violation)
		}
		server.Close()
	}
}
