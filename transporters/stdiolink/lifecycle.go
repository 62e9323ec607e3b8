package stdiolink

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

const (
	// exitGrace is how long a process that closed a pipe is given to exit, so
	// that the reason can name its exit status.
	exitGrace = 100 * time.Millisecond
	// readerGrace is how long the reader may take to route what a process wrote
	// before it exited. All of it is in memory by then.
	readerGrace = time.Second
)

// errStdoutEnded: the process closed its stdout.
var errStdoutEnded = errors.New("the process closed its stdout")

// errProcessTimeout: process_timeout has passed.
var errProcessTimeout = errors.New("process_timeout has passed")

// writeFailed is an error of writing to the process.
type writeFailed struct{ err error }

func (e *writeFailed) Error() string { return "writing to the process failed: " + e.err.Error() }

// end asks for the end of the link. The first cause counts.
func (l *Link) end(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isEnding {
		return
	}
	l.isEnding, l.cause = true, cause
	close(l.ending)
}

// attend runs from the start of the process until nothing of it is left.
func (l *Link) attend() {
	defer close(l.finished)
	defer l.hurry()
	readerDone := make(chan struct{})
	go func() {
		defer close(readerDone)
		l.end(readFailure(l.read(), l.config.maxLineBytes()))
	}()
	lifetime, stop := l.lifetime()
	defer stop()
	select {
	case <-l.ending:
	case <-lifetime:
		l.end(errProcessTimeout)
	case <-l.child.Done():
		within(readerDone, readerGrace)
		l.end(errStdoutEnded)
	}
	settled := l.writer.close()
	l.declare(l.reason(l.cause, readerDone))
	l.result = l.child.Shutdown(l.hurried, l.config.shutdownTimeout())
	if l.result != nil {
		l.logger.Error("process could not be ended", "pid", l.child.PID(), "error", l.result)
	}
	l.windUp(settled, readerDone)
}

// lifetime returns a channel that receives when process_timeout has passed.
func (l *Link) lifetime() (<-chan time.Time, func()) {
	limit, ok := l.config.ProcessTimeout.Value()
	if !ok {
		return nil, func() {}
	}
	timer := time.NewTimer(limit)
	return timer.C, func() { timer.Stop() }
}

// declare closes Done and with it releases every exchange.
func (l *Link) declare(reason error) {
	l.err = reason
	close(l.done)
	l.pending.close()
}

// windUp waits for the link's other goroutines, which have nothing left to do.
func (l *Link) windUp(settled <-chan struct{}, readerDone <-chan struct{}) {
	_ = l.child.Stdin().Close()
	if within(settled, readerGrace) {
		l.writer.background.Wait()
	} else {
		l.logger.Error("a write to the ended process does not return")
	}
	if !within(readerDone, readerGrace) {
		_ = l.child.Stdout().Close()
		if !within(readerDone, readerGrace) {
			l.logger.Error("the reader of the ended process does not return")
		}
	}
	l.noise.flush()
	l.stderr.flush()
}

// reason turns a cause into the error that Err and every exchange return. It
// waits a little for a process that is about to exit.
func (l *Link) reason(cause error, readerDone <-chan struct{}) error {
	if errors.Is(cause, errors.ErrTransportClosed) || errors.Is(cause, errors.ErrStartFailed) {
		return cause
	}
	message := cause.Error()
	_, writing := errors.AsType[*writeFailed](cause)
	exited := false
	if writing || errors.Is(cause, errStdoutEnded) {
		if exited = within(l.child.Done(), exitGrace); exited {
			message = "process ended: " + l.child.ExitState()
			within(readerDone, readerGrace) // what came before the end still counts
		}
	}
	if errors.Is(cause, errProcessTimeout) {
		message = fmt.Sprintf("process_timeout (%v) has passed", l.config.ProcessTimeout)
	}
	lost := &errors.TransporterRequestError{
		Kind:    errors.KindTransport,
		Message: message,
		Stderr:  l.child.StderrTail(),
		Err:     errors.ErrPeerLost,
	}
	if errors.Is(cause, errors.ErrMessageTooLarge) {
		lost.Err = fmt.Errorf("%w: %w", errors.ErrPeerLost, errors.ErrMessageTooLarge)
	}
	if !l.heard.Load() {
		lost.Snippet = l.beginning()
	}
	l.logger.Debug("process lost", "pid", l.child.PID(), "reason", message, "exited", exited)
	return lost
}

// lostError is Err for one request.
func (l *Link) lostError(notSent bool) error {
	lost, ok := errors.AsType[*errors.TransporterRequestError](l.err)
	if !ok || !notSent {
		return l.err
	}
	failure := *lost
	failure.Delivery = errors.DeliveryNotSent
	failure.Err = fmt.Errorf("%w: %w", errors.ErrNotSent, lost.Err)
	return &failure
}

func closedError() error {
	return &errors.TransporterRequestError{Kind: errors.KindClosed, Err: errors.ErrTransportClosed}
}

// startFailure is the error of a process that did not start.
func startFailure(err error) error {
	return &errors.TransporterRequestError{Kind: errors.KindTransport, Delivery: errors.DeliveryNotSent, Err: err}
}

// Done is closed when the link is spent, before any exchange is released.
func (l *Link) Done() <-chan struct{} { return l.done }

// Err says why the link ended, with exit status and the tail of stderr, or is
// ErrTransportClosed after Close; nil before Done is closed.
func (l *Link) Err() error {
	select {
	case <-l.done:
		return l.err
	default:
		return nil
	}
}

// Close ends the link: exchanges fail with ErrTransportClosed, then the process
// is ended step by step (R065): close stdin, wait for shutdown_timeout, SIGTERM
// to its group, wait, SIGKILL. When ctx ends it goes on to SIGKILL at once. Close
// returns when the process and the link's goroutines have ended, whoever began
// it; the error is of a process that cannot be ended.
func (l *Link) Close(ctx context.Context) error {
	l.end(closedError())
	l.mu.Lock()
	begun := l.begun
	if !begun {
		l.begun = true // Start will be refused, and there is nobody to declare the end
	}
	l.mu.Unlock()
	if !begun {
		l.declare(l.cause)
		l.hurry()
		close(l.finished)
	}
	stop := context.AfterFunc(ctx, l.hurry)
	defer stop()
	// Bounded: the steps of the shutdown and each wait after it are.
	<-l.finished
	return l.result
}

// within reports whether a channel is closed within a time.
func within(closed <-chan struct{}, limit time.Duration) bool {
	select {
	case <-closed:
		return true
	default:
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-closed:
		return true
	case <-timer.C:
		return false
	}
}
