package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// step is one thing that a scenario does with the server.
type step func(ctx context.Context, server *mcpclient.Connection) error

// listTools lists the tools, which is the least that makes a connection.
func listTools(ctx context.Context, server *mcpclient.Connection) error {
	_, err := server.Tools(ctx)
	return err
}

// check looks at a tool's result.
type check func(*mcp.CallToolResult) error

// answering checks that the tool's text is the one expected.
func answering(want string) check {
	return func(result *mcp.CallToolResult) error {
		if text := result.Text(); text != want {
			return fmt.Errorf("found the text %q, expected %q", text, want)
		}
		return nil
	}
}

// callTool calls a tool with arguments given as JSON. A tool that reports an
// error has failed.
func callTool(name, arguments string, checks ...check) step {
	return func(ctx context.Context, server *mcpclient.Connection) error {
		result, err := server.CallTool(ctx, name, json.RawMessage(arguments))
		if err != nil {
			return err
		}
		if result.IsError {
			return fmt.Errorf("tool %q reported an error: %s", name, errors.PeerText(result.Text(), 500))
		}
		for _, see := range checks {
			if err := see(result); err != nil {
				return fmt.Errorf("tool %q: %w", name, err)
			}
		}
		return nil
	}
}

// callEveryTool calls each tool that the library offers, with the same
// arguments.
func callEveryTool(arguments string) step {
	return func(ctx context.Context, server *mcpclient.Connection) error {
		tools, err := server.Tools(ctx)
		if err != nil {
			return err
		}
		var failures []error
		for name := range tools.All() {
			failures = append(failures, callTool(name, arguments)(ctx, server))
		}
		return errors.Join(failures...)
	}
}

// echoInputSchema sends the input schema of one tool back through another.
func echoInputSchema(of, through string) step {
	return func(ctx context.Context, server *mcpclient.Connection) error {
		tools, err := server.Tools(ctx)
		if err != nil {
			return err
		}
		tool, listed := tools.Get(of)
		if !listed {
			return fmt.Errorf("no tool %q among %q", of, tools.Keys())
		}
		arguments, err := json.Marshal(map[string]json.RawMessage{"schema": tool.InputSchema})
		if err != nil {
			return err
		}
		return callTool(through, string(arguments))(ctx, server)
	}
}

// readEveryResource reads each resource that is listed.
func readEveryResource(ctx context.Context, server *mcpclient.Connection) error {
	resources, err := server.Resources(ctx)
	if err != nil {
		return err
	}
	var failures []error
	for uri := range resources.All() {
		_, err := server.ReadResource(ctx, uri)
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// getEveryPrompt gets each prompt that is listed, without arguments.
func getEveryPrompt(ctx context.Context, server *mcpclient.Connection) error {
	prompts, err := server.Prompts(ctx)
	if err != nil {
		return err
	}
	var failures []error
	for name := range prompts.All() {
		_, err := server.GetPrompt(ctx, name, nil)
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}
