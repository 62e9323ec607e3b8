package policy

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// How policies wait. A wait ends with the caller's context, with the life of the
// chain, which ends when its slot is closed, and is never begun where it is known
// not to end in time. What was waited counts against max_request_timeout: the
// session, which runs that clock, is told what is left.

// ended says what ended a wait early: the caller's own context, with its cause,
// or the life of the chain.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}

// pause waits for d; the error is what ended it before.
func pause(ctx, life context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	var closed <-chan struct{}
	if life != nil {
		closed = life.Done()
	}
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ended(ctx)
	case <-closed:
		return errors.ErrTransportClosed
	}
}

// waitFailure is the error of a call that ended while it was waiting.
func waitFailure(server, action, message string, err error) *errors.TransporterRequestError {
	failure := &errors.TransporterRequestError{
		Server: server, Action: action, Kind: errors.KindCanceled, Delivery: errors.DeliveryNotSent, Message: message, Err: err,
	}
	switch {
	case errors.Is(err, errors.ErrTransportClosed):
		failure.Kind = errors.KindClosed
	case errors.Is(err, context.DeadlineExceeded):
		failure.Kind = errors.KindTimeout
	}
	return failure
}

// unencodable is the error of a call whose params cannot be sent.
func unencodable(server, action string, err error) error {
	return &errors.TransporterRequestError{
		Server: server, Action: action, Kind: errors.KindParams, Delivery: errors.DeliveryNotSent, Err: err,
	}
}

// ceilingOf is the whole life of the call: its own ceiling, else the configured
// one; 0 is none.
func ceilingOf(ctx context.Context, configured time.Duration) time.Duration {
	if own := transporters.CallOptionsOf(ctx).MaxRequestTimeout; own != nil {
		return *own
	}
	return configured
}

// withCeiling tells the session what is left of the call's life.
func withCeiling(ctx context.Context, left time.Duration) context.Context {
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.MaxRequestTimeout = &left })
}

// until is how long there is until the caller's context ends, and whether it
// ends at a known time.
func until(ctx context.Context) (time.Duration, bool) {
	deadline, isBounded := ctx.Deadline()
	if !isBounded {
		return 0, false
	}
	return time.Until(deadline), true
}
