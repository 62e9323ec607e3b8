package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// errNoWayBack says why a server cannot ask its client.
var errNoWayBack = errors.New("this client cannot be asked: modern, sessionless, or answered in JSON only")

// errNoStandalone: the client has no stream open that belongs to no call.
var errNoStandalone = errors.New("this client has no standalone stream open")

// Request asks the client something on the call's own stream, for example
// "ping" or "roots/list", and returns its result, which it waits for as long as
// the call runs. It exists in the legacy eras only (R010). An error answer is an
// *mcp.Error. params is JSON text or encodes to it.
func (c *Call) Request(method string, params any) (json.RawMessage, error) {
	r := c.request
	if r.modern() || r.conversation.isDeaf() {
		return nil, fmt.Errorf("%s: %w", method, errNoWayBack)
	}
	return r.ask(method, params, r.emit)
}

// RequestStandalone is Request on the stream that the client opened with GET, as
// some servers ask whatever belongs to no call. Without WithStandaloneStream, and
// as long as no such stream is open, it fails at once: nothing is kept for later.
// Over other links than HTTP there is but one way to the client.
func (c *Call) RequestStandalone(method string, params any) (json.RawMessage, error) {
	r := c.request
	r.conversation.mu.Lock()
	send := r.conversation.send
	r.conversation.mu.Unlock()
	if r.modern() || send == nil {
		return nil, fmt.Errorf("%s: %w", method, errNoStandalone)
	}
	return r.ask(method, params, send)
}

// ask sends a request to the client and waits for its answer.
func (r *request) ask(method string, params any, send func(mcp.Message)) (json.RawMessage, error) {
	id, answered := r.conversation.expect()
	defer r.conversation.forget(id)
	send(requestMessage(id, method, rawJSON(params)))
	select {
	case answer := <-answered:
		if failure := answer.Failure(); failure != nil {
			return nil, failure
		}
		return answer.Result, nil
	case <-r.ctx.Done():
		return nil, context.Cause(r.ctx)
	}
}

// isDeaf reports whether requests or their answers cannot reach each other: an
// HTTP conversation without a session, or without streams.
func (c *conversation) isDeaf() bool {
	if !c.http {
		return false
	}
	return c.id == "" || c.server.settings.answers == AnswersJSON
}

// expect makes the id of a request to the client, and where its answer goes.
func (c *conversation) expect() (mcp.ID, <-chan mcp.Message) {
	answered := make(chan mcp.Message, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	id := mcp.StringID(fmt.Sprintf("srv-%d", c.asked))
	if c.waiting == nil {
		c.waiting = map[string]chan mcp.Message{}
	}
	c.waiting[id.String()] = answered
	return id, answered
}

func (c *conversation) forget(id mcp.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id.String())
}

// responded takes the client's answer to a request of the server. One that
// nobody waits for any more is ignored; a modern client must never send one
// (R009).
func (c *conversation) responded(m mcp.Message) *refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.era == mcp.EraModern {
		return c.server.refuse("R009", mcp.CodeInvalidRequest, "a response sent to a modern server")
	}
	if answered, ok := c.waiting[m.ID.String()]; ok {
		delete(c.waiting, m.ID.String())
		answered <- m
	}
	return nil
}
