package httplink

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/pause"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// fallbackTimeout bounds the search for HTTP+SSE, which is only a guess.
const fallbackTimeout = 15 * time.Second

// Legacy implements transporters.Fallback: it opens HTTP+SSE on the same URL
// (H20) and returns the started *SSELink, once that has named its endpoint.
// Everything but 15 s and ctx's end is the server's refusal, which wraps
// transporters.ErrNotOffered.
func (l *Link) Legacy(ctx context.Context, in func(from transporters.Link, m mcp.Message)) (transporters.Link, error) {
	limit := &cause{fmt.Sprintf("no event stream with an endpoint within %v", fallbackTimeout), []error{errors.ErrNotMCP}}
	bounded, cancel := pause.WithTimeoutCause(ctx, fallbackTimeout, limit)
	defer cancel()
	s := newSSE(l, false)
	err := s.Start(bounded, in)
	if err == nil {
		return s, nil
	}
	s.end(err)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case l.fault != nil || l.life.Err() != nil:
		return nil, err
	}
	return nil, &cause{"HTTP+SSE: GET " + l.endpoint.shown + ": " + detail(err), []error{transporters.ErrNotOffered, withoutContext(err)}}
}
