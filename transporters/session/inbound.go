package session

import (
	"context"
	"net/http"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// inbound receives what the server sends of its own accord. It runs in the
// link's reader, so it only sorts; work is done in goroutines of the session.
func (s *Session) inbound(from transporters.Link, m mcp.Message) {
	switch m.Kind() {
	case mcp.KindRequest:
		s.serve(from, m)
	case mcp.KindNotification:
		s.log.Trace("notification", "server", s.server, "method", errors.PeerText(m.Method, 100))
	case mcp.KindResponse:
		s.counters.orphans.Add(1)
		s.log.Debug("an answer that nobody waits for", "server", s.server, "id", errors.PeerText(m.ID.String(), 50))
	default:
		s.log.Warn("a message that is neither request, notification nor answer", "server", s.server)
	}
}

// serve answers a server's request: ping at once, everything else with method
// not found (R137, R058). It answers to the very link the request came from,
// since during the negotiation there is no current peer yet (S15). A modern
// server must not send requests: they are dropped (R010).
func (s *Session) serve(from transporters.Link, m mcp.Message) {
	header := baseHeader()
	if p := s.current.Load(); p != nil && p.link == from && p.usable() {
		if !p.era.answersRequests() {
			s.log.Warn("dropped a request: the server speaks a version that has none", "server", s.server, "method", errors.PeerText(m.Method, 100))
			return
		}
		header = p.era.header(m.Method, "")
	}
	if !s.tasks.start(func() { s.respond(from, header, m) }) {
		s.log.Warn("dropped a request: too many at once", "server", s.server, "method", errors.PeerText(m.Method, 100))
	}
}

func (s *Session) respond(to transporters.Link, header http.Header, request mcp.Message) {
	var frame []byte
	if request.Method == mcp.MethodPing {
		frame = jsonrpc.AppendResult(nil, request.ID, []byte("{}"))
	} else {
		frame = jsonrpc.AppendError(nil, request.ID, &mcp.Error{
			Code:    mcp.CodeMethodNotFound,
			Message: "this client does not serve " + errors.PeerText(request.Method, 100),
		})
	}
	ctx, cancel := context.WithTimeout(s.ctx, noticeTimeout)
	defer cancel()
	out := &transporters.Outbound{Frame: frame, Method: request.Method}
	if s.traits.HTTP {
		out.Header = header
	}
	if err := to.Send(ctx, out); err != nil {
		s.log.Debug("could not answer the server's request", "server", s.server, "method", errors.PeerText(request.Method, 100), "error", err)
	}
}
