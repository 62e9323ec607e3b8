package transporters

import (
	"context"
	"fmt"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Hooks are hooks sorted by what they are told. A nil *Hooks is an empty one; the
// Want methods say at no cost whether there is anybody to tell.
type Hooks struct {
	requestStart  []HookRequestStart
	requestEnd    []HookRequestEnd
	attemptStart  []HookAttemptStart
	attemptEnd    []HookAttemptEnd
	connects      []HookConnect
	disconnects   []HookDisconnect
	stateChanges  []HookStateChange
	notifications []HookNotification
	errors        []HookError
}

// NewHooks sorts hooks. One that has no method of a hook is an error: it would
// never be called.
func NewHooks(hooks ...Hook) (*Hooks, error) {
	sorted := &Hooks{}
	for i, hook := range hooks {
		found := collect(&sorted.requestStart, hook)
		found = collect(&sorted.requestEnd, hook) || found
		found = collect(&sorted.attemptStart, hook) || found
		found = collect(&sorted.attemptEnd, hook) || found
		found = collect(&sorted.connects, hook) || found
		found = collect(&sorted.disconnects, hook) || found
		found = collect(&sorted.stateChanges, hook) || found
		found = collect(&sorted.notifications, hook) || found
		found = collect(&sorted.errors, hook) || found
		if !found {
			return nil, fmt.Errorf("hook %d, a %T: %w", i+1, hook, errNoHook)
		}
	}
	return sorted, nil
}

func collect[H any](list *[]H, hook Hook) bool {
	h, ok := hook.(H)
	if ok {
		*list = append(*list, h)
	}
	return ok
}

// WantRequests reports whether there are hooks for requests.
func (h *Hooks) WantRequests() bool {
	return h != nil && len(h.requestStart)+len(h.requestEnd) > 0
}

// WantAttempts reports whether there are hooks for attempts.
func (h *Hooks) WantAttempts() bool {
	return h != nil && len(h.attemptStart)+len(h.attemptEnd) > 0
}

// WantConnections reports whether there are hooks for connections.
func (h *Hooks) WantConnections() bool { return h != nil && len(h.connects)+len(h.disconnects) > 0 }

// WantStates reports whether there are hooks for changes of state.
func (h *Hooks) WantStates() bool { return h != nil && len(h.stateChanges) > 0 }

// WantNotifications reports whether there are hooks for notifications.
func (h *Hooks) WantNotifications() bool { return h != nil && len(h.notifications) > 0 }

// WantErrors reports whether there are hooks for errors.
func (h *Hooks) WantErrors() bool { return h != nil && len(h.errors) > 0 }

// RequestStart calls the hooks and returns the context to go on with.
func (h *Hooks) RequestStart(ctx context.Context, request *RequestInfo) context.Context {
	for _, hook := range h.requestStart {
		if next := hook.OnRequestStart(ctx, request); next != nil {
			ctx = next
		}
	}
	return ctx
}

// RequestEnd calls the hooks.
func (h *Hooks) RequestEnd(ctx context.Context, request *RequestInfo, outcome *RequestOutcome) {
	for _, hook := range h.requestEnd {
		hook.OnRequestEnd(ctx, request, outcome)
	}
}

// AttemptStart calls the hooks and returns the context to go on with.
func (h *Hooks) AttemptStart(ctx context.Context, attempt *AttemptInfo) context.Context {
	for _, hook := range h.attemptStart {
		if next := hook.OnAttemptStart(ctx, attempt); next != nil {
			ctx = next
		}
	}
	return ctx
}

// AttemptEnd calls the hooks.
func (h *Hooks) AttemptEnd(ctx context.Context, attempt *AttemptInfo, outcome *AttemptOutcome) {
	for _, hook := range h.attemptEnd {
		hook.OnAttemptEnd(ctx, attempt, outcome)
	}
}

// Connect calls the hooks.
func (h *Hooks) Connect(source Source, connection ConnectInfo) {
	for _, hook := range h.connects {
		hook.OnConnect(source, connection)
	}
}

// Disconnect calls the hooks.
func (h *Hooks) Disconnect(source Source, connection ConnectInfo, reason error) {
	for _, hook := range h.disconnects {
		hook.OnDisconnect(source, connection, reason)
	}
}

// StateChange calls the hooks.
func (h *Hooks) StateChange(source Source, change StateChange) {
	for _, hook := range h.stateChanges {
		hook.OnStateChange(source, change)
	}
}

// Notification calls the hooks.
func (h *Hooks) Notification(source Source, notification mcp.Message) {
	for _, hook := range h.notifications {
		hook.OnNotification(source, notification)
	}
}

// Error calls the hooks.
func (h *Hooks) Error(source Source, err error) {
	for _, hook := range h.errors {
		hook.OnError(source, err)
	}
}
