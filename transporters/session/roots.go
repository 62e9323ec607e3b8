package session

import (
	"context"
	"time"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// NotifyRootsChanged tells a legacy server that ListRoots would answer
// differently now (R174). A modern server, and one that is not connected, asks
// when it wants to know: nothing is sent.
func (s *Session) NotifyRootsChanged(ctx context.Context) error {
	p := s.current.Load()
	if s.handlers.ListRoots == nil || p == nil || !p.usable() || p.info.Era != mcp.EraLegacy {
		return nil
	}
	c := newCall(ctx, s, time.Now(), mcp.NotificationRootsListChanged, nil, nil)
	defer c.finish()
	s.calls.watch(c)
	out := &transporters.Outbound{
		Frame:  jsonrpc.AppendNotification(nil, mcp.NotificationRootsListChanged, nil, nil),
		Method: mcp.NotificationRootsListChanged,
		Header: p.era.header(mcp.NotificationRootsListChanged, ""),
	}
	if err := p.link.Send(c.ctx, out); err != nil {
		return s.failure(c.explain(err), mcp.NotificationRootsListChanged, nil)
	}
	return nil
}
