package policy

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// How the wait for a task ends before the task does.

// left is how much of the wait is left; negative if it is over, and false if it
// is without end.
func (w *wait) left() (time.Duration, bool) {
	return w.maxWait - (time.Since(w.started) - w.asked), w.maxWait > 0
}

// bounded is the caller's context within what is left of the wait.
func (w *wait) bounded() (context.Context, context.CancelFunc) {
	if left, isLimited := w.left(); isLimited {
		return context.WithTimeout(w.caller, left)
	}
	return context.WithCancel(w.caller)
}

// sleep waits for d; the error says what ended the wait before.
func (w *wait) sleep(d time.Duration) error {
	left, isLimited := w.left()
	isLast := isLimited && left <= d
	if isLast {
		d = left
	}
	err := pause(w.caller, w.tasks.cfg.Life, d)
	switch {
	case w.caller.Err() != nil:
		return w.callerEnded()
	case err != nil:
		return w.failed(errors.KindClosed, "the wait for it has ended", err)
	case isLast:
		return w.tooLong()
	default:
		return nil
	}
}

func (w *wait) callerEnded() error {
	kind := errors.KindCanceled
	if errors.Is(w.caller.Err(), context.DeadlineExceeded) {
		kind = errors.KindTimeout
	}
	err := w.caller.Err()
	if cause := context.Cause(w.caller); !errors.Is(cause, err) {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return w.failed(kind, "the wait for it has ended", err)
}

func (w *wait) tooLong() error {
	return w.failed(errors.KindTimeout, fmt.Sprintf("it has not ended within %v", w.maxWait), errors.ErrRequestTimeout)
}

// failed is the error of a wait; it names the task, so that it can be resumed.
// The server has the request: it began the task.
func (w *wait) failed(kind errors.Kind, message string, err error) *errors.TransporterRequestError {
	return w.tasks.failure(mcp.MethodGetTask, kind, w.name()+": "+message, err)
}

func (w *wait) name() string { return fmt.Sprintf(`task "%s"`, errors.PeerText(w.id, maxShown)) }

// named is err with the name of the task. That a request about the task was not
// sent does not make the call safe to repeat.
func (w *wait) named(err error) error {
	inner, ok := errors.AsType[*errors.TransporterRequestError](err)
	if !ok {
		return w.failed(errors.KindCanceled, "what it asks for could not be answered", err)
	}
	if strings.HasPrefix(inner.Message, w.name()) {
		return err // it names it already
	}
	told := *inner
	told.Delivery = errors.DeliveryAnswered
	if inner.Message == "" && inner.Err != nil {
		told.Err = fmt.Errorf("%s: %w", w.name(), inner.Err)
		return &told
	}
	told.Message = strings.TrimSuffix(w.name()+": "+inner.Message, ": ")
	return &told
}

// giveUp has a task cancelled that nobody waits for any more (R288).
func (w *wait) giveUp() {
	if w.tasks.cfg.Keep || w.id == "" {
		return
	}
	cancel := func() {
		ctx, done := context.WithTimeout(context.WithoutCancel(w.caller), cancelTimeout)
		defer done()
		ctx = transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) {
			o.OnProgress, o.RequestTimeout, o.MaxRequestTimeout = nil, nil, nil
		})
		params, err := taskParams(w.id)
		if err == nil {
			_, err = w.tasks.next.Request(ctx, mcp.MethodCancelTask, params, nil)
		}
		if err != nil {
			w.tasks.cfg.Logger.Debug("could not cancel a task", "server", w.tasks.server, "task", errors.PeerText(w.id, maxShown), "error", err)
		}
	}
	if background := w.tasks.cfg.Background; background == nil || !background(cancel) {
		cancel()
	}
}
