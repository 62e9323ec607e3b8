package stdiolink

import (
	"context"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Exchange sends a request and waits for its answer; events are delivered in
// between, in this goroutine. An answer that has arrived wins over a context
// that has ended (R121). A panic of sink.Deliver passes through, and leaves
// nothing behind.
func (l *Link) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	if ctx.Err() != nil {
		return transporters.Reply{}, fmt.Errorf("%w: %w", errors.ErrNotSent, context.Cause(ctx))
	}
	if err := l.usable(); err != nil {
		return transporters.Reply{}, err
	}
	e, running, err := l.pending.add(out, sink, l.eventBytes)
	switch {
	case errors.Is(err, errTableClosed):
		return transporters.Reply{}, l.lostError(true)
	case err != nil:
		return transporters.Reply{}, fmt.Errorf("%w: another request with id %d or progress token %d is running",
			errors.ErrNotSent, out.ID, out.Token)
	}
	answered := false
	defer func() {
		if !answered {
			l.pending.remove(e)
		}
	}()
	sent, err := l.writer.accept(out.Frame, running > busyFrom, sink.Accepted)
	if err != nil {
		return transporters.Reply{}, l.refused(ctx, err)
	}
	answer, err := l.await(ctx, e, sink, sent)
	if err != nil {
		return transporters.Reply{}, err
	}
	answered = true
	l.pending.reuse(e)
	return transporters.Reply{Message: answer}, nil
}

// busyFrom is the number of running exchanges beyond which a writer yields once,
// so that more frames go out together.
const busyFrom = 2

// await waits for the outcome and delivers what comes before it.
func (l *Link) await(ctx context.Context, e *exchange, sink transporters.Sink, sent frame) (mcp.Message, error) {
	var events <-chan struct{} // none are wanted
	if e.wantEvents {
		events = e.events.Wake
	}
	for {
		select {
		case <-e.settled:
			return l.outcome(e, sink, sent)
		case <-events:
			e.deliver(sink, ctx.Done())
		case <-ctx.Done():
			select {
			case <-e.settled:
				return l.outcome(e, sink, sent)
			default:
				return mcp.Message{}, context.Cause(ctx)
			}
		}
	}
}

// outcome is for who was told that there is one.
func (l *Link) outcome(e *exchange, sink transporters.Sink, sent frame) (mcp.Message, error) {
	switch {
	case e.lost:
		return mcp.Message{}, l.lostError(l.writer.surelyNotSent(sent))
	case e.failure != nil:
		return mcp.Message{}, e.failure
	default:
		if e.wantEvents {
			e.deliver(sink, nil)
		}
		return e.answer, nil
	}
}

// deliver hands over what is queued, until stop is closed or the exchange fails.
func (e *exchange) deliver(sink transporters.Sink, stop <-chan struct{}) {
	for !e.failed.Load() {
		if len(e.held) > 0 {
			if e.deliverReports(sink, stop) {
				return
			}
			continue
		}
		reports, event, ok := e.events.Next()
		if !ok {
			return
		}
		if e.held = reports; len(reports) > 0 {
			continue
		}
		sink.Deliver(event)
		select {
		case <-stop:
			return
		default:
		}
	}
}

// Send puts a notification or an answer into the link's buffer. It does not wait
// until it is written.
func (l *Link) Send(ctx context.Context, out *transporters.Outbound) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", errors.ErrNotSent, context.Cause(ctx))
	}
	if err := l.usable(); err != nil {
		return err
	}
	if _, err := l.writer.accept(out.Frame, false, func() {}); err != nil {
		return l.refused(ctx, err)
	}
	return nil
}

// usable returns why nothing can be sent, or nil.
func (l *Link) usable() error {
	select {
	case <-l.done:
		return l.lostError(true)
	default:
	}
	if !l.started.Load() {
		return fmt.Errorf("%w: the stdio link is not started", errors.ErrNotSent)
	}
	return nil
}

// refused says why the writer took nothing. When the link is ending, the reason
// is there in a moment.
func (l *Link) refused(ctx context.Context, err error) error {
	if !errors.Is(err, errWriterClosed) {
		return err
	}
	select {
	case <-l.done:
		return l.lostError(true)
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errors.ErrNotSent, context.Cause(ctx))
	}
}
