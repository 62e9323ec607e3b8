package httplink

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// snippetBytes bounds what of a body goes into an error.
const snippetBytes = 300

// errStalled marks a body that read_timeout ended.
var errStalled = errors.New("body stalled")

// cause is an error with a text of its own that is several things.
type cause struct {
	text string
	is   []error
}

func (c *cause) Error() string   { return c.text }
func (c *cause) Unwrap() []error { return c.is }

func failure(kind errors.Kind, delivery errors.Delivery, text string, is ...error) error {
	return &errors.TransporterRequestError{Kind: kind, Delivery: delivery, Err: &cause{text, is}}
}

// peerLost is the end of a connection before the answer: the server may have
// carried the request out.
func peerLost(text string, err error) error {
	if err == nil {
		return failure(errors.KindTransport, errors.DeliveryUnknown, text, errors.ErrPeerLost)
	}
	return failure(errors.KindTransport, errors.DeliveryUnknown, text, errors.ErrPeerLost, err)
}

func stallError(limit time.Duration) error {
	text := fmt.Sprintf("the body stalled: nothing came for %s (read_timeout)", limit)
	return failure(errors.KindTransport, errors.DeliveryUnknown, text, errors.ErrPeerLost, errStalled)
}

// notSent is an error from before the request was begun.
func notSent(err error) error {
	if errors.Is(err, errors.ErrNotSent) {
		return err
	}
	return failure(errors.KindTransport, errors.DeliveryNotSent, err.Error(), errors.ErrNotSent, err)
}

// unsent adds to an error, which stays what it is, that nothing was sent.
func unsent(err error) error {
	if err == nil || errors.Is(err, errors.ErrNotSent) {
		return err
	}
	return &cause{err.Error(), []error{err, errors.ErrNotSent}}
}

// explain turns an error of the HTTP client into one that says what happened,
// and whether the request can have left. A *url.Error is taken off, for it
// shows the URL's query.
func (l *Link) explain(x *exchange, err error) error {
	if reason := x.reason(); reason != nil {
		return reason
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	if preparation, ok := errors.AsType[*preparationError](err); ok {
		text := "the request could not be prepared: " + l.safeText(x, preparation.err)
		return failure(errors.KindTransport, errors.DeliveryNotSent, text, errors.ErrNotSent, withoutContext(preparation.err)) // the user's own error
	}
	if dialling, ok := errors.AsType[*dial.Error](err); ok {
		return failure(errors.KindTransport, errors.DeliveryNotSent, l.safeText(x, err), errors.ErrNotSent, l.safeCause(x, dialling))
	}
	if verification, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return failure(errors.KindTransport, errors.DeliveryNotSent, l.safeText(x, err), errors.ErrNotSent, verification)
	}
	if errors.Is(err, errors.ErrMessageTooLarge) {
		return &errors.TransporterRequestError{Kind: errors.KindProtocol, Message: "max_response_bytes", Err: err}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		// net/http puts a connection back before the caller has the response, if
		// that has no body, and closes it all the same if the caller's context ends
		// in this moment.
		return peerLost("the exchange with "+l.endpoint.host()+" failed: its connection was closed from this side, perhaps with an earlier request that was given up", nil)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return peerLost("the server at "+l.endpoint.host()+" closed the connection before the answer was complete", l.safeCause(x, err))
	}
	return peerLost("the exchange with "+l.endpoint.host()+" failed: "+l.safeText(x, err), l.safeCause(x, err))
}

// brokenBody is a body that ended or failed before its end.
func (l *Link) brokenBody(x *exchange, text string, err error) error {
	if reason := x.reason(); reason != nil {
		return reason
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		text += ": " + l.safeText(x, err)
	}
	return peerLost(text, l.safeCause(x, err))
}

// safeText is an error's text, bounded, escaped and without secrets.
func (l *Link) safeText(x *exchange, err error) string {
	text := err.Error()
	if inner, ok := errors.AsType[*url.Error](err); ok {
		text = inner.Err.Error()
	}
	return l.peerText(x, text, snippetBytes)
}

// withoutContext hides the context package's errors, with which dialling and
// HTTP/2 express limits of their own: in our errors they mean that the caller's
// context ended.
func withoutContext(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return errors.New(err.Error())
	}
	return err
}

// bodyError is a body that cannot be used; reason is ErrProtocol or ErrNotMCP.
func (l *Link) bodyError(x *exchange, response *http.Response, body []byte, reason error, text string) error {
	return &errors.TransporterRequestError{
		Kind:    errors.KindProtocol,
		Status:  response.StatusCode,
		Message: text + " (" + l.endpoint.shown + ")",
		Snippet: l.snippet(x, body),
		Err:     reason,
	}
}

// snippet is the beginning of a body as an error shows it.
func (l *Link) snippet(x *exchange, body []byte) string {
	return errors.PeerText(string(l.plainBody(x.values, body)), snippetBytes)
}

// statusError is a status that a notification or a DELETE was answered with.
func (l *Link) statusError(x *exchange, response *http.Response) error {
	x.stall = l.readTimeout
	var body []byte
	if mediaTypeOf(response.Header) != mediaStream {
		var err error
		if body, err = l.readErrorBody(x, errorBodyBytes); err != nil {
			return err
		}
	}
	refusal := &errors.TransporterRequestError{
		Kind:       errors.KindStatus,
		Status:     response.StatusCode,
		Message:    http.StatusText(response.StatusCode),
		RetryAfter: transporters.RetryAfter(response.Header, time.Now()),
		Snippet:    l.snippet(x, body),
	}
	if challenge := l.safeHeader(x.values, response)[challengeHeader]; response.StatusCode == http.StatusUnauthorized ||
		response.StatusCode == http.StatusForbidden && len(challenge) > 0 {
		refusal.Kind, refusal.Delivery, refusal.Err = errors.KindAuth, errors.DeliveryRefused, errors.ErrAuthRequired
		refusal.Challenge = challenge
	}
	return refusal
}

// redirectError refuses the redirects that checkRedirect did not follow (H22).
func (l *Link) redirectError(x *exchange, response *http.Response) error {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	target := "nowhere"
	if location, err := response.Location(); err == nil {
		target = l.peerText(x, displayable(location), snippetBytes)
	}
	text := "the server redirects from " + l.endpoint.shown + " to " + target +
		"; only 307 and 308 within the same origin are followed: set base_url to the final address"
	if isFollowed(response.StatusCode) && hops(response) >= maxRedirects {
		text = fmt.Sprintf("the server at %s answered with more than %d redirects, the last one to %s: set base_url to the final address",
			l.endpoint.shown, maxRedirects, target)
	}
	return &errors.TransporterRequestError{Kind: errors.KindStatus, Status: response.StatusCode, Message: text}
}

// hops is how many redirects led to the response, as far as the round tripper
// tells.
func hops(response *http.Response) int {
	count := 0
	for response.Request != nil && response.Request.Response != nil {
		response = response.Request.Response
		count++
	}
	return count
}
