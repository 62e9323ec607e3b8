package httplink

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// drainTime and drainBytes bound the reading of what follows an answer. It is
// read so that the connection can be used again; a server that keeps the stream
// open costs a connection, not a goroutine (P8, P26).
const (
	drainTime  = time.Second
	drainBytes = 256 << 10
)

// exchange is one HTTP request and its answer. It is the context of the
// request: it ends with the link, with the caller's context, or when the body
// stalls, and has the caller's values. After the answer it outlives the
// caller's context for the time of the drain.
//
// The timer runs only while a read of the body waits, so that the time a
// callback takes is not taken for silence of the peer.
type exchange struct {
	context.Context // its own
	link            *Link
	values          context.Context // the caller's
	cancel          context.CancelCauseFunc
	unfollow        func() bool // stops following the caller's context; nil if it is a child of that

	keeper         transporters.ContextKeeper // of the caller's context, nil if nobody keeps it
	next, previous *exchange                  // in the link's list of those that have a keeper

	body  io.ReadCloser
	tail  bool          // what follows in the body is worth reading
	stall time.Duration // longest wait for one read; 0 is none
	timer *stallTimer

	statusSuffices bool // the body of a success is not read

	reporting transporters.ReportSink // gets reports that came with the last read; else nil
}

// newKeptExchange is newExchange for a sink that can keep its context: the exchange
// is a child of that, which costs less than following it.
func (l *Link) newKeptExchange(ctx context.Context, sink transporters.Sink) *exchange {
	keeper, ok := sink.(transporters.ContextKeeper)
	if !ok {
		return l.newExchange(ctx)
	}
	x := &exchange{link: l, values: ctx, keeper: keeper}
	x.Context, x.cancel = context.WithCancelCause(ctx)
	l.running.add(x)
	return x
}

// newExchange begins an exchange, which must be ended with finish.
func (l *Link) newExchange(ctx context.Context) *exchange { return l.newExchangeWithin(l.life, ctx) }

// newExchangeWithin is newExchange for what ends with life, before the link.
func (l *Link) newExchangeWithin(life, ctx context.Context) *exchange {
	x := &exchange{link: l, values: ctx}
	x.Context, x.cancel = context.WithCancelCause(life)
	x.unfollow = context.AfterFunc(ctx, func() { x.cancel(context.Cause(ctx)) })
	return x
}

// Value implements context.Context. The link's own chain comes first: there the
// standard library finds what it cancels.
func (x *exchange) Value(key any) any {
	if key == (exchangeKey{}) {
		return x
	}
	if value := x.Context.Value(key); value != nil {
		return value
	}
	return x.values.Value(key)
}

// Read reads the body. A read that takes longer than the stall limit ends the
// exchange.
func (x *exchange) Read(p []byte) (int, error) {
	x.endReports()
	if x.stall <= 0 {
		return x.body.Read(p)
	}
	if x.timer == nil {
		x.timer = x.link.stallTimers.get(x)
	}
	x.timer.start(x.stall)
	n, err := x.body.Read(p)
	x.timer.stop()
	return n, err
}

func (x *exchange) stalled() { x.cancel(stallError(x.stall)) }

// release lets the exchange outlive its caller for the time of the drain.
func (x *exchange) release() {
	x.unfollow()
	time.AfterFunc(drainTime, func() { x.cancel(context.DeadlineExceeded) })
}

// outcome returns why a failed exchange failed: because it was ended, or else
// the error.
func (x *exchange) outcome(err error) error {
	if x.Err() != nil {
		return context.Cause(x)
	}
	return err
}

// finish ends the exchange, at once or after its tail.
func (x *exchange) finish() {
	if x.tail && x.body != nil && x.body != http.NoBody {
		x.drain()
		return
	}
	x.end()
}

// end closes the body and releases everything. What was not read costs the
// connection.
func (x *exchange) end() {
	if x.keeper != nil {
		x.link.running.remove(x)
	} else {
		x.unfollow()
	}
	if x.timer != nil {
		x.link.stallTimers.put(x.timer)
	}
	if x.body != nil {
		_ = x.body.Close()
	}
	x.cancel(context.Canceled)
	if x.link.life.Err() != nil {
		x.link.closeIdle() // Close could not yet end what this exchange was still dialling
	}
}

// drain ends the exchange after its tail has been read in the background. The
// caller's context has no say any more; the link's has.
func (x *exchange) drain() {
	if !x.link.tails.begin() {
		x.end()
		return
	}
	if x.keeper != nil {
		x.keeper.KeepContext()
	} else {
		x.unfollow()
	}
	go func() {
		defer x.link.tails.end()
		if x.keeper != nil {
			defer x.keeper.ReleaseContext()
		}
		defer x.end()
		limit := time.AfterFunc(drainTime, func() { x.cancel(context.DeadlineExceeded) })
		defer limit.Stop()
		_, _ = io.Copy(io.Discard, io.LimitReader(x.body, drainBytes))
	}()
}
