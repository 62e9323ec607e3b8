package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/field"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// serverName is what the server is called where the case configures none.
const serverName = "player"

// loadConfig makes the client of the case's own files. Faults of one server fail
// the step, yet the other servers can be connected to afterwards, as they can in
// any program. Files with faults are tried once more in the product's own keys.
func (h *harness) loadConfig(action field.Action) (answer, error) {
	files := h.configFiles(action.Name)
	if len(files) == 0 {
		return answer{}, errors.New("the case has no configuration file")
	}
	client, err := load(files)
	if err == nil && len(client.Problems()) > 0 {
		var ours []string
		if ours, err = translate(files); err != nil {
			return answer{}, err
		}
		if !slices.Equal(ours, files) {
			client, err = load(ours)
			return answer{note: translatedNote}, h.use(client, err)
		}
	}
	return answer{}, h.use(client, err)
}

func load(files []string) (*mcpclient.Client, error) {
	cfg, err := config.Load(files...)
	if err != nil {
		return nil, err
	}
	return mcpclient.New(cfg)
}

// use makes a client the one in use, and returns what is wrong with its
// configuration.
func (h *harness) use(client *mcpclient.Client, err error) error {
	if err != nil {
		return err
	}
	h.mutex.Lock()
	h.clients = append(h.clients, client)
	h.mutex.Unlock()
	var problems []error
	for _, problem := range client.Problems() {
		problems = append(problems, problem)
	}
	return errors.Join(problems...)
}

// configFiles returns the file that an action names, or all of the case's files
// that can be configuration, as layers.
func (h *harness) configFiles(named string) []string {
	if named != "" {
		return []string{filepath.Join(h.peer.directory, filepath.FromSlash(named))}
	}
	var files []string
	for name := range h.scenario.Files {
		switch filepath.Ext(name) {
		case ".yaml", ".yml", ".toml", ".json":
			files = append(files, filepath.Join(h.peer.directory, filepath.FromSlash(name)))
		}
	}
	slices.Sort(files)
	return files
}

// connect makes a client, unless the case configures it, and forces the
// handshake.
func (h *harness) connect(action field.Action) (answer, error) {
	o, err := optionsOf(action)
	if err != nil {
		return answer{}, err
	}
	var done answer
	limit := milliseconds(action.TimeoutMS)
	if h.scenario.Transport != field.TransportConfig {
		limit = 0 // it is in the section, as connect_timeout
		cfg, err := config.FromServers(map[string]any{serverName: h.section(action, o)})
		if err != nil {
			return done, err
		}
		if err := h.use(mcpclient.New(cfg, mcpclient.WithHandlers(h.handlers()))); err != nil {
			return done, err
		}
	}
	connection, err := h.connection(action.Server)
	if err != nil {
		return done, err
	}
	info, err := handshake(connection, limit)
	if err != nil {
		return done, err
	}
	done.result, err = json.Marshal(map[string]any{
		"protocolVersion": info.Version,
		"serverInfo":      info.Implementation,
		"capabilities":    info.Capabilities,
		"instructions":    info.Instructions,
	})
	return done, err
}

// handshake forces the handshake, in a context that ends as soon as it is over.
// A limit of 0 is none.
func handshake(connection *mcpclient.Connection, limit time.Duration) (transporters.ServerInfo, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	return connection.ServerInfo(ctx)
}

// section configures the player as the case's server. The case's settings are
// keys of the section; one that the product does not know is a fault.
func (h *harness) section(action field.Action, o options) map[string]any {
	section := make(map[string]any)
	for key, value := range h.scenario.Settings {
		section[key] = value
	}
	if action.TimeoutMS > 0 {
		section["connect_timeout"] = config.Of(milliseconds(action.TimeoutMS))
	}
	if h.scenario.Transport == field.TransportStdio {
		section["type"] = "stdio"
		section["command"] = []string{h.peer.program, "stdio", "-case", h.peer.casePath, "-log", h.peer.log}
		return section
	}
	section["type"] = "http" // transport http and auto
	if o.Transport == "sse" {
		section["type"] = "sse"
	}
	section["base_url"] = h.peer.url
	return section
}

// connection returns the connection to a server of the client in use; no name
// means its first server.
func (h *harness) connection(server string) (*mcpclient.Connection, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if len(h.clients) == 0 {
		return nil, fmt.Errorf("%w: the case has no client open at this step", errors.ErrTransportClosed)
	}
	client := h.clients[len(h.clients)-1]
	if names := client.Servers(); server == "" && len(names) > 0 {
		server = names[0]
	}
	return client.Connect(server)
}

// close closes every client that is open.
func (h *harness) close(field.Action) (answer, error) { return answer{}, h.closeAll() }

func (h *harness) closeAll() error {
	h.mutex.Lock()
	clients := h.clients
	h.clients = nil
	h.mutex.Unlock()
	var failures []error
	for _, client := range clients {
		failures = append(failures, client.Close())
	}
	return errors.Join(failures...)
}
