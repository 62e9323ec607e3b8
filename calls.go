package mcpclient

import (
	"context"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// CallTool calls a tool. arguments is nil or anything that encodes to a JSON
// object: a struct, a map, json.RawMessage. A result with IsError set is a
// result, not an error (R151); Decode and errors.SafeToRetry say more.
func (c *Connection) CallTool(ctx context.Context, name string, arguments any, options ...CallOption) (*mcp.CallToolResult, error) {
	params, err := mcp.CallToolParams(name, arguments)
	if err != nil {
		return nil, c.invalid(mcp.MethodCallTool, err)
	}
	result, err := c.ask(ctx, mcp.MethodCallTool, params, options)
	if err != nil {
		return nil, err
	}
	return parsed(c, mcp.MethodCallTool, result, mcp.ParseCallToolResult)
}

// ReadResource reads a resource.
func (c *Connection) ReadResource(ctx context.Context, uri string, options ...CallOption) (*mcp.ReadResourceResult, error) {
	result, err := c.ask(ctx, mcp.MethodReadResource, mcp.URIParams(uri), options)
	if err != nil {
		return nil, err
	}
	return parsed(c, mcp.MethodReadResource, result, mcp.ParseReadResourceResult)
}

// GetPrompt gets a prompt, filled in with the arguments, which may be nil.
func (c *Connection) GetPrompt(ctx context.Context, name string, arguments map[string]string, options ...CallOption) (*mcp.GetPromptResult, error) {
	result, err := c.ask(ctx, mcp.MethodGetPrompt, mcp.NameParams(name, arguments), options)
	if err != nil {
		return nil, err
	}
	return parsed(c, mcp.MethodGetPrompt, result, mcp.ParseGetPromptResult)
}

// Complete asks for completions of one argument of a prompt or of a resource
// template.
func (c *Connection) Complete(ctx context.Context, request mcp.CompleteParams, options ...CallOption) (*mcp.CompleteResult, error) {
	params, err := mcp.ParamsOf(request)
	if err != nil {
		return nil, c.invalid(mcp.MethodComplete, err)
	}
	result, err := c.ask(ctx, mcp.MethodComplete, params, options)
	if err != nil {
		return nil, err
	}
	return parsed(c, mcp.MethodComplete, result, mcp.ParseCompleteResult)
}

// ask makes a call whose answer must be complete: one of another result type
// would decode into something empty (R012).
func (c *Connection) ask(ctx context.Context, action string, params *mcp.Params, options []CallOption) (mcp.Result, error) {
	result, err := c.call(ctx, action, params, options)
	if err != nil {
		return mcp.Result{}, err
	}
	if kind := result.Type(); kind != mcp.ResultComplete {
		return mcp.Result{}, c.unusable(action, fmt.Errorf("%w: the server answered with resultType \"%s\", which this call cannot take; allowed: %q",
			errors.ErrProtocol, errors.PeerText(kind, 80), mcp.ResultComplete))
	}
	return result, nil
}

func parsed[T any](c *Connection, action string, result mcp.Result, parse func(mcp.Result) (*T, error)) (*T, error) {
	value, err := parse(result)
	if err != nil {
		return nil, c.unusable(action, err)
	}
	return value, nil
}
