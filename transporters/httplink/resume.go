package httplink

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	// maxResumes bounds the attempts in a row that fail or bring no new event.
	maxResumes = 5
	// firstPatience is how long a stream that was taken up again may be silent,
	// its headers included. Some servers replay what was sent before the GET, and
	// nothing that comes later, so one has to ask again. It doubles once, which is
	// longer than the interval of the usual keep-alive comments.
	firstPatience = 10 * time.Second
	lastPatience  = 20 * time.Second
)

// resumption takes the stream of one exchange up again until the answer comes
// (R107-R109). The first attempt after a break comes after exactly the
// pause the server gave; only failed attempts make the pause longer (P24). A
// silent one is no failure: it is bounded by the caller's deadlines alone.
type resumption struct {
	link       *Link
	c          conversation
	broken     error // why the first stream ended
	failures   int   // in a row
	patience   time.Duration
	retryAfter time.Duration // what the last refusal asked for
}

// resume is called with why the stream broke.
func (l *Link) resume(ctx context.Context, c conversation, broken error) (transporters.Reply, error) {
	r := resumption{link: l, c: c, broken: broken, patience: firstPatience}
	position := &c.waiter.position
	for position.lastEventID != "" {
		if err := r.wait(ctx, max(position.pause(r.failures), r.retryAfter)); err != nil {
			return transporters.Reply{}, err
		}
		before := position.lastEventID
		l.log.Debug("taking up a broken stream again", "server", l.server, "method", c.out.Method, "failures", r.failures)
		reply, err := r.attempt(ctx)
		if err == nil {
			return reply, nil
		}
		if ctx.Err() != nil || l.life.Err() != nil || c.waiter.settled.Load() {
			return transporters.Reply{}, err
		}
		if final := r.judge(err, position.lastEventID != before); final != nil {
			return transporters.Reply{}, final
		}
	}
	return transporters.Reply{}, r.failed(errors.New("the server has withdrawn the event id to resume from"))
}

// judge keeps account of an attempt that brought no answer, and returns an error
// if it was the last one.
func (r *resumption) judge(err error, progress bool) error {
	refusal, ok := errors.AsType[*errors.TransporterRequestError](err)
	refused := ok && refusal.Status != 0
	r.retryAfter = 0
	switch {
	case refused && !isTemporary(refusal.Status), !isBroken(err) && !errors.Is(err, errors.ErrNotSent):
		return r.failed(err)
	case progress:
		r.failures, r.patience = 0, firstPatience
		return nil
	case errors.Is(err, errStalled):
		r.patience = lastPatience
		return nil
	case refused:
		r.retryAfter = min(refusal.RetryAfter, longestBackoff)
	}
	if r.failures++; r.failures >= maxResumes {
		return r.failed(err)
	}
	return nil
}

// attempt makes one GET and reads its stream up to the answer. Everything else
// is an error.
func (r *resumption) attempt(ctx context.Context) (transporters.Reply, error) {
	l, c := r.link, r.c
	c.patience = r.patience
	x := l.newExchange(ctx)
	defer x.finish()
	if err := l.ended(ctx); err != nil {
		return transporters.Reply{}, err
	}
	c.follow(x)
	silence := time.AfterFunc(c.patience, func() { x.cancel(stallError(c.patience)) })
	response, err := l.perform(x, http.MethodGet, l.endpoint.target, nil, c.waiter.position.streamHeader(c.out.Header))
	silence.Stop()
	if err != nil {
		return transporters.Reply{}, x.outcome(err)
	}
	reply, err := l.receive(x, response, c)
	switch {
	case err != nil:
		return transporters.Reply{}, x.outcome(err)
	case reply.Message.IsZero():
		return transporters.Reply{}, r.refused(reply)
	default:
		return reply, nil
	}
}

// wait waits until it is time for the next attempt, handing over what other
// streams bring.
func (r *resumption) wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	w, wake := r.c.waiter, r.c.waiter.wake()
	if r.c.beside {
		wake = nil
	}
	for {
		select {
		case <-timer.C:
			return nil
		case <-wake:
			w.deliver(r.c.sink, ctx.Done())
		case <-w.settlement():
			return errSettled
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-r.link.life.Done():
			return context.Cause(r.link.life)
		}
	}
}

// isTemporary reports whether a refusal may be gone the next time. 409: the
// server has not noticed the end of the stream before.
func isTemporary(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented:
		return false
	default:
		return status >= 500
	}
}

// refused is the error of a status that the GET was answered with. Whatever it
// is, the request itself was taken before.
func (r *resumption) refused(reply transporters.Reply) error {
	refusal := &errors.TransporterRequestError{
		Kind:       errors.KindTransport,
		Status:     reply.Status,
		RetryAfter: transporters.RetryAfter(reply.Header, time.Now()),
		Snippet:    errors.PeerText(string(reply.Body), snippetBytes),
	}
	text := "the event stream broke before the answer, and the server refuses to resume it"
	is := []error{errors.ErrPeerLost}
	switch {
	case reply.Status == http.StatusMethodNotAllowed:
		text = "the event stream broke before the answer, and the server cannot resume streams, although it gave an event id"
	case isSessionLoss(reply.Status, r.c.out.Header):
		text = "the event stream broke before the answer, and meanwhile the server lost the session"
		refusal.Kind, is = errors.KindSession, append(is, errors.ErrSessionLost)
	}
	refusal.Err = &cause{text, is}
	return refusal
}

// isSessionLoss holds R101.
func isSessionLoss(status int, header http.Header) bool {
	return status == http.StatusNotFound && header.Get(mcp.HeaderSessionID) != ""
}

// failed is the error of an exchange whose stream could not be resumed. That a
// GET was not sent must not look as if the request was not.
func (r *resumption) failed(last error) error {
	if refusal, ok := errors.AsType[*errors.TransporterRequestError](last); ok && refusal.Status != 0 && isBroken(last) {
		return last // from refused
	}
	if errors.Is(last, errUnusable) {
		return last
	}
	return peerLost("the event stream broke before the answer ("+detail(r.broken)+") and could not be resumed: "+detail(last), nil)
}

// detail is what an error says without the name of the server, which only the
// session knows.
func detail(err error) string {
	if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
		return strings.TrimPrefix(failure.Error(), `mcp server "": `)
	}
	return err.Error()
}
