package httplink

import (
	"time"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/messagequeue"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// conversation sorts the messages of one exchange. Whatever arrives on its
// response belongs to it (R094), except, toward a legacy server, what belongs to
// another exchange (P28).
type conversation struct {
	link   *Link
	out    *transporters.Outbound
	sink   transporters.Sink
	waiter *waiter // nil: nothing of it comes on other streams
	beside bool    // what other streams bring is handed over by another goroutine

	copies messagequeue.Copier // of events that lie in a buffer

	// patience is the longest silence of a stream that was taken up again; 0
	// says that this is the response to the POST.
	patience time.Duration
}

// follow lets an answer that comes on another stream end the request x.
func (c *conversation) follow(x *exchange) {
	if c.waiter != nil {
		c.waiter.follow(x)
	}
}

// isAnswer reports whether the message answers this very request: by its id,
// number or string (P19), or as an error without id (P20).
func (c *conversation) isAnswer(m *mcp.Message) bool {
	if m.Kind() != mcp.KindResponse {
		return false
	}
	if m.ID.IsZero() || m.ID.IsNull() {
		return m.Error != nil && c.patience == 0
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
	own := c.isProgress(&m)
	if c.waiter != nil && !own && c.link.pending.route(m) {
		return
	}
	c.sink.Arrived()
	if !own {
		c.link.hand(m)
	}
	if c.out.WantEvents {
		if c.waiter != nil && !c.beside {
			c.waiter.deliver(c.sink, nil)
		}
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
	c.give(jsonrpc.Move(m, m.Raw, c.copies.Copy(m.Raw)))
}
