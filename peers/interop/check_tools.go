package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// arguments are those of a tool.
type arguments map[string]any

// calls checks that a tool's text contains want, under the name of a feature.
func calls(feature, tool string, args arguments, want string) Feature {
	return Feature{feature, func(ctx context.Context, v *Visit) error {
		result, err := v.CallTool(ctx, tool, args)
		if err != nil {
			return err
		}
		return says(result, want)
	}}
}

// says checks that a result is no failure and its text contains want.
func says(result *mcp.CallToolResult, want string) error {
	if result.IsError {
		return fmt.Errorf("the tool failed: %s", result.Text())
	}
	if !strings.Contains(result.Text(), want) {
		return fmt.Errorf("the tool said %q instead of %q", result.Text(), want)
	}
	return nil
}

// structured checks that a tool's structured content is a number under a name.
func structured(tool string, args arguments, name string, want float64) Feature {
	return Feature{"structured", func(ctx context.Context, v *Visit) error {
		result, err := v.CallTool(ctx, tool, args)
		if err != nil {
			return err
		}
		found, err := mcpclient.Decode[map[string]any](result)
		if err != nil {
			return err
		}
		number, _ := found[name].(json.Number)
		if value, err := number.Float64(); err != nil || value != want {
			return fmt.Errorf("structured content is %v, with %s other than %v", found, name, want)
		}
		return nil
	}}
}

// isError checks that a tool's own failure is a result with isError set.
func isError(tool string, args arguments, want string) Feature {
	return Feature{"tool-error", func(ctx context.Context, v *Visit) error {
		result, err := v.CallTool(ctx, tool, args)
		if err != nil {
			return fmt.Errorf("an error instead of a result with isError: %w", err)
		}
		if !result.IsError || !strings.Contains(result.Text(), want) {
			return fmt.Errorf("isError is %t, the text %q instead of %q", result.IsError, result.Text(), want)
		}
		return nil
	}}
}

// unknownTool checks that a tool that is not there is an error of the server,
// or, as some have it, a result with isError set.
func unknownTool() Feature {
	return Feature{"unknown-tool", func(ctx context.Context, v *Visit) error {
		result, err := v.CallTool(ctx, "no-such-tool", nil)
		if err == nil && result.IsError {
			return nil
		}
		failure, ok := errors.AsType[*errors.TransporterRequestError](err)
		if !ok || failure.Kind != errors.KindPeer {
			return fmt.Errorf("%w instead of the server's error", orNone(err))
		}
		return nil
	}}
}

// has checks that a tool's content has blocks of all these types, and that the
// bytes of those that carry bytes can be decoded.
func has(feature, tool string, args arguments, types ...string) Feature {
	return Feature{feature, func(ctx context.Context, v *Visit) error {
		result, err := v.CallTool(ctx, tool, args)
		if err != nil {
			return err
		}
		var found []string
		for block := range result.Content() {
			found = append(found, block.Type)
			switch block.Type {
			case mcp.ContentImage, mcp.ContentAudio:
				if data, err := block.Bytes(); err != nil || len(data) == 0 {
					return fmt.Errorf("%s without bytes: %w", block.Type, orNone(err))
				}
			case mcp.ContentResourceLink:
				if block.URI == "" {
					return errors.New("a resource link without a uri")
				}
			case mcp.ContentResource:
				if block.Resource == nil || block.Resource.URI == "" {
					return errors.New("an embedded resource without a uri")
				}
			}
		}
		for _, wanted := range types {
			if !slices.Contains(found, wanted) {
				return fmt.Errorf("content is %q, without %s", found, wanted)
			}
		}
		return nil
	}}
}

// parallel checks that many calls at once each get their own answer.
func parallel(tool, argument string) Feature {
	return Feature{"parallel", func(ctx context.Context, v *Visit) error {
		failures := make([]error, 20)
		var all sync.WaitGroup
		for i := range failures {
			all.Go(func() {
				text := fmt.Sprintf("caller %d of many", i)
				result, err := v.CallTool(ctx, tool, arguments{argument: text})
				if err == nil {
					err = says(result, text)
				}
				failures[i] = err
			})
		}
		all.Wait()
		return errors.Join(failures...)
	}}
}

// request checks that a method without a Go method of its own is answered.
func request(feature, method string, params any) Feature {
	return Feature{feature, func(ctx context.Context, v *Visit) error {
		_, err := v.Request(ctx, method, params, nil)
		return err
	}}
}

// pings checks that the server gives a sign of life.
func pings() Feature {
	return Feature{"ping", func(ctx context.Context, v *Visit) error { return v.Ping(ctx) }}
}
