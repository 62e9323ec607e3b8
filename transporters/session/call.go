package session

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/pause"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// call is the state of one request, from its creation to its return, over
// however many attempts. It is the Sink of its exchanges.
//
// Its context derives from the connection's, takes its values from the
// caller's, and ends with a cause: the caller's own end, one of the deadlines,
// or the close of the session. context.Canceled therefore shows in an error
// only if the caller's context ended.
//
// It has two deadlines, which the session's timer watches. The ceiling runs from
// the creation of the call, connecting included. The idle deadline runs while the
// peer has the request: from the link's Accepted, restarted by each Arrived, and
// not while the caller's own callback runs. Arrived only stores a time; it is
// looked at when the timer fires.
//
// A call that was answered, and of which nobody can have kept anything, is used
// for another one (see isRecyclable), with its context, which makes up most of
// what a call costs.
type call struct {
	request

	// What outlives a request, if the call is used again.
	session *Session
	ctx     context.Context // &scope
	scope   callScope
	cancel  context.CancelCauseFunc
}

// request is what a call knows of the request at hand.
type request struct {
	action   string
	params   *mcp.Params // of the present round
	original *mcp.Params // of the first one
	onEvent  transporters.EventFunc
	options  *transporters.CallOptions

	caller     context.Context
	stopCaller func() bool // nil if the caller's context never ends

	following sync.Mutex // guards the next two
	follower  transporters.ContextFollower
	ended     error // why ctx ended

	out transporters.Outbound // of the present attempt

	attempt  atomic.Uint64              // id, for Abort
	reason   transporters.AttemptReason // of the next attempt
	attempts int                        // that hooks were told of

	next, previous *call // in calls
	isWatched      bool  // it is one of them
	isRunning      bool  // and counts as a request

	id     uint64
	token  uint64
	link   transporters.Link // of the present attempt
	replay *ticket           // if the present attempt sends a lost request again
	shown  bool              // others than the call have the answer

	created   time.Time
	idle      time.Duration // 0 is off
	ceiling   time.Duration // 0 is off
	answered  bool          // the caller gets a result
	isExposed bool          // others may hold the call, or its context

	waiting    atomic.Bool  // the peer has the request
	delivering atomic.Bool  // the caller's callback is running
	lastSign   atomic.Int64 // nanoseconds after created

	pauses       pauses        // while handlers answer what this call made the server ask
	pausedBefore time.Duration // of the session's pauses, when the call was created
}

// callContext is the connection's cancellation with the caller's values.
type callContext struct {
	context.Context
	values context.Context
}

// Value asks the connection's side first: the context package looks its own
// cancellation up this way.
func (c callContext) Value(key any) any {
	if value := c.Context.Value(key); value != nil {
		return value
	}
	return c.values.Value(key)
}

// callScope is the context of a call. Who asks somebody within it stops the
// call's clock (P53).
type callScope struct {
	callContext
	call *call
}

// Value answers for the call's clock, and else as callContext does.
func (c *callScope) Value(key any) any {
	if key == (pause.Key{}) {
		return c.call
	}
	return c.callContext.Value(key)
}

// Pause implements pause.Pauser.
func (c *call) Pause() (resume func()) {
	c.pauses.begin()
	return c.pauses.end
}

// newCall begins a call, at a time that was just now. Its deadlines count from
// then, but nobody looks at them before it enters calls. It must be finished.
func newCall(ctx context.Context, s *Session, began time.Time, action string, params *mcp.Params, onEvent transporters.EventFunc) *call {
	var c *call
	if s.traits.ReleasesCalls {
		c = s.calls.take()
	}
	if c == nil {
		c = &call{session: s}
		inner, cancel := context.WithCancelCause(s.ctx)
		c.scope, c.cancel = callScope{callContext{inner, nil}, c}, cancel
		c.ctx = &c.scope
	}
	c.action, c.params, c.original, c.onEvent = action, params, params, onEvent
	c.options = transporters.CallOptionsOf(ctx)
	c.caller, c.scope.values = ctx, ctx
	c.created = began
	if ctx.Done() != nil {
		c.stopCaller = context.AfterFunc(ctx, c.callerEnded)
	}
	c.pausedBefore = s.pauses.total()
	c.setDeadlines()
	return c
}

// callerEnded runs when the caller's context ends.
func (c *call) callerEnded() {
	c.end(callerEnded{c.caller.Err(), context.Cause(c.caller)})
}

// setDeadlines resolves the call's limits: per call, else configured. An idle
// limit raised for the call raises the ceiling too, unless the call has a
// ceiling of its own.
func (c *call) setDeadlines() {
	c.idle = limit(c.options.RequestTimeout, c.session.settings.RequestTimeout.Or(0))
	c.ceiling = limit(c.options.MaxRequestTimeout, c.session.settings.MaxRequestTimeout.Or(0))
	if c.ceiling > 0 && c.options.RequestTimeout != nil && c.options.MaxRequestTimeout == nil {
		c.ceiling = max(c.ceiling, c.idle)
	}
}

func limit(perCall *time.Duration, configured time.Duration) time.Duration {
	if perCall != nil {
		return max(*perCall, 0)
	}
	return configured
}

// untilNext returns how long after elapsed the deadlines are to be looked at
// again; 0 if there are none.
func (c *call) untilNext(elapsed time.Duration) time.Duration {
	var next time.Duration
	if c.ceiling > 0 {
		next = c.ceiling - elapsed
	}
	if c.idle > 0 {
		untilIdle := c.idle
		if c.isWaiting() {
			untilIdle = c.idle - (elapsed - time.Duration(c.lastSign.Load()))
		}
		if next == 0 || untilIdle < next {
			next = untilIdle
		}
	}
	return next
}

func (c *call) isWaiting() bool { return c.waiting.Load() && !c.delivering.Load() }

// check ends the call if a deadline has passed, and else returns how long after now
// it is to be checked again; 0 if that need not be.
func (c *call) check(now time.Time) (wait time.Duration) {
	if c.idle == 0 && c.ceiling == 0 || c.ctx.Err() != nil {
		return 0
	}
	asking, asked := c.asked()
	if asking {
		return c.shortest()
	}
	elapsed := now.Sub(c.created)
	switch {
	case c.ceiling > 0 && elapsed-asked >= c.ceiling:
		c.end(fmt.Errorf("%w: not answered within %v (max_request_timeout)", errors.ErrRequestTimeout, c.ceiling))
		return 0
	case c.idle > 0 && c.isWaiting() && elapsed-time.Duration(c.lastSign.Load()) >= c.idle:
		c.end(fmt.Errorf("%w: no sign of life for %v (request_timeout)", errors.ErrRequestTimeout, c.idle))
		return 0
	default:
		return max(c.untilNext(elapsed-asked), time.Millisecond)
	}
}

// asked reports whether somebody is being asked on the server's behalf now, and
// how long that took in all before. The end of such a time is a sign of life.
func (c *call) asked() (now bool, total time.Duration) {
	own, ownTotal, ownEnd := c.pauses.state()
	shared, sharedTotal, sharedEnd := c.session.pauses.state()
	for _, end := range []time.Time{ownEnd, sharedEnd} {
		if since := end.Sub(c.created); int64(since) > c.lastSign.Load() {
			c.lastSign.Store(int64(since))
		}
	}
	return own || shared, ownTotal + max(0, sharedTotal-c.pausedBefore)
}

// shortest is the shorter of the call's limits.
func (c *call) shortest() time.Duration {
	if c.idle > 0 && (c.ceiling == 0 || c.idle < c.ceiling) {
		return c.idle
	}
	return c.ceiling
}

// finish ends the call's context, and takes it out of the running ones. It is
// called once, last.
func (c *call) finish() {
	isQuiet := c.stopCaller == nil || c.stopCaller() // else callerEnded runs, or is about to
	if c.session.calls.leave(c, isQuiet && c.isRecyclable()) {
		return
	}
	c.cancel(context.Canceled)
}

// isRecyclable reports whether nobody can have kept the call or its context. After
// a failed attempt that is not certain: the reader of the link may be about to
// signal it.
func (c *call) isRecyclable() bool {
	return c.answered && !c.isExposed && c.session.traits.ReleasesCalls
}

// reset forgets the request, so that nothing of it is kept.
func (c *call) reset() {
	c.request = request{}
	c.scope.values = c.session.ctx
}

// explain returns the error the caller is to see: if the call's context has
// ended, its cause says why, whatever the link made of it.
func (c *call) explain(err error) error {
	if err == nil || c.ctx.Err() == nil {
		return hideContextErrors(err)
	}
	cause := context.Cause(c.ctx)
	if errors.Is(err, errors.ErrNotSent) {
		return notSent(cause)
	}
	return cause
}

// hideContextErrors keeps errors of the context package that are not the
// caller's doing from being taken for it.
func hideContextErrors(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return flattened{err.Error()}
	}
	return err
}

// renew gives the call a fresh id, for an attempt that is a new request to the
// server (R006).
func (c *call) renew(reason transporters.AttemptReason) {
	c.reason = reason
	c.id = c.session.ids.next()
	c.attempt.Store(c.id)
	c.token = 0
	if c.wantsProgress() {
		c.token = c.id
	}
}

func (c *call) wantsProgress() bool {
	return c.session.settings.Progress == ProgressAlways || c.wantsEvents()
}

func (c *call) wantsEvents() bool { return c.onEvent != nil || c.options.OnProgress != nil }

// wireID is the id as it is written.
func (c *call) wireID() string { return c.session.wireID(c.id) }

func (s *Session) wireID(id uint64) string {
	text := strconv.FormatUint(id, 10)
	if s.settings.IDType == IDTypeString {
		return strconv.Quote(text)
	}
	return text
}
