package mcptest

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// errAbandoned is the cause of a request's context when the client gave it up.
var errAbandoned = errors.New("cancelled by the client")

// request is one request that is being served.
type request struct {
	server       *Server
	conversation *conversation
	message      mcp.Message
	version      mcp.Version
	ctx          context.Context
	cancel       context.CancelCauseFunc

	mu        sync.Mutex
	send      func(mcp.Message) // to the client, on this request's own stream
	finished  bool              // nothing may be sent any more
	abandoned bool
}

func (r *request) modern() bool { return r.version.Era() == mcp.EraModern }

// emit sends a message that belongs to the request. After the answer it does
// nothing.
func (r *request) emit(m mcp.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.finished && r.send != nil {
		r.send(m)
	}
}

// abandon is what a client's cancelling does.
func (r *request) abandon() {
	r.mu.Lock()
	first := !r.abandoned && !r.finished
	if first {
		r.abandoned = true
	}
	r.mu.Unlock()
	if first {
		r.server.noteCancelled(r.message.ID)
		r.cancel(errAbandoned)
	}
}

// finish stops emit and reports whether the client still waits for the answer.
func (r *request) finish() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finished = true
	return !r.abandoned
}

// serve performs the request, with send for what precedes the answer, and
// returns the answer, zero if the client gave the request up, and its HTTP
// status.
func (r *request) serve(send func(mcp.Message)) (answer mcp.Message, status int) {
	r.mu.Lock()
	r.send = send
	r.mu.Unlock()
	defer r.conversation.end(r)
	result, failure := r.delayed()
	if !r.finish() {
		return mcp.Message{}, 0
	}
	if failure == nil {
		return resultMessage(r.message.ID, result), http.StatusOK
	}
	status = http.StatusOK
	if r.modern() && failure.Code == mcp.CodeMethodNotFound {
		status = http.StatusNotFound
	}
	return errorMessage(r.message.ID, failure), status
}

func (r *request) delayed() (json.RawMessage, *mcp.Error) {
	if delay := r.server.settings.delays[r.message.Method]; delay > 0 {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.ctx.Done():
			return nil, internalError(context.Cause(r.ctx))
		}
	}
	result, failure := r.perform()
	if failure != nil {
		return nil, failure
	}
	if r.modern() {
		result = r.decorate(result)
	}
	return result, nil
}

func internalError(err error) *mcp.Error {
	return &mcp.Error{Code: mcp.CodeInternalError, Message: err.Error()}
}
