package interop

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/peers/wire"
)

// The checks of this file are of what comes from the server unasked: requests to
// the client, which handlers.go serves, and notifications.

// standingStream checks that the client opens the stream on which a server of
// the legacy era asks, and waits until it is open: what such a server sends
// before is lost.
func standingStream() Feature {
	return Feature{"standing-stream", func(ctx context.Context, v *Visit) error {
		waiting, cancel := context.WithTimeout(ctx, notificationTimeout)
		defer cancel()
		return until(waiting, "the standing stream", func() bool {
			records, err := v.Server.Records()
			return err == nil && slices.ContainsFunc(records, func(r wire.Record) bool {
				return r.Kind == wire.Response && r.Method == http.MethodGet && r.Text == "200 OK"
			})
		})
	}}
}

// elicits checks that a tool that asks the user gets the handler's answer: its
// text contains want, and the handler was asked so many times.
func elicits(feature, tool string, args arguments, times int, want string) Feature {
	return asks(feature, mcp.MethodElicit, tool, args, times, want)
}

// samples checks that a tool that asks for a completion gets the handler's.
func samples(feature, tool string, args arguments) Feature {
	return asks(feature, mcp.MethodCreateMessage, tool, args, 1, sampledText)
}

// listsRoots checks that a tool that asks for the roots gets the client's.
func listsRoots(feature, tool string) Feature {
	return Feature{feature, func(ctx context.Context, v *Visit) error {
		result, err := v.CallTool(ctx, tool, nil)
		if err != nil {
			return err
		}
		return says(result, rootURI)
	}}
}

func asks(feature, method, tool string, args arguments, times int, want string) Feature {
	return Feature{feature, func(ctx context.Context, v *Visit) error {
		before := v.Heard.count(method)
		result, err := v.CallTool(ctx, tool, args)
		if err != nil {
			return err
		}
		if err := says(result, want); err != nil {
			return err
		}
		if asked := v.Heard.count(method) - before; asked != times {
			return fmt.Errorf("the handler was asked %d times instead of %d", asked, times)
		}
		return nil
	}}
}

// endless checks that rounds that never end are ended: after several, by an error.
func endless(tool string) Feature {
	return Feature{"input-endless", func(ctx context.Context, v *Visit) error {
		before := v.Heard.count(mcp.MethodElicit)
		_, err := v.CallTool(ctx, tool, nil)
		if rounds := v.Heard.count(mcp.MethodElicit) - before; rounds < 2 {
			return fmt.Errorf("%d rounds before %w", rounds, orNone(err))
		}
		if err == nil {
			return errors.New("the call succeeded")
		}
		return nil
	}}
}

// updates checks that after subscribing to a resource, what tool does to it is
// told; without a tool the server changes it by itself.
func updates(uri, tool string, args arguments) Feature {
	return Feature{"subscription", func(ctx context.Context, v *Visit) error {
		return v.hears(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}}, mcp.NotificationResourceUpdated, tool, args)
	}}
}

// toolsChanged checks that a change of the list of tools, made by tool, is told.
func toolsChanged(tool string) Feature {
	return Feature{"list-changed", func(ctx context.Context, v *Visit) error {
		return v.hears(ctx, mcp.SubscriptionFilter{ToolsListChanged: true}, mcp.NotificationToolsListChanged, tool, nil)
	}}
}

// resourcesChanged checks that a change of the list of resources, which the
// server makes by itself, is told.
func resourcesChanged() Feature {
	return Feature{"list-changed", func(ctx context.Context, v *Visit) error {
		return v.hears(ctx, mcp.SubscriptionFilter{ResourcesListChanged: true}, mcp.NotificationResourcesListChanged, "", nil)
	}}
}

// hears subscribes, calls a tool, unless it is empty, and waits for the
// notification.
func (v *Visit) hears(ctx context.Context, filter mcp.SubscriptionFilter, method, tool string, args arguments) error {
	ctx, cancel := context.WithTimeout(ctx, notificationTimeout)
	defer cancel()
	heard := make(chan struct{}, 1)
	subscription, err := v.Listen(ctx, filter, func(m mcp.Message) {
		if m.Method == method {
			select {
			case heard <- struct{}{}:
			default:
			}
		}
	})
	if err != nil {
		return err
	}
	defer subscription.Close()
	if tool != "" {
		if _, err := v.CallTool(ctx, tool, args); err != nil {
			return err
		}
	}
	select {
	case <-heard:
		return nil
	case <-subscription.Done():
		return fmt.Errorf("the subscription ended: %w", orNone(subscription.Err()))
	case <-ctx.Done():
		return fmt.Errorf("waiting for %s: %w", method, ctx.Err())
	}
}
