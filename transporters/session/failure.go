package session

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// maxPeerText bounds what of a peer's own words goes into an error.
const maxPeerText = 1000

// maxSnippet bounds what of an unusable body goes into an error.
const maxSnippet = 300

// unsent marks an error of a request that surely was not sent.
type unsent struct{ error }

func notSent(err error) error {
	if err == nil {
		return nil
	}
	return unsent{err}
}

func (u unsent) Unwrap() []error { return []error{u.error, errors.ErrNotSent} }

// callerEnded is the end of the caller's own context.
type callerEnded struct{ err, cause error }

func (c callerEnded) Error() string {
	if c.cause.Error() == c.err.Error() {
		return c.err.Error()
	}
	return c.err.Error() + ": " + c.cause.Error()
}

func (c callerEnded) Unwrap() []error { return []error{c.err, c.cause} }

// carried keeps the whole chain of an error for Is and As while showing only
// the innermost cause, since the rest is shown by the failure's own fields.
type carried struct{ text, chain error }

func (c carried) Error() string {
	if c.text == nil {
		return ""
	}
	return c.text.Error()
}

func (c carried) Unwrap() error { return c.chain }

// because puts a cause before an error without losing what it tells, unless
// the error tells that cause already.
func because(cause, err error) error {
	if errors.Is(err, cause) {
		return err
	}
	inner, ok := errors.AsType[*errors.TransporterRequestError](err)
	if !ok {
		return fmt.Errorf("%w: %w", cause, err)
	}
	told := *inner
	told.Err = cause
	if inner.Err != nil {
		told.Err = fmt.Errorf("%w: %w", cause, inner.Err)
	}
	return &told
}

// during names the step of the handshake at which an error came.
func during(step string, err error) error {
	inner, ok := errors.AsType[*errors.TransporterRequestError](err)
	if !ok {
		return fmt.Errorf("%s: %w", step, err)
	}
	told := *inner
	told.Message = step
	if inner.Message != "" {
		told.Message += ": " + inner.Message
	}
	if err != error(inner) {
		told.Err = carried{text: inner.Err, chain: err}
	}
	return &told
}

// flattened hides an error of the context package that is not the caller's
// doing: context.Canceled is to mean that the caller cancelled.
type flattened struct{ text string }

func (f flattened) Error() string { return f.text }

func protocolError(text string) error {
	return &errors.TransporterRequestError{Kind: errors.KindProtocol, Message: text, Err: errors.ErrProtocol}
}

// failure completes an error for the caller: it is always a
// *errors.TransporterRequestError that names server and action.
func (s *Session) failure(err error, action string, c *call) error {
	failure := &errors.TransporterRequestError{}
	if inner, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
		*failure = *inner
		if err != error(inner) {
			failure.Err = carried{text: inner.Err, chain: err}
		}
	} else {
		failure.Err = err
	}
	failure.Server = s.server
	failure.Action = action
	if c != nil && c.id != 0 {
		failure.ID = c.wireID()
	}
	if failure.Kind == errors.KindUnknown {
		failure.Kind = kindOf(err)
	}
	if errors.Is(err, errors.ErrNotSent) {
		// Also where the handshake was answered: the request itself never left.
		failure.Delivery = errors.DeliveryNotSent
	}
	return failure
}

func kindOf(err error) errors.Kind {
	switch {
	case errors.Is(err, errors.ErrTransportClosed):
		return errors.KindClosed
	case errors.Is(err, errors.ErrRequestTimeout), errors.Is(err, context.DeadlineExceeded):
		return errors.KindTimeout
	case errors.Is(err, context.Canceled), errors.Is(err, errors.ErrAborted):
		return errors.KindCanceled
	case errors.Is(err, errors.ErrSupervisionExhausted), errors.Is(err, errors.ErrReconnecting), errors.Is(err, errors.ErrDeliveryDropped):
		return errors.KindUnavailable
	case errors.Is(err, errors.ErrAuthRequired):
		return errors.KindAuth
	case errors.Is(err, errors.ErrVersionMismatch):
		return errors.KindVersion
	case errors.Is(err, errors.ErrSessionLost):
		return errors.KindSession
	case errors.Is(err, errors.ErrProtocol), errors.Is(err, errors.ErrNotMCP), errors.Is(err, errors.ErrMessageTooLarge):
		return errors.KindProtocol
	case errors.Is(err, errors.ErrInvalidParams):
		return errors.KindParams
	default:
		return errors.KindTransport
	}
}

// peerFailure is the error of a JSON-RPC error answer.
func peerFailure(answer *mcp.Error, reply transporters.Reply) *errors.TransporterRequestError {
	return &errors.TransporterRequestError{
		Kind:       errors.KindPeer,
		Delivery:   errors.DeliveryAnswered,
		Code:       answer.Code,
		Message:    errors.PeerText(answer.Message, maxPeerText),
		Data:       answer.Data,
		Status:     errorStatus(reply.Status),
		RetryAfter: transporters.RetryAfter(reply.Header, time.Now()),
	}
}

func errorStatus(status int) int {
	if status >= 200 && status < 300 {
		return 0
	}
	return status
}

// statusFailure is the error of an HTTP status that came without an answer.
func statusFailure(reply transporters.Reply) *errors.TransporterRequestError {
	failure := &errors.TransporterRequestError{
		Kind:       errors.KindStatus,
		Status:     reply.Status,
		Message:    http.StatusText(reply.Status),
		RetryAfter: transporters.RetryAfter(reply.Header, time.Now()),
		Snippet:    errors.PeerText(string(reply.Body), maxSnippet),
	}
	if answer := reply.Message.Failure(); answer != nil {
		failure.Message += ": " + errors.PeerText(answer.Message, maxPeerText)
		failure.Code, failure.Data = answer.Code, answer.Data
	}
	switch reply.Status {
	case http.StatusUnauthorized:
		failure.Kind, failure.Err, failure.Delivery = errors.KindAuth, errors.ErrAuthRequired, errors.DeliveryRefused
		failure.Challenge = reply.Header.Values("Www-Authenticate")
	case http.StatusForbidden:
		failure.Challenge = reply.Header.Values("Www-Authenticate")
		if len(failure.Challenge) > 0 {
			failure.Kind, failure.Err, failure.Delivery = errors.KindAuth, errors.ErrAuthRequired, errors.DeliveryRefused
		}
	case http.StatusAccepted, http.StatusNoContent, http.StatusResetContent:
		failure.Kind, failure.Err = errors.KindProtocol, errors.ErrProtocol
		failure.Message = "the server took the request for a notification and will not answer it" // H19
	}
	return failure
}
