package session

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// serving is the requests of legacy servers that are being answered. They are
// keyed by the link they came on and their id, so that a cancellation finds the
// right one.
type serving struct {
	mu      sync.Mutex
	running map[servedKey]*served
}

type servedKey struct {
	from transporters.Link
	id   string
}

// served is one request of a server.
type served struct {
	session  *Session
	from     transporters.Link
	request  mcp.Message
	header   http.Header
	ctx      context.Context
	cancel   context.CancelCauseFunc
	call     *call // whose response it came on, nil if that is not known
	canceled bool
}

// begin registers a request. It returns false if its id is in use.
func (s *serving) begin(r *served) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := servedKey{r.from, r.request.ID.String()}
	if s.running[key] != nil {
		return false
	}
	if s.running == nil {
		s.running = map[servedKey]*served{}
	}
	s.running[key] = r
	return true
}

// end removes a request, and reports whether its answer is still wanted.
func (s *serving) end(r *served) (wanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, servedKey{r.from, r.request.ID.String()})
	if r.call != nil {
		r.call.pauses.end()
	}
	return !r.canceled
}

// cancel ends the handler of a request, if it is running (R122, R124).
func (s *serving) cancel(from transporters.Link, id mcp.ID, reason string) {
	s.mu.Lock()
	r := s.running[servedKey{from, id.String()}]
	if r != nil {
		r.canceled = true
	}
	s.mu.Unlock()
	if r != nil {
		r.cancel(fmt.Errorf("the server cancelled its request: %s", errors.PeerText(reason, 200)))
	}
}

// belongsTo tells that a running request came on the response of a call: the
// call's clock stands still until it is answered (P53), and the handler sees
// the values of the caller's context.
func (s *serving) belongsTo(from transporters.Link, id mcp.ID, c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.running[servedKey{from, id.String()}]; r != nil && r.call == nil {
		r.call = c
		c.pauses.begin()
	}
}

// serve answers a server's request. It runs in the link's reader. Toward a
// modern server nothing is answered: it must not send requests (R010). During
// the negotiation there is no current peer yet, and the answer goes to the very
// link the request came from (S15).
func (s *Session) serve(from transporters.Link, m mcp.Message) {
	header := baseHeader()
	if p := s.current.Load(); p != nil && p.link == from && p.usable() {
		if !p.era.answersRequests() {
			s.log.Warn("dropped a request: the server speaks a version that has none", "server", s.server, "method", errors.PeerText(m.Method, 100))
			return
		}
		header = p.era.header(m.Method, "")
	}
	r := &served{session: s, from: from, request: m, header: header}
	if m.Method == mcp.MethodPing || !s.handlers.serves(m.Method, m.Params, mcp.EraLegacy) {
		s.startAnswer(r, r.answerAtOnce)
		return
	}
	r.ctx, r.cancel = context.WithCancelCause(s.ctx)
	if !s.serving.begin(r) {
		r.cancel(nil)
		s.startAnswer(r, func() {
			r.refuse(&mcp.Error{Code: mcp.CodeInvalidRequest, Message: "a request with this id is being served"})
		})
		return
	}
	if !s.traits.HTTP {
		s.pauses.begin() // which call it is about is not known
	}
	if s.tasks.startBelow(maxServed, r.run) {
		return
	}
	r.release()
	s.startAnswer(r, func() {
		r.refuse(&mcp.Error{Code: mcp.CodeOverloaded, Message: "overloaded: too many requests at once"})
	})
}

// startAnswer runs what only writes an answer.
func (s *Session) startAnswer(r *served, answer func()) {
	if !s.tasks.start(answer) {
		s.log.Warn("dropped a request: too many at once", "server", s.server, "method", errors.PeerText(r.request.Method, 100))
	}
}

// run calls the handler and sends its answer.
func (r *served) run() {
	result, err := r.session.handlers.handle(r.handlerContext(), r.session.server, r.request.Method, r.request.Params)
	if !r.release() {
		return // cancelled: the answer is suppressed
	}
	failure, told := errors.AsType[*mcp.Error](err)
	switch {
	case err == nil:
		r.send(jsonrpc.AppendResult(nil, r.request.ID, result))
	case told:
		r.refuse(failure)
	default:
		r.session.log.Error("serving a request of the server failed", "server", r.session.server, "method", errors.PeerText(r.request.Method, 100), "error", err)
		r.refuse(&mcp.Error{Code: mcp.CodeInternalError, Message: "internal error"})
	}
}

// handlerContext ends with the request, and has the caller's values where the
// request came on the response of a call.
func (r *served) handlerContext() context.Context {
	r.session.serving.mu.Lock()
	defer r.session.serving.mu.Unlock()
	if r.call == nil {
		return r.ctx
	}
	return callContext{r.ctx, r.call.caller}
}

// release ends the bookkeeping and reports whether the answer is wanted.
func (r *served) release() bool {
	wanted := r.session.serving.end(r)
	r.cancel(nil)
	if !r.session.traits.HTTP {
		r.session.pauses.end()
	}
	return wanted
}

func (r *served) answerAtOnce() {
	if r.request.Method == mcp.MethodPing {
		r.send(jsonrpc.AppendResult(nil, r.request.ID, []byte("{}"))) // R137
		return
	}
	if r.request.Method == mcp.MethodElicit && (r.session.handlers.ElicitForm != nil || r.session.handlers.ElicitURL != nil) {
		r.refuse(&mcp.Error{Code: mcp.CodeInvalidParams, Message: "this mode of elicitation was not announced"}) // R194
		return
	}
	r.refuse(notServed(r.request.Method)) // R058
}

func (r *served) refuse(failure *mcp.Error) {
	r.send(jsonrpc.AppendError(nil, r.request.ID, failure))
}

func (r *served) send(frame []byte) {
	s := r.session
	ctx, cancel := context.WithTimeout(s.ctx, noticeTimeout)
	defer cancel()
	out := &transporters.Outbound{Frame: frame, Method: r.request.Method}
	if s.traits.HTTP {
		out.Header = r.header
	}
	if err := r.from.Send(ctx, out); err != nil {
		s.log.Debug("could not answer the server's request", "server", s.server, "method", errors.PeerText(r.request.Method, 100), "error", err)
	}
}

// cancelled handles notifications/cancelled of a legacy server.
func (s *Session) cancelled(from transporters.Link, m mcp.Message) {
	id, ok := jsonrpc.RequestID(m.Params)
	if !ok {
		return
	}
	if p := s.current.Load(); p != nil && p.link == from && !p.era.answersRequests() {
		s.subscriptions.endedByServer(id) // R123
		return
	}
	var params struct{ Reason string }
	_ = json.Unmarshal(m.Params, &params) // a reason that is not text is none
	if s.handlers.Cancelled != nil {
		s.notifications.Offer(0, func() { s.handlers.Cancelled(s.server, id, params.Reason) })
		return
	}
	s.serving.cancel(from, id, params.Reason)
}
