package pool

import (
	"context"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// listener is a base that can hold subscriptions, as a session can.
type listener interface {
	transporters.Base
	Listen(ctx context.Context, filter mcp.SubscriptionFilter, handler func(mcp.Message)) (*session.Subscription, error)
}

// Listen opens a subscription on the instance that has the fewest, or the one
// that has the tasks to be watched; see
// session.Session.Listen. It stays with that instance and its replacements. What
// changes in another instance alone, it does not tell.
func (p *Pool) Listen(ctx context.Context, filter mcp.SubscriptionFilter, handler func(mcp.Message)) (*session.Subscription, error) {
	if err := p.enter(); err != nil {
		return nil, p.failure(mcp.MethodListen, err)
	}
	defer p.leave()
	past := newTried(len(p.instances))
	if home := p.tasks.ofAny(filter.TaskIDs...); home != nil {
		past.addAllBut(home)
	}
	for {
		chosen := p.choose(past, bySubscriptions)
		past.add(chosen)
		listening, ok := chosen.base.(listener)
		if !ok {
			return nil, &errors.TransporterRequestError{
				Server: p.server, Action: mcp.MethodListen, Kind: errors.KindParams, Delivery: errors.DeliveryNotSent,
				Message: "a server of this type has no subscriptions", Err: errors.ErrCapabilityMissing,
			}
		}
		subscription, err := listening.Listen(ctx, filter, handler)
		if err == nil {
			p.follow(chosen, subscription)
			return subscription, nil
		}
		if past.all() || ctx.Err() != nil || !p.mayTryAnother(chosen, err) {
			return nil, err
		}
	}
}

// follow counts a subscription until it ends, at the latest with its session.
func (p *Pool) follow(chosen *instance, subscription *session.Subscription) {
	count := func(change int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		chosen.subscriptions += change
	}
	count(1)
	go func() {
		<-subscription.Done()
		count(-1)
	}()
}
