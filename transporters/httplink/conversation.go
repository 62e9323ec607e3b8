package httplink

import (
	"bytes"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// conversation sorts the messages of one exchange. Whatever arrives on its
// response belongs to it (R094).
type conversation struct {
	link *Link
	out  *transporters.Outbound
	sink transporters.Sink
}

// isAnswer reports whether the message answers this very request: by its id,
// number or string (ruling 5), or as an error without id (P20).
func (c *conversation) isAnswer(m *mcp.Message) bool {
	if m.Kind() != mcp.KindResponse {
		return false
	}
	if m.ID.IsZero() || m.ID.IsNull() {
		return m.Error != nil
	}
	id, ok := m.ID.Uint64()
	return ok && id == c.out.ID
}

// isProgress reports whether the message is a progress report of this request.
func (c *conversation) isProgress(m *mcp.Message) bool {
	if c.out.Token == 0 || m.Method != mcp.NotificationProgress {
		return false
	}
	id, ok := jsonrpc.ProgressToken(m.Params)
	if !ok {
		return false
	}
	token, ok := id.Uint64()
	return ok && token == c.out.Token
}

// give hands on a message that is not the answer and owns its bytes.
func (c *conversation) give(m mcp.Message) {
	c.sink.Arrived()
	if !c.isProgress(&m) {
		c.link.hand(m)
	}
	if c.out.WantEvents {
		c.sink.Deliver(m)
	}
}

// giveCopy hands on a message that lies in a buffer. It is copied only if
// somebody gets it, which progress that nobody listens to does not.
func (c *conversation) giveCopy(m mcp.Message) {
	if !c.out.WantEvents && c.isProgress(&m) {
		c.sink.Arrived()
		return
	}
	if owned, err := jsonrpc.Scan(bytes.Clone(m.Raw)); err == nil {
		c.give(owned)
	}
}
