package mcpclient

import (
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Hook is anything with some of the methods of the hook interfaces of package
// transporters, such as OnRequestStart and OnStateChange. See transporters.Hook.
type Hook = transporters.Hook

// WithHooks has the hooks told of everything that the client does: calls, the
// attempts they are made of, connections, states, notifications, errors. Of
// transporters that were injected they are told of calls only. They are called in
// this order. A hook without any of the methods makes New fail. Without hooks
// nothing is spent on them.
func WithHooks(hooks ...Hook) Option {
	return func(s *settings) { s.hooks = append(s.hooks, hooks...) }
}
