// Package gosdk drives github.com/modelcontextprotocol/go-sdk.
package gosdk

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-client-go/mcpclient/bench/driver"
)

// Driver opens clients of the official Go SDK.
type Driver struct{}

// Name implements driver.Driver.
func (Driver) Name() string { return "gosdk" }

type client struct {
	session *mcp.ClientSession
	tokens  atomic.Int64
	reports sync.Map // token -> func(float64)
}

// Open implements driver.Driver.
func (Driver) Open(ctx context.Context, target driver.Target) (driver.Client, error) {
	c := &client{}
	opener := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			if report, ok := c.reports.Load(r.Params.ProgressToken); ok {
				report.(func(float64))(r.Params.Progress)
			}
		},
	})
	options := &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
	if target.Modern {
		options.ProtocolVersion = "2026-07-28"
	}
	session, err := opener.Connect(ctx, transport(target), options)
	if err != nil {
		return nil, err
	}
	if found := session.InitializeResult().ProtocolVersion; found != options.ProtocolVersion {
		return nil, fmt.Errorf("negotiated %s, want %s", found, options.ProtocolVersion)
	}
	c.session = session
	return c, nil
}

func transport(target driver.Target) mcp.Transport {
	if target.URL == "" {
		return &mcp.CommandTransport{Command: exec.Command(target.Command[0], target.Command[1:]...)}
	}
	// MaxEventSize: its documentation gives a default cap of 16 MiB.
	return &mcp.StreamableClientTransport{Endpoint: target.URL, HTTPClient: target.HTTP, MaxEventSize: -1}
}

// ListTools implements driver.Client.
func (c *client) ListTools(ctx context.Context) (int, error) {
	count, cursor := 0, ""
	for {
		result, err := c.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return 0, err
		}
		count += len(result.Tools)
		if cursor = result.NextCursor; cursor == "" {
			return count, nil
		}
	}
}

// Call implements driver.Client.
func (c *client) Call(ctx context.Context, name string, arguments map[string]any) (string, error) {
	return text(c.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments}))
}

// CallProgress implements driver.Client. Notifications may still be in a queue
// when the call has returned, so the report stays registered: the benchmark
// counts the late ones.
func (c *client) CallProgress(ctx context.Context, name string, arguments map[string]any, report func(float64)) (string, error) {
	token := fmt.Sprintf("t%d", c.tokens.Add(1))
	c.reports.Store(any(token), report)
	params := &mcp.CallToolParams{Name: name, Arguments: arguments}
	params.SetProgressToken(token)
	return text(c.session.CallTool(ctx, params))
}

func text(result *mcp.CallToolResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if len(result.Content) == 0 {
		return "", errors.New("no content")
	}
	content, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		return "", fmt.Errorf("content is %T", result.Content[0])
	}
	return content.Text, nil
}

// Close implements driver.Client.
func (c *client) Close() error { return c.session.Close() }
