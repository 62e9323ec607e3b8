package httplink

import (
	"context"
	"net/http"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// exchangeLegacy is Exchange toward a legacy server: registered before the POST,
// since the answer may come on another stream before this one has begun (P28),
// and resumed if its stream breaks.
//
// It runs in the caller's goroutine, as the modern one does, and hands over what
// other streams bring for it between two events of its own. Only if a standing
// stream is open and somebody wants events, the reading is done beside, so that
// those events come at once.
func (l *Link) exchangeLegacy(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	if err := l.ready(ctx); err != nil {
		return transporters.Reply{}, err
	}
	w, err := l.pending.add(out, sink)
	if err != nil {
		return transporters.Reply{}, err
	}
	defer l.pending.remove(w)
	var reply transporters.Reply
	if out.WantEvents && l.listening.Load() > 0 {
		reply, err = l.converseBeside(ctx, out, w)
	} else {
		reply, err = l.converse(ctx, conversation{link: l, out: out, sink: sink, waiter: w})
	}
	return l.conclude(ctx, w, reply, err)
}

// converse sends the request and reads its stream, through breaks, up to the
// answer.
func (l *Link) converse(ctx context.Context, c conversation) (transporters.Reply, error) {
	reply, err := l.post(ctx, c)
	if err == nil || c.waiter.position.lastEventID == "" || !isBroken(err) || ctx.Err() != nil || l.life.Err() != nil {
		return reply, err
	}
	return l.resume(ctx, c, err)
}

// isBroken reports whether a stream ended by itself before the answer.
func isBroken(err error) bool { return errors.Is(err, errors.ErrPeerLost) }

// conclude returns what an exchange comes to: an answer that another stream
// brought goes before the failure of its own.
func (l *Link) conclude(ctx context.Context, w *waiter, reply transporters.Reply, err error) (transporters.Reply, error) {
	if err == nil && !reply.Message.IsZero() || !w.settled.Load() {
		w.deliver(w.sink, nil)
		return reply, err
	}
	if w.err != nil {
		return transporters.Reply{}, w.err
	}
	w.deliver(w.sink, nil)
	return transporters.Reply{Message: l.hideSecrets(ctx, *w.answer), Status: http.StatusOK}, nil
}

// converseBeside is converse in a goroutine of its own, whose events come to
// this one, as those of other streams do.
func (l *Link) converseBeside(ctx context.Context, out *transporters.Outbound, w *waiter) (transporters.Reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type outcome struct {
		reply transporters.Reply
		err   error
	}
	finished := make(chan outcome, 1)
	own := &relay{Sink: w.sink, events: make(chan mcp.Message), done: ctx.Done()}
	go func() {
		reply, err := l.converse(ctx, conversation{link: l, out: out, sink: own, waiter: w, beside: true})
		finished <- outcome{reply, err}
	}()
	for {
		select {
		case m := <-own.events:
			w.deliver(w.sink, nil)
			w.sink.Deliver(m)
		case <-w.wake():
			w.deliver(w.sink, nil)
		case o := <-finished:
			return o.reply, o.err
		}
	}
}

// relay passes the events of an exchange to the goroutine that called it, one by
// one, so that a slow callback still slows down the stream.
type relay struct {
	transporters.Sink
	events chan mcp.Message
	done   <-chan struct{} // nobody takes them any more
}

// Deliver implements transporters.Sink.
func (r *relay) Deliver(m mcp.Message) {
	select {
	case r.events <- m:
	case <-r.done:
	}
}
