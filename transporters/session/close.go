package session

import (
	"context"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dispatch"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// The way to closed, in this order: the listeners of OnDrain are told, and given
// a little time in which everything still works; the state changes, and with it
// running requests fail; session and link end; the listeners of OnClose are told.
// It is walked once, by whoever comes first: Close, the end of Shutdown, or, in
// what is left of it, the end of a link that serves no more.

// Close ends the session: running requests fail with ErrTransportClosed, an HTTP
// session is deleted (bounded by the close timeout), the link is closed, our
// goroutines are waited for. It does not wait for callbacks, but that listeners of
// OnDrain have up to 3 seconds first. Further calls return when the first has
// settled, with what it returned: the link's error, if any.
//
// Called from a listener it only begins, and returns at once.
func (s *Session) Close() error {
	if dispatch.IsListener() {
		go func() { _ = s.close() }() // bounded, as Close is
		return nil
	}
	return s.close()
}

func (s *Session) close() error {
	if s.closing.CompareAndSwap(false, true) {
		s.closeOnce()
	}
	<-s.closed
	return s.closeErr
}

func (s *Session) closeOnce() {
	defer close(s.closed)
	if !spent(s.link) { // else there is nothing left to be done
		s.Drain(context.Background())
	}
	s.calls.refuse()
	s.notifications.Close()
	s.cancel(errors.ErrTransportClosed)
	s.calls.end(errors.ErrTransportClosed)
	s.changed()
	s.terminate()
	ctx, cancel := context.WithTimeout(context.Background(), linkCloseTimeout)
	defer cancel()
	s.closeErr = s.link.Close(ctx)
	if !s.tasks.close(tasksCloseTimeout) {
		s.log.Warn("closing: goroutines are still running", "server", s.server)
	}
	reason := s.failure(errors.ErrTransportClosed, "", nil)
	s.disconnected(s.current.Load(), reason)
	s.observers.TellClose(s.source, reason)
}

// terminate tells an HTTP server that its session is over (R102).
func (s *Session) terminate() {
	terminator, ok := s.link.(transporters.Terminator)
	p := s.current.Load()
	if !ok || p == nil || p.sessionID == "" || !p.usable() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.closeTimeout)
	defer cancel()
	if err := terminator.Terminate(ctx, p.era.header("", "")); err != nil {
		s.log.Debug("could not delete the session", "server", s.server, "error", err)
	}
}

// Shutdown tells the listeners of OnDrain, then refuses new requests, waits for
// the running ones, and closes. If ctx ends first it closes at once and returns
// ctx's error. It must not be called from a callback, which would wait for itself.
func (s *Session) Shutdown(ctx context.Context) error {
	s.Drain(ctx)
	drained := s.calls.refuse()
	select {
	case <-drained:
		return s.close()
	case <-s.closed:
		return nil
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), s.close())
	}
}

// Drain tells the listeners of OnDrain that the session is about to end, once, and
// waits for them; see transporters.Drainer. Called from a listener it does not
// wait.
func (s *Session) Drain(ctx context.Context) {
	if dispatch.IsListener() {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		ctx = ended
	}
	s.changed() // a step that was made before this one is told before it
	s.observers.TellDrain(ctx, s.source)
}

// linkEnded tells of a link that has ended for good though nobody closed the
// session: its budget is spent, or a plain link lost its peer. Nothing can be sent
// any more, so the drain is told but not waited for.
func (s *Session) linkEnded() {
	if !spent(s.link) || s.ctx.Err() != nil {
		return
	}
	s.ending.Do(func() {
		s.changed()
		reason := s.failure(s.link.Err(), "", nil)
		s.disconnected(s.current.Load(), reason)
		s.report(reason)
		s.observers.TellClose(s.source, reason)
	})
}

// watchLink notices the end of a plain link, if there is anybody to tell. Of a
// reconnecting one we are told.
func (s *Session) watchLink() {
	if s.reconnecting != nil {
		return
	}
	s.watching.Do(func() {
		s.tasks.start(func() {
			select {
			case <-s.link.Done():
				s.linkEnded()
			case <-s.ctx.Done():
			}
		})
	})
}
