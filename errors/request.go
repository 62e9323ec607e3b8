package errors

import (
	"encoding/json"
	"time"
)

// TransporterRequestError is the one error type of the request path. Fields
// that do not apply are zero. It is immutable once returned and safe for
// concurrent use.
//
// Text that came from the peer (Message, Stderr, Snippet) is bounded and has
// its control characters escaped; secrets are never part of any field.
type TransporterRequestError struct {
	// Server is the configured name of the server.
	Server string
	// Action is the method that was requested, for example "tools/call".
	Action string
	// ID is the JSON-RPC id of the last attempt, as written on the wire; empty
	// if no message was built.
	ID string
	// Kind classes the failure.
	Kind Kind
	// Delivery says whether the server can have carried the request out.
	Delivery Delivery
	// Code is the JSON-RPC error code the server sent (KindPeer), else 0.
	Code int
	// Message is the server's error message (KindPeer) or the description of
	// what went wrong.
	Message string
	// Data is the "data" member of the server's error, raw, or nil.
	Data json.RawMessage
	// Status is the HTTP status, or 0.
	Status int
	// RetryAfter is what the server's Retry-After header asked for, or when a
	// policy of this client that refused the call would let it through; 0 if
	// neither is known.
	RetryAfter time.Duration
	// Attempts is how often the retry policy made the request, where that was
	// more than once; the other fields are those of the last attempt, except that
	// Delivery speaks for all of them.
	Attempts int
	// Challenge holds the values of the WWW-Authenticate headers of a 401 or
	// 403 answer.
	Challenge []string
	// Snippet is the beginning of a body that could not be used.
	Snippet string
	// Stderr is the tail of what the server's process wrote to stderr.
	Stderr string
	// Err is the cause, often one of the sentinels; it may be nil.
	Err error
}

// Unwrap returns the cause.
func (e *TransporterRequestError) Unwrap() error { return e.Err }

// SafeToRetry reports whether the failed request can be made again without the
// risk that its work is done twice: it surely was not sent, or the server said
// that it did not take it. It says nothing of whether a new try would succeed.
// For nil it returns false.
//
// A JSON-RPC error is an answer: the server dealt with the request, so it is
// not safe, except for HeaderMismatch (-32020) and UnsupportedProtocolVersion
// (-32022), which are raised before a request is carried out.
func SafeToRetry(err error) bool {
	if err == nil {
		return false
	}
	if e, ok := AsType[*TransporterRequestError](err); ok {
		switch e.Delivery {
		case DeliveryNotSent, DeliveryRefused:
			return true
		case DeliveryAnswered:
			return e.Code == -32020 || e.Code == -32022
		}
	}
	return Is(err, ErrNotSent)
}
