// Package mcpgo drives github.com/mark3labs/mcp-go.
package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	mcpgo "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-client-go/mcpclient/bench/driver"
)

// Driver opens clients of mcp-go.
type Driver struct{}

// Name implements driver.Driver.
func (Driver) Name() string { return "mcpgo" }

type client struct {
	client  *mcpgo.Client
	tokens  atomic.Int64
	reports sync.Map // token -> func(float64)
}

// Open implements driver.Driver.
func (Driver) Open(ctx context.Context, target driver.Target) (driver.Client, error) {
	channel, err := newTransport(target)
	if err != nil {
		return nil, err
	}
	version := "2025-11-25"
	if target.Modern {
		version = "2026-07-28"
	}
	c := &client{client: mcpgo.NewClient(channel, mcpgo.WithProtocolVersion(version))}
	// Start's context bounds the life of the process, so it must outlive Open.
	if err := c.client.Start(context.Background()); err != nil {
		return nil, err
	}
	c.client.OnNotification(c.notified)
	var request mcp.InitializeRequest
	request.Params.ProtocolVersion = version
	request.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1.0.0"}
	result, err := c.client.Initialize(ctx, request)
	if err != nil {
		return nil, err
	}
	if result.ProtocolVersion != version {
		return nil, fmt.Errorf("negotiated %s, want %s", result.ProtocolVersion, version)
	}
	return c, nil
}

func newTransport(target driver.Target) (transport.Interface, error) {
	if target.URL == "" {
		return transport.NewStdio(target.Command[0], nil, target.Command[1:]...), nil
	}
	var options []transport.StreamableHTTPCOption
	if target.HTTP != nil {
		options = append(options, transport.WithHTTPBasicClient(target.HTTP))
	}
	return transport.NewStreamableHTTP(target.URL, options...)
}

func (c *client) notified(notification mcp.JSONRPCNotification) {
	if notification.Method != "notifications/progress" {
		return
	}
	fields := notification.Params.AdditionalFields
	if report, ok := c.reports.Load(fields["progressToken"]); ok {
		progress, _ := fields["progress"].(float64)
		report.(func(float64))(progress)
	}
}

// ListTools implements driver.Client.
func (c *client) ListTools(ctx context.Context) (int, error) {
	result, err := c.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return 0, err
	}
	return len(result.Tools), nil
}

// Call implements driver.Client.
func (c *client) Call(ctx context.Context, name string, arguments map[string]any) (string, error) {
	var request mcp.CallToolRequest
	request.Params.Name = name
	request.Params.Arguments = arguments
	return text(c.client.CallTool(ctx, request))
}

// CallProgress implements driver.Client.
func (c *client) CallProgress(ctx context.Context, name string, arguments map[string]any, report func(float64)) (string, error) {
	token := fmt.Sprintf("t%d", c.tokens.Add(1))
	c.reports.Store(any(token), report)
	var request mcp.CallToolRequest
	request.Params.Name = name
	request.Params.Arguments = arguments
	request.Params.Meta = &mcp.Meta{ProgressToken: token}
	return text(c.client.CallTool(ctx, request))
}

func text(result *mcp.CallToolResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if len(result.Content) == 0 {
		return "", errors.New("no content")
	}
	content, ok := result.Content[0].(mcp.TextContent)
	if !ok {
		return "", fmt.Errorf("content is %T", result.Content[0])
	}
	return content.Text, nil
}

// Close implements driver.Client.
func (c *client) Close() error { return c.client.Close() }
