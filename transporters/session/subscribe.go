package session

import (
	"context"
	"strings"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// subscriptions holds the open subscriptions of a session.
type subscriptions struct {
	mu   sync.Mutex
	open map[*Subscription]struct{}
}

func (s *subscriptions) add(sub *Subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[*Subscription]struct{}{}
	}
	s.open[sub] = struct{}{}
}

func (s *subscriptions) remove(sub *Subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, sub)
}

// abort ends the subscription that has the id on the wire.
func (s *subscriptions) abort(id mcp.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.open {
		if sub.ID() == string(id) {
			sub.cancel(errors.ErrAborted)
		}
	}
}

func (s *subscriptions) isAny() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open) > 0
}

// endedByServer ends the subscription that a modern server cancelled.
func (s *subscriptions) endedByServer(id mcp.ID) {
	number, ok := id.Uint64()
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.open {
		if ok && sub.id == number {
			sub.cancel(errEndedByServer)
		}
	}
}

// offer gives a legacy server's notification to the subscriptions it is for,
// and reports whether there was one. It runs in the link's reader.
func (s *subscriptions) offer(m mcp.Message) bool {
	taken := false
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.open {
		if !sub.wants(m) {
			continue
		}
		taken = true
		if !sub.queue.Push(m) {
			sub.cancel(errors.ErrDeliveryDropped)
		}
	}
	return taken
}

// wants judges by method and URI, since legacy notifications name no
// subscription. An update may name a part of what is watched (R157).
func (sub *Subscription) wants(m mcp.Message) bool {
	switch m.Method {
	case mcp.NotificationToolsListChanged:
		return sub.filter.ToolsListChanged
	case mcp.NotificationPromptsListChanged:
		return sub.filter.PromptsListChanged
	case mcp.NotificationResourcesListChanged:
		return sub.filter.ResourcesListChanged
	case mcp.NotificationResourceUpdated:
		params, err := mcp.ParseResourceUpdatedParams(m.Params)
		if err != nil {
			return false
		}
		for _, watched := range sub.filter.ResourceSubscriptions {
			if params.URI == watched || strings.HasPrefix(params.URI, strings.TrimSuffix(watched, "/")+"/") {
				return true
			}
		}
	}
	return false
}

// subscribe holds the subscription on a legacy peer: resources/subscribe for
// each URI, the rest comes unasked, over HTTP on the standing stream.
func (sub *Subscription) subscribe(p *peer) (ended bool, err error) {
	s := sub.session
	if len(sub.filter.TaskIDs) > 0 {
		return true, refuse(mcp.MethodListen+" for tasks", "the server speaks "+string(p.era.version()))
	}
	for _, uri := range sub.filter.ResourceSubscriptions {
		if err := sub.resource(sub.ctx, p, mcp.MethodSubscribe, uri); err != nil {
			if sub.ctx.Err() != nil {
				sub.unsubscribe(p) // the server may have it
			}
			_, refused := errors.AsType[*errors.TransporterRequestError](err)
			return refused && p.usable(), err
		}
	}
	s.stand(p)
	sub.acknowledge(legacyAcknowledged(sub.filter, p))
	for {
		select {
		case <-sub.queue.Wake:
			for m, ok := sub.queue.Pop(); ok; m, ok = sub.queue.Pop() {
				sub.deliver(m)
			}
		case <-sub.ctx.Done():
			sub.unsubscribe(p)
			return true, context.Cause(sub.ctx)
		case <-p.gone:
			return false, errors.ErrSessionLost
		case <-p.link.Done():
			return false, p.link.Err()
		}
	}
}

// legacyAcknowledged is the part of the filter that the server announced it can
// serve.
func legacyAcknowledged(filter mcp.SubscriptionFilter, p *peer) mcp.SubscriptionFilter {
	announced := mcp.ParseServerCapabilities(p.info.Capabilities)
	acknowledged := filter.Clone()
	acknowledged.ToolsListChanged = filter.ToolsListChanged && announced.Tools != nil && announced.Tools.ListChanged
	acknowledged.PromptsListChanged = filter.PromptsListChanged && announced.Prompts != nil && announced.Prompts.ListChanged
	acknowledged.ResourcesListChanged = filter.ResourcesListChanged && announced.Resources != nil && announced.Resources.ListChanged
	return acknowledged
}

// unsubscribe tells the server, in the background, what no other subscription
// wants any more.
func (sub *Subscription) unsubscribe(p *peer) {
	s := sub.session
	s.subscriptions.remove(sub)
	if s.ctx.Err() != nil {
		return // the session's end tells it all
	}
	for _, uri := range sub.filter.ResourceSubscriptions {
		if !p.usable() || s.subscriptions.watches(uri) {
			continue
		}
		s.tasks.start(func() {
			ctx, cancel := context.WithTimeout(s.ctx, noticeTimeout)
			defer cancel()
			if err := sub.resource(ctx, p, mcp.MethodUnsubscribe, uri); err != nil {
				s.log.Debug("could not unsubscribe", "server", s.server, "error", err)
			}
		})
	}
}

func (s *subscriptions) watches(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.open {
		for _, watched := range sub.filter.ResourceSubscriptions {
			if watched == uri {
				return true
			}
		}
	}
	return false
}

// resource subscribes to a resource, or unsubscribes.
func (sub *Subscription) resource(ctx context.Context, p *peer, method, uri string) error {
	s := sub.session
	reply, err := s.exchange(ctx, p.link, method, mcp.URIParams(uri), nil, p.era.header(method, ""))
	switch {
	case err != nil:
		return err
	case p.era.sessionLost(reply):
		s.forgotten(p)
		return errors.ErrSessionLost
	case reply.Message.IsZero():
		return statusFailure(reply)
	case reply.Message.Error != nil:
		return peerFailure(reply.Message.Failure(), reply)
	default:
		return nil
	}
}

// maxQueuedBytes bounds what waits for the handler of one legacy subscription.
const maxQueuedBytes = 1 << 20

// cancelParams are those of notifications/cancelled.
type cancelParams struct {
	RequestID mcp.ID `json:"requestId"`
	Reason    string `json:"reason"`
}

// sendCancel tells a peer, in the background, that an answer is not wanted any
// more.
func (s *Session) sendCancel(p *peer, id, reason string) {
	s.tasks.start(func() {
		params, err := mcp.ParamsOf(cancelParams{mcp.ID(id), reason})
		if err != nil {
			return
		}
		s.notify(p.link, p.era.header(mcp.NotificationCancelled, ""), mcp.NotificationCancelled, params)
	})
}
