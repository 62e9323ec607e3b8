package session

import (
	"context"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// attempt is one time that a request is sent, as hooks are told of it. There is
// none where nobody looks.
type attempt struct {
	hooks *transporters.Hooks
	info  transporters.AttemptInfo
	ctx   context.Context // the call's, with the values that hooks added
	told  context.Context // what the hooks returned
}

// beginAttempt returns nil if nobody looks.
func (s *Session) beginAttempt(c *call, p *peer) *attempt {
	trail := c.options.Trail
	if trail == nil && !s.hooks.WantAttempts() {
		return nil
	}
	a := &attempt{hooks: s.hooks, ctx: c.ctx, told: c.ctx, info: transporters.AttemptInfo{
		Source: s.source, Action: c.action, Method: c.out.Method, Name: transporters.NameOf(c.action, c.params),
		ID: mcp.ID(c.wireID()), Reason: c.reason, Connection: p.connection, Began: time.Now(),
	}}
	if trail != nil {
		trail.Attempt(&a.info)
	} else {
		c.attempts++
		a.info.Number = c.attempts
	}
	if s.hooks.WantAttempts() {
		c.isExposed = true
		if a.told = s.hooks.AttemptStart(c.ctx, &a.info); a.told != c.ctx {
			a.ctx = callContext{c.scope.Context, a.told}
		}
	}
	return a
}

// end tells what came of it. a may be nil.
func (a *attempt) end(reply transporters.Reply, err error) {
	if a == nil || !a.hooks.WantAttempts() {
		return
	}
	outcome := transporters.AttemptOutcome{Duration: time.Since(a.info.Began), Err: err, Status: reply.Status}
	if err == nil {
		outcome.Failure = reply.Message.Failure()
	}
	a.hooks.AttemptEnd(a.told, &a.info, &outcome)
}
