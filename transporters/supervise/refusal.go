package supervise

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// closedError is what the link ends with when its owner closes it.
func closedError(server string) error {
	return &errors.TransporterRequestError{Server: server, Kind: errors.KindClosed, Err: errors.ErrTransportClosed}
}

func notStarted(server string) error {
	return &errors.TransporterRequestError{
		Server: server, Kind: errors.KindUnavailable, Delivery: errors.DeliveryNotSent,
		Message: "the supervised link was not started", Err: errors.ErrNotSent,
	}
}

// exhaustion is what a supervised link ends with. It says nothing of delivery,
// since requests that a dead peer left unanswered fail with it as well.
func (l *Link) exhaustion(cause error) error {
	message := fmt.Sprintf("%d restarts within %v did not help", l.settings.maxRestarts, l.settings.window)
	return l.unavailable(message, errors.ErrSupervisionExhausted, cause)
}

// exhaustedFor refuses an on-demand dial. l.mu is held.
func (l *Link) exhaustedFor(rest time.Duration) error {
	message := fmt.Sprintf("it died %d times within %v, the next start is allowed in %v",
		l.budget.spent, l.settings.window, rest.Round(time.Millisecond))
	refusal := l.unavailable(message, errors.ErrSupervisionExhausted, l.lost)
	refusal.Delivery = errors.DeliveryNotSent
	refusal.RetryAfter = rest
	return refusal
}

// refusal is the error for a call that begins while no peer serves: the link
// has ended, or a replacement is pending. Such a call was surely not sent. l.mu
// is held.
func (l *Link) refusal() error {
	if l.err == nil {
		message := fmt.Sprintf("restart %d of %d is under way", l.attempt, l.settings.maxRestarts)
		refusal := l.unavailable(message, errors.ErrReconnecting, l.lost)
		refusal.Delivery = errors.DeliveryNotSent
		return refusal
	}
	if final, ok := l.err.(*errors.TransporterRequestError); ok {
		refusal := *final
		refusal.Delivery = errors.DeliveryNotSent
		return &refusal
	}
	return l.err
}

// unavailable puts a sentinel and what the last peer died of in one error. The
// error of a link, which has no server of its own, is taken apart for that, so
// that the text reads as one.
func (l *Link) unavailable(message string, sentinel, cause error) *errors.TransporterRequestError {
	failure := &errors.TransporterRequestError{Server: l.server, Kind: errors.KindUnavailable, Message: message}
	if peer, ok := cause.(*errors.TransporterRequestError); ok {
		failure.Stderr, failure.Snippet, failure.Status = peer.Stderr, peer.Snippet, peer.Status
	}
	failure.Err = lastFailure{sentinel: sentinel, cause: cause}
	return failure
}

// lastFailure matches the sentinel, and what its cause matches as far as that
// is true of other requests than the one that met it: that something was not
// sent, or whose context ended, is not.
type lastFailure struct{ sentinel, cause error }

func (f lastFailure) Error() string { return f.sentinel.Error() + "; last failure: " + text(f.cause) }

func (f lastFailure) Unwrap() error { return f.sentinel }

func (f lastFailure) Is(target error) bool {
	switch target {
	case errors.ErrNotSent, errors.ErrRedial, context.Canceled, context.DeadlineExceeded:
		return false
	}
	return errors.Is(f.cause, target)
}

func (f lastFailure) As(target any) bool { return errors.As(f.cause, target) }

// redialledTwice is a second ErrRedial in a row. It tells what its cause tells,
// except that it no longer asks to dial again.
type redialledTwice struct{ cause error }

func (r redialledTwice) Error() string { return "even when dialled again: " + text(r.cause) }

func (r redialledTwice) Is(target error) bool {
	return target == errors.ErrStartFailed || target != errors.ErrRedial && errors.Is(r.cause, target)
}

func (r redialledTwice) As(target any) bool { return errors.As(r.cause, target) }

// reason is why a link has ended; it is never nil.
func reason(g *generation) error {
	if err := g.Err(); err != nil {
		return err
	}
	return fmt.Errorf("%w: unknown reason", errors.ErrPeerLost)
}

// text is an error in one line, without the server that the text around it
// names and without stderr.
func text(err error) string {
	failure, ok := err.(*errors.TransporterRequestError)
	switch {
	case !ok:
		return err.Error()
	case failure.Err == nil && failure.Message == "":
		return failure.Kind.String()
	case failure.Err == nil:
		return failure.Message
	case failure.Message == "" || failure.Message == failure.Err.Error():
		return failure.Err.Error()
	default:
		return failure.Message + ": " + failure.Err.Error()
	}
}
