package session

import (
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// pagesToVisit returns what a server of 2025-11-25 wants the user to do on web
// pages before it serves the request (error -32042), or nil if that cannot be
// done here.
func (s *Session) pagesToVisit(c *call, p *peer, reply transporters.Reply) []mcp.ElicitRequest {
	failure := reply.Message.Failure()
	if failure == nil || failure.Code != mcp.CodeURLElicitationRequired || p.era.version() != mcp.Version20251125 ||
		s.handlers.ElicitURL == nil || c.options.HandOverInput {
		return nil
	}
	pages, err := mcp.ParseURLElicitations(failure.Data)
	if err != nil {
		s.log.Warn("the server asks for pages to be visited but names none", "server", s.server, "error", err)
		return nil
	}
	return pages
}

// visit asks the user to visit the pages, one after the other, while the call's
// clock stands still. After that the request is sent once more (R205). A page
// that is declined ends the call with the server's own error.
func (s *Session) visit(c *call, pages []mcp.ElicitRequest, refusal error) error {
	c.isExposed = true // to handlers
	c.pauses.begin()
	defer c.pauses.end()
	for i := range pages {
		raw, err := pages[i].MarshalJSON()
		if err != nil {
			return err
		}
		result, err := s.handlers.handle(c.ctx, s.server, mcp.MethodElicit, raw)
		if err != nil {
			return handlerFailure(mcp.MethodElicit, err)
		}
		var answer mcp.ElicitResult
		if err := answer.UnmarshalJSON(result); err != nil {
			return err
		}
		if answer.Action != mcp.ElicitAccept {
			return because(errors.New("the user did not visit the page"), refusal)
		}
	}
	return nil
}
