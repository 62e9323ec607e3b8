package session

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
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
func (s *Session) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	s.counters.requests.Add(1)
	result, err := s.request(ctx, action, params, onEvent)
	if err != nil {
		s.counters.failures.Add(1)
	}
	return result, err
}

func (s *Session) request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
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
	if err := s.calls.enter(); err != nil {
		return mcp.Result{}, s.failure(err, action, nil)
	}
	defer s.calls.leave()

	c := newCall(ctx, s, action, encoded, onEvent)
	defer c.finish()
	result, err := s.run(c)
	if err != nil {
		return mcp.Result{}, s.failure(c.explain(err), action, c)
	}
	return result, nil
}

// paramsOf encodes the params, with the call's own _meta members put into theirs.
func paramsOf(params any, meta map[string]any) (*mcp.Params, error) {
	encoded, err := mcp.ParamsOf(params)
	if err != nil || len(meta) == 0 {
		return encoded, err
	}
	merged := map[string]any{}
	if own := encoded.Meta(); own != nil {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(own, &members); err != nil {
			return nil, fmt.Errorf("%w: _meta: %w", errors.ErrInvalidParams, err)
		}
		for key, value := range members {
			merged[key] = value
		}
	}
	maps.Copy(merged, meta)
	return encoded.With("_meta", merged)
}

func checkAction(action string) error {
	switch {
	case action == "":
		return refuse("an empty action", "name a method, for example tools/list")
	case action == mcp.MethodInitialize:
		return refuse(action, "the handshake is done by the session, with the first request")
	case strings.HasPrefix(action, "notifications/"):
		return refuse(action, "it is a notification, which nobody answers")
	default:
		return nil
	}
}

// run sends the call until it is answered or has failed.
func (s *Session) run(c *call) (mcp.Result, error) {
	p, err := s.connected(c.ctx, nil)
	if err != nil {
		return mcp.Result{}, err
	}
	c.renew()
	var sessionRetries int
	var resent, renegotiated bool
	for {
		method, reply, err := s.send(c, p)
		switch {
		case err != nil && errors.Is(err, errors.ErrNotSent) && !p.usable() && !resent && c.ctx.Err() == nil:
			resent = true
			if p, err = s.connected(c.ctx, p); err != nil {
				return mcp.Result{}, err
			}
		case err != nil:
			return mcp.Result{}, err
		case p.era.sessionLost(reply):
			if p.retire() {
				s.counters.sessionsLost.Add(1)
				s.log.Info("the server forgot the session; initializing again", "server", s.server, "status", reply.Status)
			}
			if sessionRetries >= s.settings.MaxSessionRetries {
				return mcp.Result{}, sessionLostFailure(reply, sessionRetries)
			}
			sessionRetries++
			if p, err = s.connected(c.ctx, p); err != nil {
				return mcp.Result{}, notSent(because(errors.ErrSessionLost, err))
			}
			c.renew()
		case isVersionRefusal(p, reply) && !renegotiated:
			renegotiated = true
			p.retire()
			if p, err = s.connected(c.ctx, p); err != nil {
				return mcp.Result{}, err
			}
			c.renew()
		default:
			return s.answer(c, p, method, reply)
		}
	}
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
	out := &transporters.Outbound{
		ID:         c.id,
		Token:      c.token,
		Method:     method,
		Name:       routingName(method, c.params),
		WantEvents: c.wantsEvents(),
	}
	out.Frame = jsonrpc.AppendRequest(nil, c.id, s.settings.IDType == IDTypeString, method, c.params, p.era.meta(), c.token)
	if s.traits.HTTP {
		out.Header = p.era.header(method, out.Name)
	}
	c.waiting.Store(false)
	reply, err = p.link.Exchange(c.ctx, out, c)
	if err != nil && c.ctx.Err() != nil {
		s.abandon(c, p, err)
	}
	c.waiting.Store(false)
	return method, reply, err
}

// routingName is what Mcp-Name holds (R077, R289).
func routingName(method string, params *mcp.Params) string {
	switch method {
	case mcp.MethodCallTool, mcp.MethodGetPrompt:
		return params.Name()
	case mcp.MethodReadResource:
		return params.URI()
	case mcp.MethodGetTask, mcp.MethodUpdateTask, mcp.MethodCancelTask:
		return params.TaskID()
	default:
		return ""
	}
}

// abandon tells the peer, in the background, that nobody waits for the answer
// any more (R119, P83).
func (s *Session) abandon(c *call, p *peer, err error) {
	if !c.waiting.Load() || errors.Is(err, errors.ErrNotSent) || s.ctx.Err() != nil ||
		!p.usable() || !p.era.notifiesCancel(s.traits) {
		return
	}
	id, reason := c.wireID(), errors.PeerText(context.Cause(c.ctx).Error(), 200)
	s.tasks.start(func() {
		params, err := mcp.ParamsOf(struct {
			RequestID mcp.ID `json:"requestId"`
			Reason    string `json:"reason"`
		}{mcp.ID(id), reason})
		if err != nil {
			return
		}
		s.notify(p.link, p.era.header(mcp.NotificationCancelled, ""), mcp.NotificationCancelled, params)
	})
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
	if !isObjectOrArray(reply.Message.Result) {
		return mcp.EnvelopeResult(reply.Message.Raw), nil
	}
	result := mcp.NewResult(reply.Message.Result)
	if err := p.era.checkResult(method, result); err != nil {
		return mcp.Result{}, err
	}
	return result, nil
}

// answeredError: a 401 or a challenge is about authorization, even if its body
// is a JSON-RPC error; everything else is the server's answer.
func (s *Session) answeredError(reply transporters.Reply) error {
	if failure := statusFailure(reply); failure.Kind == errors.KindAuth {
		return failure
	}
	return peerFailure(reply.Message.Failure(), reply)
}

func isObjectOrArray(value []byte) bool {
	return len(value) > 0 && (value[0] == '{' || value[0] == '[')
}
