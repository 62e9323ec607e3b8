package factory

import (
	"context"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// listener is a base that can hold subscriptions, as a session can.
type listener interface {
	Listen(ctx context.Context, filter mcp.SubscriptionFilter, handler func(mcp.Message)) (*session.Subscription, error)
}

// Listen opens a subscription on the base of the principal that ctx names; see
// session.Session.Listen. Until it ends the base is not evicted; it ends with
// ErrTransportClosed when the base is closed because the blueprint was replaced
// and no call runs any more. What the configuration denies cannot be subscribed
// to.
func (s *Slot) Listen(ctx context.Context, filter mcp.SubscriptionFilter, handler func(mcp.Message)) (*session.Subscription, error) {
	s.mu.RLock()
	guard := s.current.guard
	s.mu.RUnlock()
	if guard != nil {
		if _, err := guard.Request(ctx, mcp.MethodListen, mcp.ListenParams{Notifications: filter}, nil); err != nil {
			return nil, err
		}
	}
	t, base, err := s.enter(ctx, mcp.MethodListen)
	if err != nil {
		return nil, err
	}
	defer s.leave(t)
	listening, ok := base.(listener)
	if !ok {
		return nil, &errors.TransporterRequestError{
			Server: s.server, Action: mcp.MethodListen, Kind: errors.KindParams, Delivery: errors.DeliveryNotSent,
			Message: "a server of this type has no subscriptions", Err: errors.ErrCapabilityMissing,
		}
	}
	subscription, err := listening.Listen(ctx, filter, s.hearing(t.principal, handler))
	if err != nil {
		return nil, err
	}
	t.hold()
	go func() { // ends with the subscription, and that with the base
		<-subscription.Done()
		s.drop(t)
	}()
	return subscription, nil
}

// guard returns a transporter that only says whether the rules allow a request.
func guard(server string, rules policy.FilterConfig) transporters.Transporter {
	allow := func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.Result{}, nil
	}
	return policy.Filter(server, rules)(transporters.TransporterFunc(allow))
}

// NotifyRootsChanged tells every connected server that the client's roots have
// changed; see session.Session.NotifyRootsChanged. Bases that cannot are passed
// over.
func (s *Slot) NotifyRootsChanged(ctx context.Context) error {
	s.mu.RLock()
	var told []interface{ NotifyRootsChanged(context.Context) error }
	for t := range s.tenants.all() {
		if !t.opened.Load() {
			continue
		}
		if base, ok := t.base.(interface{ NotifyRootsChanged(context.Context) error }); ok {
			told = append(told, base)
		}
	}
	s.mu.RUnlock()
	var failures []error
	for _, base := range told {
		failures = append(failures, base.NotifyRootsChanged(ctx))
	}
	return errors.Join(failures...)
}

// WaitForState waits until the base of the principal that ctx names is in the
// state, or ctx ends, whose cause it returns then. Meanwhile the base counts as
// busy. When the blueprint is replaced it goes on with the base that comes next.
func (s *Slot) WaitForState(ctx context.Context, state transporters.State) error {
	for {
		replaced, err := s.waitForState(ctx, state)
		if !replaced || ctx.Err() != nil {
			return err
		}
	}
}

func (s *Slot) waitForState(ctx context.Context, state transporters.State) (replaced bool, err error) {
	t, base, err := s.enter(ctx, "")
	if err != nil {
		return false, err
	}
	defer s.leave(t)
	waiting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(&t.generation.life, func() { stop(errReplaced) })()
	err = transporters.WaitForState(waiting, base, state)
	return errors.Is(err, errReplaced), err
}

// errReplaced ends waits for a base whose blueprint was replaced.
var errReplaced = errors.New("the configuration of the server was replaced")
