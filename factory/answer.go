package factory

import (
	"context"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// answerer is a base that can answer what a server asks for outside of a
// request, as a session with handlers can.
type answerer interface {
	AnswerInput(ctx context.Context, requests mcp.InputRequests) (mcp.InputResponses, error)
}

// AnswerInput has the base of the principal that ctx names answer what a server
// asks for. A base that cannot answers nothing.
func (s *Slot) AnswerInput(ctx context.Context, requests mcp.InputRequests) (mcp.InputResponses, error) {
	t, base, err := s.enter(ctx, "")
	if err != nil {
		return nil, err
	}
	defer s.leave(t)
	able, ok := base.(answerer)
	if !ok {
		return nil, nil
	}
	return able.AnswerInput(ctx, requests)
}

// background runs f on a goroutine that Close waits for. It returns false, and
// runs nothing, after Close. f must end soon after the bases are closed.
func (s *Slot) background(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.closing.Go(f)
	return true
}

// Principal names whom a call with this context is for: what WithPrincipal named,
// or what a token implied, and what identity headers add to it. It is for telling
// callers apart.
func (s *Slot) Principal(ctx context.Context) string {
	return s.principal(transporters.CallOptionsOf(ctx))
}

// principal names whom a call is for, as the slot sees it.
func (s *Slot) principal(options *transporters.CallOptions) string {
	s.mu.RLock()
	identity := s.current.IdentityHeaders
	s.mu.RUnlock()
	return principalOf(options, identity)
}
