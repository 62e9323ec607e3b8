package supervise

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// flight is one Start, or one on-demand dial, shared by all who wait for it. It
// runs on a context of its own, with the values of the first caller's, and is
// cancelled when nobody waits any more: a caller who leaves does not take the
// connection away from the others.
type flight struct {
	cancel  context.CancelCauseFunc
	waiters int // guarded by Link.mu; none: it is being undone
	done    chan struct{}

	generation *generation // written before done is closed
	err        error
}

// Start makes the first connection and returns once it is prepared; ctx bounds
// that. If it fails, no close is owed and the link can be started again. It
// fails with ErrTransportClosed after Close.
func (l *Link) Start(ctx context.Context, in func(from transporters.Link, m mcp.Message)) error {
	for {
		first, undone, err := l.begin(ctx, in)
		switch {
		case err != nil:
			return err
		case undone != nil:
			if err := wait(ctx, undone); err != nil {
				return err
			}
		default:
			_, err := l.join(ctx, first)
			return err
		}
	}
}

// begin launches the first flight. While an earlier one is still being undone
// it returns a channel that tells when that is over.
func (l *Link) begin(ctx context.Context, in func(from transporters.Link, m mcp.Message)) (*flight, <-chan struct{}, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch earlier := l.flight; {
	case l.err != nil:
		return nil, nil, l.refusal()
	case l.current != nil || earlier != nil && earlier.waiters > 0:
		return nil, nil, fmt.Errorf("mcp server %q: the supervised link is started already", l.server)
	case earlier != nil:
		return nil, earlier.done, nil
	}
	l.in = in
	return l.launch(ctx), nil, nil
}

// Connect returns nil once a prepared peer serves, at once if one does.
//
// In on-demand mode it dials if there is none; all who call at the same time
// share one dial, which goes on as long as one of them waits. It fails with the
// error of that dial, or with ErrSupervisionExhausted and a RetryAfter if too
// many ready peers died within the minute.
//
// In supervised mode it fails with ErrReconnecting while a replacement is
// pending, at once or after wait_for_reconnect, and with
// ErrSupervisionExhausted after the budget is spent.
//
// In both it fails with ErrTransportClosed after Close, and with ctx's cause.
func (l *Link) Connect(ctx context.Context) error {
	_, err := l.serving(ctx)
	return err
}

// serving returns the generation that serves, after waiting or dialling as the
// mode allows.
func (l *Link) serving(ctx context.Context) (*generation, error) {
	patience := time.Now().Add(l.settings.wait)
	for {
		found := l.look(ctx)
		var err error
		switch {
		case found.soon != nil:
			err = wait(ctx, found.soon)
		case found.pending != nil:
			err = await(ctx, found.pending, patience, found.err)
		case found.joined != nil:
			return l.join(ctx, found.joined)
		default:
			return found.peer, found.err
		}
		if err != nil {
			return nil, err
		}
	}
}

// situation is what a caller who wants a peer finds. The first field that is
// set says what to do.
type situation struct {
	soon    <-chan struct{} // look again when it is closed, which takes moments
	pending <-chan struct{} // look again when it is closed, or give up with err
	joined  *flight         // a dial under way, for which the caller now waits
	peer    *generation     // it serves
	err     error           // nothing serves
}

// look finds out how things stand, and launches an on-demand dial if that is
// what they call for.
func (l *Link) look(ctx context.Context) situation {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch current := l.current; {
	case l.err != nil:
		return situation{err: l.refusal()}
	case current == nil:
		return situation{err: notStarted(l.server)}
	case !isClosed(current.gone):
		return situation{peer: current}
	case !isClosed(current.settled):
		return situation{soon: current.settled}
	case l.pending != nil:
		return situation{pending: l.pending, err: l.refusal()}
	case l.flight != nil && l.flight.waiters == 0:
		return situation{soon: l.flight.done}
	case l.flight != nil:
		l.flight.waiters++
		return situation{joined: l.flight}
	}
	if rest := l.budget.exhausted(time.Now()); rest > 0 {
		return situation{err: l.exhaustedFor(rest)}
	}
	return situation{joined: l.launch(ctx)}
}

// launch starts a flight with one waiter. l.mu is held and the link has not
// ended, so Close has not begun to wait for the workers.
func (l *Link) launch(ctx context.Context) *flight {
	run, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	f := &flight{cancel: cancel, waiters: 1, done: make(chan struct{})}
	l.flight = f
	dead := l.current
	l.workers.Go(func() { l.fly(run, f, dead) })
	return f
}

// fly makes a connection, tells those who wait, and watches over it.
func (l *Link) fly(ctx context.Context, f *flight, dead *generation) {
	defer f.cancel(nil)
	if dead != nil {
		_ = wait(ctx, dead.retired)
	}
	g, err := l.spawn(ctx)

	l.mu.Lock()
	l.flight = nil
	if err != nil && l.err != nil {
		err = l.refusal()
	}
	l.mu.Unlock()
	f.generation, f.err = g, err
	close(f.done)
	l.watch(g)
}

// join waits for a flight of which the caller is one of the waiters. When the
// last one's ctx ends, the flight is cancelled, and what it has to say of that
// is returned, for it knows more (what the peer wrote to stderr, for example).
func (l *Link) join(ctx context.Context, f *flight) (*generation, error) {
	select {
	case <-f.done:
		return f.generation, f.err
	case <-ctx.Done():
	}
	l.mu.Lock()
	f.waiters--
	last := f.waiters == 0
	l.mu.Unlock()
	if !last {
		return nil, context.Cause(ctx)
	}
	f.cancel(context.Cause(ctx))
	timer := time.NewTimer(l.retireTimeout)
	defer timer.Stop()
	select {
	case <-f.done:
		return f.generation, f.err
	case <-timer.C:
		return nil, context.Cause(ctx)
	}
}

// await waits until patience for the channel to be closed; refusal is the error
// if that takes longer.
func await(ctx context.Context, c <-chan struct{}, patience time.Time, refusal error) error {
	timer := time.NewTimer(time.Until(patience))
	defer timer.Stop()
	select {
	case <-c:
		return nil
	case <-timer.C:
		return refusal
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// wait waits for the channel to be closed; ctx ending first is the error.
func wait(ctx context.Context, c <-chan struct{}) error {
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
