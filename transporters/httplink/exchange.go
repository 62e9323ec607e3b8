package httplink

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
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
// stalls, and has the caller's values. After the answer it follows the caller's
// context no longer, for the time of the drain.
//
// The timer runs only while a read of the body waits, so that the time a
// callback takes is not taken for silence of the peer.
type exchange struct {
	ending
	link   *Link
	values context.Context // the caller's

	owner          transporters.ContextOwner // tells of the end of the caller's context; nil if that is watched
	unwatch        func() bool               // stops watching it; nil if the owner tells
	unwatchLife    func() bool               // of what ends before the link; nil if that is the link itself
	next, previous *exchange                 // in the link's list

	sent   bytes.Reader // the body of the first request
	header http.Header  // of the request, while http.Client has it; nil if that has the header
	target *url.URL     // of the request, if it was not given to resty

	body  io.ReadCloser
	stall time.Duration // longest wait for one read; 0 is none
	timer *stallTimer

	tail           bool // what follows in the body is worth reading
	statusSuffices bool // the body of a success is not read

	reporting transporters.ReportSink // gets reports that came with the last read; else nil
}

// newExchange begins an exchange, which must be ended with finish.
func (l *Link) newExchange(ctx context.Context) *exchange {
	x := &exchange{link: l, values: ctx}
	x.unwatch = context.AfterFunc(ctx, func() { x.cancel(context.Cause(ctx)) })
	l.running.add(x)
	return x
}

// newExchangeFor is newExchange for a sink that may own the context: then that tells
// of its end, which costs less than to watch for it.
func (l *Link) newExchangeFor(ctx context.Context, sink transporters.Sink) *exchange {
	owner, ok := sink.(transporters.ContextOwner)
	if !ok {
		return l.newExchange(ctx)
	}
	x := &exchange{link: l, values: ctx, owner: owner}
	owner.FollowContext(x)
	l.running.add(x)
	return x
}

// newExchangeWithin is newExchange for what ends with life, before the link.
func (l *Link) newExchangeWithin(ctx, life context.Context) *exchange {
	x := l.newExchange(ctx)
	x.unwatchLife = context.AfterFunc(life, func() { x.cancel(context.Cause(life)) })
	return x
}

// ContextEnded implements transporters.ContextFollower.
func (x *exchange) ContextEnded(cause error) { x.cancel(cause) }

// unfollow lets the exchange outlive the caller's context. It returns false if that
// has ended, and the exchange with it, or if it was called before. An owner is told
// once: the next time it may be followed by another exchange.
func (x *exchange) unfollow() bool {
	if x.owner != nil {
		x.owner.FollowContext(nil)
		x.owner = nil
		return true
	}
	return x.unwatch != nil && x.unwatch()
}

// newBody returns the body of a request. It is of a type that net/http knows: of any
// other it would not know the length, and write head and body apart. Each request
// after the first has one of its own, since the server may have refused that before
// it had read it, and the transport then still sends.
func (x *exchange) newBody(frame []byte) *bytes.Reader {
	if x.sent.Size() > 0 {
		return bytes.NewReader(frame)
	}
	x.sent.Reset(frame)
	return &x.sent
}

// Value implements context.Context.
func (x *exchange) Value(key any) any {
	if key == (exchangeKey{}) {
		return x
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
		x.timer = x.link.kept.stallTimers.get()
	}
	x.timer.start(x, x.stall)
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
	if reason := x.reason(); reason != nil {
		return reason
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
	x.unfollow()
	if x.unwatchLife != nil {
		x.unwatchLife()
	}
	x.link.running.remove(x)
	if x.timer != nil {
		x.link.kept.stallTimers.put(x.timer)
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
	x.unfollow()
	go func() {
		defer x.link.tails.end()
		defer x.end()
		limit := time.AfterFunc(drainTime, func() { x.cancel(context.DeadlineExceeded) })
		defer limit.Stop()
		_, _ = io.Copy(io.Discard, io.LimitReader(x.body, drainBytes))
	}()
}
