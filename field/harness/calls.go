package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/field"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// begin finds what every call needs: its connection and its options.
func (h *harness) begin(action field.Action) (*mcpclient.Connection, []mcpclient.CallOption, error) {
	connection, err := h.connection(action.Server)
	if err != nil {
		return nil, nil, err
	}
	o, err := optionsOf(action)
	if err != nil {
		return nil, nil, err
	}
	var call []mcpclient.CallOption
	if action.TimeoutMS > 0 {
		call = append(call, mcpclient.WithTimeout(milliseconds(action.TimeoutMS)))
		if !o.ResetOnProgress {
			call = append(call, mcpclient.WithMaxTimeout(milliseconds(action.TimeoutMS)))
		}
	}
	if o.MaxTotalMS > 0 {
		call = append(call, mcpclient.WithMaxTimeout(milliseconds(o.MaxTotalMS)))
	}
	if o.ProgressCallback {
		call = append(call, mcpclient.OnProgress(func(mcp.Progress) {}))
	}
	return connection, call, nil
}

func (h *harness) callTool(action field.Action) (answer, error) {
	connection, options, err := h.begin(action)
	if err != nil {
		return answer{}, err
	}
	var arguments any // not a nil json.RawMessage, which is no JSON
	if action.Arguments != nil {
		arguments = action.Arguments
	}
	result, err := connection.CallTool(context.Background(), action.Name, arguments, options...)
	if err != nil {
		return answer{}, err
	}
	return answer{result: result.Raw(), toolError: result.IsError}, mixedUp(action, result.Text())
}

// mixedUp finds an answer that belongs to another call. A tool that echoes says
// NAME=VALUE for one of its arguments.
func mixedUp(action field.Action, text string) error {
	name, got, echoes := strings.Cut(text, "=")
	if !echoes || action.Times < 2 {
		return nil
	}
	var arguments map[string]any
	if json.Unmarshal(action.Arguments, &arguments) != nil {
		return nil
	}
	if sent, ok := arguments[name].(string); ok && sent != got {
		return fmt.Errorf("%w: the call with %s=%s got the answer %q", errors.ErrProtocol, name, sent, errors.PeerText(text, 80))
	}
	return nil
}

func (h *harness) listTools(action field.Action) (answer, error) {
	connection, options, err := h.begin(action)
	if err != nil {
		return answer{}, err
	}
	tools, err := connection.Tools(context.Background(), options...)
	return listed("tools", tools, err)
}

func (h *harness) listResources(action field.Action) (answer, error) {
	connection, options, err := h.begin(action)
	if err != nil {
		return answer{}, err
	}
	resources, err := connection.Resources(context.Background(), options...)
	return listed("resources", resources, err)
}

// listed is the answer to a listing: all entries, each as the server sent it.
func listed[T any](what string, entries mcpclient.Collection[T], err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	list := make([]T, 0, entries.Len())
	for entry := range entries.Values() {
		list = append(list, entry)
	}
	result, err := json.Marshal(map[string]any{what: list})
	return answer{result: result}, err
}

func (h *harness) readResource(action field.Action) (answer, error) {
	connection, options, err := h.begin(action)
	if err != nil {
		return answer{}, err
	}
	result, err := connection.ReadResource(context.Background(), action.URI, options...)
	if err != nil {
		return answer{}, err
	}
	return answer{result: result.Raw}, nil
}

func (h *harness) subscribe(action field.Action) (answer, error) {
	connection, _, err := h.begin(action)
	if err != nil {
		return answer{}, err
	}
	_, err = connection.Listen(context.Background(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{action.URI}}, func(mcp.Message) {})
	return answer{result: json.RawMessage("{}")}, err
}

// onToolsChanged lists the tools again whenever the server says that they have
// changed, from inside the handler.
func (h *harness) onToolsChanged(action field.Action) (answer, error) {
	connection, _, err := h.begin(action)
	if err != nil {
		return answer{}, err
	}
	_, err = connection.Listen(context.Background(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {
		_, _ = connection.Tools(context.Background())
	})
	return answer{result: json.RawMessage("{}")}, err
}

func (h *harness) notifyRootsChanged(action field.Action) (answer, error) {
	connection, _, err := h.begin(action)
	if err != nil {
		return answer{}, err
	}
	return answer{}, connection.NotifyRootsChanged(context.Background())
}

func (h *harness) ping(action field.Action) (answer, error) {
	connection, options, err := h.begin(action)
	if err != nil {
		return answer{}, err
	}
	return answer{}, connection.Ping(context.Background(), options...)
}
