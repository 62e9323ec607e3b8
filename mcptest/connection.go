package mcptest

import (
	"errors"
	"sync"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// connection serves one conversation whose messages come one by one, over a
// process's pipe or in memory, and whose answers all leave by one way.
type connection struct {
	conversation *conversation
	send         func(mcp.Message) // in order; safe for concurrent use; does not block for long
	requests     sync.WaitGroup
}

// connect begins a conversation.
func (s *Server) connect(send func(mcp.Message)) *connection {
	c := &connection{conversation: s.newConversation(send), send: send}
	s.register(c.conversation)
	return c
}

// disconnect cancels what is running, as the end of a process does. It does not
// wait: see requests.
func (c *connection) disconnect(cause error) {
	c.conversation.server.unregister(c.conversation)
	c.conversation.cancel(cause)
}

// receive takes one message. It is called in the order of arrival and serves
// requests on goroutines of their own.
func (c *connection) receive(raw []byte) {
	s := c.conversation.server
	m, err := jsonrpc.Scan(raw)
	if err != nil {
		bad := s.unreadable(err)
		s.journal.add(Received{Raw: raw})
		c.refused(nil, bad)
		return
	}
	r, bad := c.conversation.take(m, c.conversation.admit)
	// Only now, so that whoever awaits a request may cancel it.
	s.journal.add(newReceived(m, nil))
	switch {
	case r != nil:
		c.serve(r)
	case bad != nil && m.Kind() == mcp.KindRequest: // nothing else is answered (R007)
		c.refused(m.ID, bad)
	}
}

func (c *connection) serve(r *request) {
	s := c.conversation.server
	if !s.begin() {
		return
	}
	c.requests.Add(1)
	go func() {
		defer s.serving.Done()
		defer c.requests.Done()
		if answer, _ := r.serve(c.send); !answer.IsZero() {
			c.send(answer)
		}
	}()
}

func (c *connection) refused(id mcp.ID, bad *refusal) {
	if !isID(id) {
		id = nil
	}
	c.send(errorMessage(id, bad.failure))
}

// isID reports whether the id may be repeated in an answer.
func isID(id mcp.ID) bool { return !id.IsZero() && !id.IsNull() }

// unreadable refuses what is no message.
func (s *Server) unreadable(err error) *refusal {
	switch {
	case errors.Is(err, jsonrpc.ErrBatch):
		return s.refuse("R019", mcp.CodeInvalidRequest, "batches are not supported")
	case errors.Is(err, jsonrpc.ErrEnvelope):
		return s.refuse("R001", mcp.CodeInvalidRequest, err.Error())
	default:
		return s.refuse("R001", mcp.CodeParseError, err.Error())
	}
}
