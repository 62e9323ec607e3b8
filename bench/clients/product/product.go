// Package product drives this project's own client, through its public API, as
// it is when a user sets nothing: every default on, logging at info.
package product

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/bench/driver"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Driver opens clients of this project. The target's HTTP client is not used: a
// well-tuned transport is part of the product.
type Driver struct{}

var _ driver.Fleet = Driver{}

// Name implements driver.Driver.
func (Driver) Name() string { return "product" }

// Open implements driver.Driver.
func (Driver) Open(ctx context.Context, target driver.Target) (driver.Client, error) {
	opened, err := newClient(target, 1)
	if err != nil {
		return nil, err
	}
	c, err := connect(opened, serverName(0))
	if err != nil {
		return nil, err
	}
	c.closeAll = opened.Close
	info, err := c.connection.ServerInfo(ctx)
	if err != nil {
		return nil, err
	}
	if found, wanted := string(info.Version), version(target); found != wanted {
		return nil, fmt.Errorf("negotiated %s, want %s", found, wanted)
	}
	return c, nil
}

// OpenMany implements driver.Fleet: one client whose configuration names count
// servers.
func (Driver) OpenMany(_ context.Context, target driver.Target, count int) ([]driver.Client, func() error, error) {
	opened, err := newClient(target, count)
	if err != nil {
		return nil, nil, err
	}
	clients := make([]driver.Client, count)
	for i := range clients {
		if clients[i], err = connect(opened, serverName(i)); err != nil {
			return nil, nil, err
		}
	}
	return clients, opened.Close, nil
}

func serverName(number int) string { return "server-" + strconv.Itoa(number) }

func version(target driver.Target) string {
	if target.Modern {
		return "2026-07-28"
	}
	return "2025-11-25"
}

// newClient returns a client with count servers, all of them the target.
func newClient(target driver.Target, count int) (*mcpclient.Client, error) {
	servers := make(map[string]any, count)
	for i := range count {
		server, limit := map[string]any{"type": "http", "base_url": target.URL, "protocol": version(target)}, "max_response_bytes"
		if target.URL == "" {
			server, limit = map[string]any{"type": "stdio", "command": target.Command, "protocol": version(target)}, "max_line_bytes"
		}
		if target.Limit > 0 {
			server[limit] = target.Limit
		}
		servers[serverName(i)] = server
	}
	cfg, err := config.FromMap(map[string]any{"strict": true, "servers": servers})
	if err != nil {
		return nil, err
	}
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Info, Output: os.Stderr})
	return mcpclient.New(cfg, mcpclient.WithLogger(logger))
}

func connect(opened *mcpclient.Client, name string) (*client, error) {
	connection, err := opened.Connect(name)
	if err != nil {
		return nil, err
	}
	return &client{connection: connection, closeAll: connection.Close}, nil
}

type client struct {
	connection *mcpclient.Connection
	closeAll   func() error
}

// ListTools implements driver.Client.
func (c *client) ListTools(ctx context.Context) (int, error) {
	tools, err := c.connection.Tools(ctx)
	if err != nil {
		return 0, err
	}
	count := 0
	for name := range tools.All() {
		if name != "" {
			count++
		}
	}
	return count, nil
}

// Call implements driver.Client.
func (c *client) Call(ctx context.Context, name string, arguments map[string]any) (string, error) {
	return text(c.connection.CallTool(ctx, name, arguments))
}

// CallProgress implements driver.Client.
func (c *client) CallProgress(ctx context.Context, name string, arguments map[string]any, report func(float64)) (string, error) {
	return text(c.connection.CallTool(ctx, name, arguments, mcpclient.OnProgress(func(progress mcp.Progress) {
		report(progress.Progress)
	})))
}

func text(result *mcp.CallToolResult, err error) (string, error) {
	switch {
	case err != nil:
		return "", err
	case result.IsError:
		return "", fmt.Errorf("the tool failed: %s", result.Text())
	default:
		return result.Text(), nil
	}
}

// Close implements driver.Client.
func (c *client) Close() error { return c.closeAll() }
