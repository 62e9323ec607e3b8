package session

import (
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// inbound receives what the server sends of its own accord. It runs in the
// link's reader, so it only sorts; work is done in goroutines of the session.
func (s *Session) inbound(from transporters.Link, m mcp.Message) {
	s.seen(m)
	switch m.Kind() {
	case mcp.KindRequest:
		s.serve(from, m)
	case mcp.KindNotification:
		s.notified(from, m)
	case mcp.KindResponse:
		s.counters.orphans.Add(1)
		s.log.Debug("an answer that nobody waits for", "server", s.server, "id", errors.PeerText(m.ID.String(), 50))
	default:
		s.log.Warn("a message that is neither request, notification nor answer", "server", s.server)
		s.fault(protocolError("a message that is neither request, notification nor answer"))
	}
}

// notified sorts the notifications that belong to no exchange.
func (s *Session) notified(from transporters.Link, m mcp.Message) {
	s.log.Trace("notification", "server", s.server, "method", errors.PeerText(m.Method, 100))
	s.noticed(m)
	switch m.Method {
	case mcp.NotificationCancelled:
		s.cancelled(from, m)
	case mcp.NotificationToolsListChanged:
		s.mirrors.forget()
	}
	if s.subscriptions.offer(m) {
		return
	}
	if s.handlers.Notification != nil {
		if !s.notifications.Offer(len(m.Raw), func() { s.handlers.Notification(s.server, m) }) {
			s.log.Warn("dropped a notification: the handler is too far behind", "server", s.server, "method", errors.PeerText(m.Method, 100))
		}
	}
}
