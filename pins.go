package mcpclient

import (
	"context"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// ToolChange is a tool whose definition has changed. See policy.ToolChange.
type ToolChange = policy.ToolChange

// WithPinStore remembers the definitions of tools (tools.pin) in the store, for
// servers that have no tools.pin_file. The default remembers them as long as the
// client lives. See policy.PinStore.
func WithPinStore(store policy.PinStore) Option { return building(factory.WithPinStore(store)) }

// pinning is a base whose tools are pinned, as those of configured servers can be.
type pinning interface {
	ChangedTools() []policy.ToolChange
	AcceptTools(ctx context.Context, tools ...string) error
}

// ChangedTools returns the tools of the server whose definition is not the one
// that was first seen or last accepted (tools.pin), as far as they were listed:
// call Tools before.
func (c *Connection) ChangedTools() []ToolChange {
	if pinned, ok := c.base.(pinning); ok {
		return pinned.ChangedTools()
	}
	return nil
}

// AcceptTools accepts the definitions that the tools were last listed with;
// without names those of all that have changed. Lists have them back from then on,
// and they can be called. A tool that has not changed is an error.
func (c *Connection) AcceptTools(ctx context.Context, tools ...string) error {
	pinned, ok := c.base.(pinning)
	if !ok {
		return errors.New("the tools of an injected transporter are not pinned")
	}
	return pinned.AcceptTools(ctx, tools...)
}
