package session

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// noticeTimeout bounds the writing of a cancel notice or an answer to the
// server, which happen in the background.
const noticeTimeout = 5 * time.Second

// Request sends the action and returns its result; see
// transporters.Transporter. The first request does the handshake. The actions
// "initialize" and "notifications/..." are the session's own and are refused.
//
// If the server forgot the HTTP session, it is initialized again, once for all
// who noticed, and the request sent once more under a new id, up to
// max_session_retries times (R101). A request that surely was not sent because
// the peer was found dead is sent once more to its replacement. Nothing else is
// ever sent again.
func (s *Session) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (result mcp.Result, err error) {
	began := s.meter.Begin()
	defer func() { s.meter.End(began, action, err) }() // also where the caller's callback panics
	return s.request(ctx, began, action, params, onEvent)
}

func (s *Session) request(ctx context.Context, began time.Time, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	if err := checkAction(action); err != nil {
		return mcp.Result{}, s.failure(err, action, nil)
	}
	encoded, err := paramsOf(params, transporters.CallOptionsOf(ctx).Meta)
	if err != nil {
		return mcp.Result{}, s.failure(notSent(err), action, nil)
	}
	if ctx.Err() != nil {
		return mcp.Result{}, s.failure(notSent(callerEnded{ctx.Err(), context.Cause(ctx)}), action, nil)
	}
	c := newCall(ctx, s, began, action, encoded, onEvent)
	defer c.finish()
	if err := s.calls.enter(c); err != nil {
		return mcp.Result{}, s.failure(err, action, nil)
	}
	if trail := c.options.Trail; trail != nil && trail.Begin(action) {
		c.reason = transporters.AttemptRetry
	}
	result, err := s.run(c)
	if err != nil {
		s.awaitClosed(c.ctx)
		return mcp.Result{}, s.failure(c.explain(err), action, c)
	}
	c.answered = true
	return result, nil
}

// run sends the call until it is answered or has failed.
func (s *Session) run(c *call) (mcp.Result, error) {
	p, err := s.connected(c.ctx, nil)
	if err != nil {
		return mcp.Result{}, err
	}
	if c.action == mcp.MethodSetLevel {
		if err := s.logLevel.set(c.params); err != nil {
			return mcp.Result{}, err
		}
		if p.info.Era == mcp.EraModern {
			return mcp.NewResult(json.RawMessage("{}")), nil // told with every request from now on
		}
	}
	c.renew(c.reason)
	var sessionRetries, rounds int
	var resent, renegotiated, relisted, visited bool
	for {
		method, reply, err := s.send(c, p)
		switch {
		case err != nil && s.mayReplay(c, p, err):
			c.reason = transporters.AttemptReplayed
			if p, err = s.awaitReplay(c, p, err); err != nil {
				return mcp.Result{}, err
			}
		case err != nil && errors.Is(err, errors.ErrNotSent) && !p.usable() && !resent && c.ctx.Err() == nil:
			resent = true
			c.reason = transporters.AttemptResent
			if s.isReplacing() {
				p, err = s.awaitReplay(c, p, err)
			} else {
				p, err = s.connected(c.ctx, p)
			}
			if err != nil {
				return mcp.Result{}, notSent(err)
			}
		case err != nil && s.reconnecting != nil && spent(s.link) && errors.Is(err, errors.ErrPeerLost):
			return mcp.Result{}, because(s.link.Err(), err) // it was the last one
		case err != nil:
			return mcp.Result{}, err
		case p.era.sessionLost(reply):
			if s.forgotten(p) {
				s.log.Info("the server forgot the session; initializing again", "server", s.server, "status", reply.Status)
			}
			if sessionRetries >= s.settings.MaxSessionRetries {
				return mcp.Result{}, sessionLostFailure(reply, sessionRetries)
			}
			sessionRetries++
			if p, err = s.connected(c.ctx, p); err != nil {
				return mcp.Result{}, notSent(because(errors.ErrSessionLost, err))
			}
			c.renew(transporters.AttemptSessionRecovered)
		case isVersionRefusal(p, reply) && !renegotiated:
			renegotiated = true
			s.retire(p, errors.ErrVersionMismatch)
			if p, err = s.connected(c.ctx, p); err != nil {
				return mcp.Result{}, err
			}
			c.renew(transporters.AttemptRenegotiated)
		case s.isHeaderMismatch(p, method, reply) && !relisted:
			relisted = true
			s.relist(c, p, c.params.Name())
			c.renew(transporters.AttemptRelisted)
		default:
			result, err := s.answer(c, p, method, reply)
			if pages := s.pagesToVisit(c, p, reply); pages != nil && !visited {
				visited = true
				if err := s.visit(c, pages, err); err != nil {
					return mcp.Result{}, err
				}
				c.renew(transporters.AttemptVisited)
				continue
			}
			if err != nil || p.info.Era != mcp.EraModern || result.Type() != mcp.ResultInputRequired {
				return result, err
			}
			next, err := s.nextRound(c, result, rounds)
			if err != nil || next == nil {
				return result, err
			}
			rounds++
			c.params = next
			c.renew(transporters.AttemptInput)
		}
	}
}

// isHeaderMismatch: the server found other mirrored arguments than it expected,
// perhaps because the tool has changed (R086).
func (s *Session) isHeaderMismatch(p *peer, method string, reply transporters.Reply) bool {
	failure := reply.Message.Failure()
	return failure != nil && failure.Code == mcp.CodeHeaderMismatch && method == mcp.MethodCallTool && s.mirrorsHeaders(p)
}

// isVersionRefusal: a modern server no longer speaks the version it was asked
// in (R039).
func isVersionRefusal(p *peer, reply transporters.Reply) bool {
	failure := reply.Message.Failure()
	return failure != nil && failure.Code == mcp.CodeUnsupportedProtocolVersion && p.era.version().Era() == mcp.EraModern
}

func sessionLostFailure(reply transporters.Reply, retries int) error {
	failure := statusFailure(reply)
	failure.Kind, failure.Err, failure.Delivery = errors.KindSession, errors.ErrSessionLost, errors.DeliveryRefused
	if retries > 0 {
		failure.Message += ": lost again after initializing again"
	}
	return failure
}

// send makes one attempt on one peer.
func (s *Session) send(c *call, p *peer) (method string, reply transporters.Reply, err error) {
	method, err = p.era.translate(c.action)
	if err != nil {
		return "", reply, err
	}
	out := &c.out
	*out = transporters.Outbound{
		ID:         c.id,
		Token:      c.token,
		Method:     method,
		Name:       transporters.NameOf(method, c.params),
		WantEvents: c.wantsEvents() || s.observers.WantMessages(),
	}
	var buffer *frameBuffer
	if s.traits.CopiesFrames {
		buffer = s.frames.take()
		out.Frame = buffer.bytes[:0]
	}
	out.Frame = jsonrpc.AppendRequest(out.Frame, c.id, s.settings.IDType == IDTypeString, method, c.params, s.members(p, c.params), c.token)
	if s.traits.HTTP {
		out.Header = p.era.header(method, out.Name)
		out.Resumable = p.era.version().Era() == mcp.EraLegacy
		out.WantEvents = out.WantEvents || out.Resumable && s.handlers.isAny() // to see which call a request is about
		if method == mcp.MethodCallTool && s.mirrorsHeaders(p) {
			if out.Header, err = s.mirrored(out.Header, c.params); err != nil {
				return "", reply, err
			}
		}
	}
	c.waiting.Store(false)
	c.link = p.link
	ctx, told := c.ctx, s.beginAttempt(c, p)
	if told != nil {
		ctx = told.ctx
	}
	returned := false
	defer func() {
		if buffer != nil && returned {
			buffer.bytes, out.Frame = out.Frame, nil
			s.frames.keep(buffer)
		}
		told.end(reply, err)
		if !returned || err != nil && (c.ctx.Err() != nil || errors.Is(err, errors.ErrDeliveryDropped)) {
			s.abandon(c, p, err) // also where the caller's callback panicked
		}
		c.waiting.Store(false)
		if c.replay != nil {
			c.replay.settle()
			c.replay = nil
		}
	}()
	reply, err = p.link.Exchange(ctx, out, c)
	returned = true
	if err != nil {
		c.isExposed = true
	}
	c.shown = c.onEvent != nil
	if err == nil && !reply.Message.IsZero() && s.seen(reply.Message) {
		c.shown = true
	}
	return method, reply, err
}

// abandon tells the peer, in the background, that nobody waits for the answer
// any more (R119, P83).
func (s *Session) abandon(c *call, p *peer, err error) {
	if !c.waiting.Load() || errors.Is(err, errors.ErrNotSent) || s.ctx.Err() != nil ||
		!p.usable() || !p.era.notifiesCancel(s.traits) {
		return
	}
	reason := "the caller failed"
	if cause := context.Cause(c.ctx); cause != nil {
		reason = errors.PeerText(cause.Error(), 200)
	} else if err != nil {
		reason = errors.PeerText(err.Error(), 200)
	}
	s.sendCancel(p, c.wireID(), reason)
}

// notify sends a notification, bounded, on the connection's context.
func (s *Session) notify(link transporters.Link, header map[string][]string, method string, params *mcp.Params) {
	ctx, cancel := context.WithTimeout(s.ctx, noticeTimeout)
	defer cancel()
	out := &transporters.Outbound{Frame: jsonrpc.AppendNotification(nil, method, params, nil), Method: method, Header: header}
	if err := link.Send(ctx, out); err != nil {
		s.log.Debug("could not send a notification", "server", s.server, "method", method, "error", err)
	}
}

// answer turns the reply into the result, after the caller's callback has seen
// it.
func (s *Session) answer(c *call, p *peer, method string, reply transporters.Reply) (mcp.Result, error) {
	if reply.Message.IsZero() {
		return mcp.Result{}, statusFailure(reply)
	}
	if c.onEvent != nil {
		c.onEvent(reply.Message)
	}
	if reply.Message.Error != nil {
		return mcp.Result{}, s.answeredError(reply)
	}
	result := s.resultOf(c, method, &reply.Message)
	if result.IsEnvelope() {
		return result, nil
	}
	if err := p.era.checkResult(method, result); err != nil {
		return mcp.Result{}, err
	}
	if method == mcp.MethodListTools && s.mirrorsHeaders(p) {
		result = s.listedTools(result)
	}
	return result, nil
}

// resultOf: the answer of a tool that nobody else has seen, from a link that hands
// its bytes over, is the result's own.
func (s *Session) resultOf(c *call, method string, m *mcp.Message) mcp.Result {
	if s.ownsMessages && method == mcp.MethodCallTool && !c.shown {
		return mcp.OwnedResultOf(m)
	}
	return mcp.ResultOf(m)
}

// answeredError: a 401 or a challenge is about authorization, even if its body
// is a JSON-RPC error; everything else is the server's answer.
func (s *Session) answeredError(reply transporters.Reply) error {
	if failure := statusFailure(reply); failure.Kind == errors.KindAuth {
		return failure
	}
	return peerFailure(reply.Message.Failure(), reply)
}
