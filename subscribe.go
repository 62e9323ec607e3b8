package mcpclient

import (
	"context"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// Handlers serve what servers ask of the client: elicitation, sampling, roots.
// See session.Handlers.
type Handlers = session.Handlers

// Subscription is an open stream of change notifications. See
// session.Subscription.
type Subscription = session.Subscription

// WithHandlers registers what serves the requests of all servers. What is
// announced to them follows from which handlers are set.
func WithHandlers(handlers Handlers) Option {
	return building(factory.WithSessionOptions(session.WithHandlers(handlers)))
}

// HandOverInput makes a call return what a modern server asks for, as a result
// whose Type is mcp.ResultInputRequired, instead of answering it through the
// handlers. It is for raw calls through Connection.Request; the caller repeats
// the request with inputResponses and requestState.
func HandOverInput(ctx context.Context) context.Context {
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.HandOverInput = true })
}

// Listen subscribes to changes: of the lists of tools, prompts and resources,
// and of single resources. It returns once the server has acknowledged, with
// what it will send (Acknowledged). ctx bounds the opening only; the
// subscription lasts until Close, the connection's end, or the server's.
//
// handler gets the notifications in order, one at a time, on a goroutine of the
// subscription; it may make calls. If it falls behind too far the subscription
// ends with ErrDeliveryDropped. Over modern servers this is
// subscriptions/listen, over legacy ones resources/subscribe, the unasked list
// changes and, over HTTP, the standing stream. A resource that the
// configuration denies cannot be subscribed to.
func (c *Connection) Listen(ctx context.Context, filter mcp.SubscriptionFilter, handler func(mcp.Message)) (*Subscription, error) {
	listening, ok := c.base.(interface {
		Listen(context.Context, mcp.SubscriptionFilter, func(mcp.Message)) (*session.Subscription, error)
	})
	if !ok {
		return nil, &errors.TransporterRequestError{
			Server: c.name, Action: mcp.MethodListen, Kind: errors.KindParams, Delivery: errors.DeliveryNotSent,
			Message: "the injected transporter has no subscriptions", Err: errors.ErrCapabilityMissing,
		}
	}
	return listening.Listen(ctx, filter, handler)
}

// NotifyRootsChanged tells a legacy server that the handler ListRoots would
// answer differently now. Servers that are not connected, modern ones and
// injected transporters are not told.
func (c *Connection) NotifyRootsChanged(ctx context.Context) error {
	notifying, ok := c.base.(interface{ NotifyRootsChanged(context.Context) error })
	if !ok {
		return nil
	}
	return notifying.NotifyRootsChanged(ctx)
}

// WaitForState waits until the connection is in the state, or ctx ends, whose
// cause it returns then. It starts nothing: a connection that nobody uses stays
// idle.
func (c *Connection) WaitForState(ctx context.Context, state transporters.State) error {
	return transporters.WaitForState(ctx, c.base, state)
}
