package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/field"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// peer says where the fake server is.
type peer struct {
	casePath, program, log, url, directory string
}

// harness plays one case. Its methods may be called at once.
type harness struct {
	scenario *field.Case
	peer     peer

	mutex sync.Mutex
	// clients are those that are open, the one in use last.
	clients []*mcpclient.Client
}

// do is how an action is done once.
type do func(h *harness, action field.Action) (answer, error)

// actions says how each action is done. An action that the product has nothing
// for is listed too, so that the outcome says so.
func actions() map[string]do {
	return map[string]do{
		"load_config":          (*harness).loadConfig,
		"connect":              (*harness).connect,
		"close":                (*harness).close,
		"wait":                 (*harness).wait,
		"list_tools":           (*harness).listTools,
		"list_resources":       (*harness).listResources,
		"call_tool":            (*harness).callTool,
		"read_resource":        (*harness).readResource,
		"subscribe":            (*harness).subscribe,
		"ping":                 (*harness).ping,
		"notify_roots_changed": (*harness).notifyRootsChanged,
		"on_tools_changed":     (*harness).onToolsChanged,
	}
}

// handlers are what the case's client serves: only what some action needs, since
// they change what the client announces and listens to.
func (h *harness) handlers() mcpclient.Handlers {
	var handlers mcpclient.Handlers
	for _, action := range h.scenario.Client {
		if o, err := optionsOf(action); err == nil && o.Listen {
			handlers.Notification = func(string, mcp.Message) {}
		}
		if action.Do == "notify_roots_changed" {
			handlers.ListRoots = func(context.Context, string) ([]mcp.Root, error) { return nil, nil }
		}
	}
	return handlers
}

// options are what the cases ask of a connect or a call beyond its arguments.
type options struct {
	Listen           bool   `json:"listen"`
	Transport        string `json:"transport"`
	ResetOnProgress  bool   `json:"reset_on_progress"`
	MaxTotalMS       int    `json:"max_total_ms"`
	ProgressCallback bool   `json:"progress_callback"`
}

func optionsOf(action field.Action) (options, error) {
	var o options
	if action.Options == nil {
		return o, nil
	}
	if err := json.Unmarshal(action.Options, &o); err != nil {
		return o, fmt.Errorf("step %d: options: %w", action.Step, err)
	}
	return o, nil
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func (h *harness) wait(action field.Action) (answer, error) {
	time.Sleep(milliseconds(action.WaitMS))
	return answer{}, nil
}

func notSupported(why string) do {
	return func(*harness, field.Action) (answer, error) {
		return answer{note: why}, fmt.Errorf("%w: %s", errUnsupported, why)
	}
}
