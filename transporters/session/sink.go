package session

import (
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// A call is the Sink of its exchanges: what the link tells of them comes here.

var _ transporters.ContextOwner = (*call)(nil)

// Accepted starts the idle clock.
func (c *call) Accepted() {
	c.sign()
	c.waiting.Store(true)
	if c.replay != nil {
		c.replay.settle()
	}
}

// Arrived restarts the idle clock.
func (c *call) Arrived() { c.sign() }

func (c *call) sign() { c.lastSign.Store(int64(time.Since(c.created))) }

// FollowContext implements transporters.ContextOwner.
func (c *call) FollowContext(follower transporters.ContextFollower) {
	c.following.Lock()
	c.follower = follower
	cause := c.ended
	c.following.Unlock()
	if follower != nil && cause != nil {
		follower.ContextEnded(cause)
	}
}

// end ends the call's context, and tells who follows it.
func (c *call) end(cause error) {
	c.cancel(cause)
	c.following.Lock()
	if c.ended == nil {
		c.ended = cause
	}
	follower, cause := c.follower, c.ended
	c.following.Unlock()
	if follower != nil {
		follower.ContextEnded(cause)
	}
}

// Deliver hands a message to the caller's callbacks.
func (c *call) Deliver(m mcp.Message) {
	c.delivering.Store(true)
	defer func() {
		c.sign()
		c.delivering.Store(false)
	}()
	if m.Kind() == mcp.KindRequest {
		c.isExposed = true
		c.session.serving.belongsTo(c.link, m.ID, c)
	}
	if m.Method == mcp.NotificationProgress {
		c.deliverProgress(m)
	}
	if c.onEvent != nil {
		c.onEvent(m)
	}
}

// deliverProgress hands over the call's own progress, which nobody else has seen.
func (c *call) deliverProgress(m mcp.Message) {
	token, progress, isReport := m.Progress()
	if token == nil || !c.isToken(token) {
		return
	}
	c.session.seen(m)
	if isReport && c.options.OnProgress != nil {
		c.options.OnProgress(progress)
	}
}

func (c *call) isToken(token mcp.ID) bool {
	n, ok := token.Uint64()
	return ok && n == c.token
}
