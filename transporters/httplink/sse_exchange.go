package httplink

import (
	"context"
	"net/http"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// posted is what became of a POST that was not accepted.
type posted struct {
	reply transporters.Reply
	err   error
}

// Exchange implements transporters.Link: the request is posted, any 2xx accepts
// it, and the answer comes on the stream (R114). Another status is a Reply. The
// answer's Reply has the status 200 and no header.
func (s *SSELink) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	if err := s.usable(ctx); err != nil {
		return transporters.Reply{}, err
	}
	w, err := s.pending.add(out, sink) // before the POST: the answer may be faster than its response
	if err != nil {
		return transporters.Reply{}, err
	}
	defer s.pending.remove(w)
	x := s.http.newExchangeWithin(ctx, s.life)
	sink.Accepted()
	refused := make(chan posted, 1)
	sent := *out // which is only lent until Exchange returns
	if !s.spawn(func() { s.post(x, &sent, w, refused) }) {
		x.end()
		return transporters.Reply{}, s.gone()
	}
	reply, err := s.await(ctx, w, refused)
	if w.settled.Load() {
		x.release()
	} else {
		x.cancel(context.Canceled)
	}
	return s.http.conclude(ctx, w, reply, err)
}

// post sends the request, and tells if it was not accepted.
func (s *SSELink) post(x *exchange, out *transporters.Outbound, w *waiter, refused chan<- posted) {
	defer x.finish()
	x.statusSuffices = true
	l := s.http
	response, err := l.perform(x, http.MethodPost, *s.target.Load(), out.Frame, out.Header)
	if err != nil {
		refused <- posted{err: x.outcome(err)}
		return
	}
	if isSuccess(response.StatusCode) {
		x.tail = response.ContentLength != 0
		return
	}
	x.stall = l.readTimeout
	reply, err := l.receiveStatus(x, response, mediaTypeOf(response.Header), conversation{link: l, out: out, sink: w.sink})
	if err != nil {
		err = x.outcome(err)
	}
	refused <- posted{reply, err}
}

// await waits for the answer and delivers what comes before it.
func (s *SSELink) await(ctx context.Context, w *waiter, refused <-chan posted) (transporters.Reply, error) {
	for {
		select {
		case <-w.settlement():
			return transporters.Reply{}, errSettled
		case <-w.wake():
			w.deliver(w.sink, ctx.Done())
		case p := <-refused:
			s.checkStatus(p.reply.Status)
			return p.reply, p.err
		case <-ctx.Done():
			return transporters.Reply{}, context.Cause(ctx)
		case <-s.life.Done():
			return transporters.Reply{}, context.Cause(s.life)
		}
	}
}

// checkStatus ends the link if the server no longer knows it, so that the next
// call gets another one instead of the same refusal (B72).
func (s *SSELink) checkStatus(status int) {
	if status == http.StatusNotFound || status == http.StatusGone {
		s.end(peerLost("the server no longer knows the endpoint that its event stream named", nil))
	}
}

// Send implements transporters.Link: one POST, for which any 2xx status is
// success.
func (s *SSELink) Send(ctx context.Context, out *transporters.Outbound) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	l := s.http
	x := l.newExchangeWithin(ctx, s.life)
	defer x.finish()
	x.statusSuffices = true
	response, err := l.perform(x, http.MethodPost, *s.target.Load(), out.Frame, out.Header)
	if err != nil {
		return x.outcome(err)
	}
	if isSuccess(response.StatusCode) {
		x.tail = response.ContentLength != 0
		return nil
	}
	err = l.statusError(x, response)
	s.checkStatus(response.StatusCode)
	return err
}
