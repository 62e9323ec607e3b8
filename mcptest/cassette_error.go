package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// recordedFailure is an error in a cassette: the fields of a
// *errors.TransporterRequestError, and its cause by text and by the names of
// the sentinels that errors.Is finds in it. Other types of errors in the chain are
// not kept.
type recordedFailure struct {
	Server     string          `json:"server,omitempty"`
	Action     string          `json:"action,omitempty"`
	ID         string          `json:"id,omitempty"`
	Kind       string          `json:"kind,omitempty"`
	Delivery   string          `json:"delivery,omitempty"`
	Code       int             `json:"code,omitempty"`
	Message    string          `json:"message,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	DataText   string          `json:"dataText,omitempty"` // instead of Data, where that has white space
	Status     int             `json:"status,omitempty"`
	RetryAfter string          `json:"retryAfter,omitempty"`
	Attempts   int             `json:"attempts,omitempty"`
	Challenge  []string        `json:"challenge,omitempty"`
	Snippet    string          `json:"snippet,omitempty"`
	Stderr     string          `json:"stderr,omitempty"`
	Cause      string          `json:"cause,omitempty"`
	Is         []string        `json:"is,omitempty"`
}

// recordError returns what a cassette keeps of an error, nil for none.
func recordError(err error) *recordedFailure {
	if err == nil {
		return nil
	}
	r := &recordedFailure{}
	for _, s := range sentinels() {
		if errors.Is(err, s.err) {
			r.Is = append(r.Is, s.name)
		}
	}
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	if !ok {
		r.Cause = err.Error()
		return r
	}
	r.Server, r.Action, r.ID = failure.Server, failure.Action, failure.ID
	r.Kind, r.Delivery = failure.Kind.String(), failure.Delivery.String()
	r.Code, r.Message = failure.Code, failure.Message
	if data, err := encoded(failure.Data); err == nil && bytes.Equal(data, failure.Data) {
		r.Data = failure.Data
	} else {
		r.DataText = string(failure.Data)
	}
	r.Status, r.Attempts, r.Challenge = failure.Status, failure.Attempts, failure.Challenge
	r.Snippet, r.Stderr = failure.Snippet, failure.Stderr
	if failure.RetryAfter != 0 {
		r.RetryAfter = failure.RetryAfter.String()
	}
	if failure.Err != nil {
		r.Cause = failure.Err.Error()
	}
	return r
}

// error makes an error of a recorded one, which callers cannot tell from the one
// that was recorded.
func (r *recordedFailure) error() error {
	var cause error
	if r.Cause != "" || len(r.Is) > 0 {
		cause = &replayedCause{text: r.Cause, is: r.Is}
	}
	if r.Kind == "" {
		return cause
	}
	failure := &errors.TransporterRequestError{
		Server: r.Server, Action: r.Action, ID: r.ID,
		Code: r.Code, Message: r.Message, Data: r.Data, Status: r.Status,
		Attempts: r.Attempts, Challenge: r.Challenge, Snippet: r.Snippet, Stderr: r.Stderr, Err: cause,
	}
	if r.DataText != "" {
		failure.Data = json.RawMessage(r.DataText)
	}
	failure.RetryAfter, _ = time.ParseDuration(r.RetryAfter) // 0 where there is none
	for kind := errors.KindUnknown; kind <= errors.KindParams; kind++ {
		if kind.String() == r.Kind {
			failure.Kind = kind
		}
	}
	for delivery := errors.DeliveryUnknown; delivery <= errors.DeliveryAnswered; delivery++ {
		if delivery.String() == r.Delivery {
			failure.Delivery = delivery
		}
	}
	return failure
}

// replayedCause stands for the cause of a recorded error.
type replayedCause struct {
	text string
	is   []string
}

// Error returns the text that was recorded.
func (c *replayedCause) Error() string { return c.text }

// Is reports whether the recorded error was the sentinel.
func (c *replayedCause) Is(target error) bool {
	for _, s := range sentinels() {
		if s.err == target {
			return slices.Contains(c.is, s.name)
		}
	}
	return false
}

type sentinel struct {
	name string
	err  error
}

// sentinels are the errors that callers compare with.
func sentinels() []sentinel {
	return []sentinel{
		{"context.Canceled", context.Canceled},
		{"context.DeadlineExceeded", context.DeadlineExceeded},
		{"io.EOF", io.EOF},
		{"io.ErrUnexpectedEOF", io.ErrUnexpectedEOF},
		{"ErrAborted", errors.ErrAborted},
		{"ErrAuthRequired", errors.ErrAuthRequired},
		{"ErrAuthorizationDenied", errors.ErrAuthorizationDenied},
		{"ErrAuthorizationDiscovery", errors.ErrAuthorizationDiscovery},
		{"ErrAuthorizationResponse", errors.ErrAuthorizationResponse},
		{"ErrCapabilityMissing", errors.ErrCapabilityMissing},
		{"ErrCircuitOpen", errors.ErrCircuitOpen},
		{"ErrClientRegistration", errors.ErrClientRegistration},
		{"ErrConnectTimeout", errors.ErrConnectTimeout},
		{"ErrDeliveryDropped", errors.ErrDeliveryDropped},
		{"ErrForbiddenAddress", errors.ErrForbiddenAddress},
		{"ErrInsufficientScope", errors.ErrInsufficientScope},
		{"ErrInvalidParams", errors.ErrInvalidParams},
		{"ErrLimited", errors.ErrLimited},
		{"ErrMessageTooLarge", errors.ErrMessageTooLarge},
		{"ErrNameCollision", errors.ErrNameCollision},
		{"ErrNotMCP", errors.ErrNotMCP},
		{"ErrNotSent", errors.ErrNotSent},
		{"ErrPeerLost", errors.ErrPeerLost},
		{"ErrProtocol", errors.ErrProtocol},
		{"ErrReconnecting", errors.ErrReconnecting},
		{"ErrRedial", errors.ErrRedial},
		{"ErrRequestTimeout", errors.ErrRequestTimeout},
		{"ErrServerExists", errors.ErrServerExists},
		{"ErrSessionLost", errors.ErrSessionLost},
		{"ErrStartFailed", errors.ErrStartFailed},
		{"ErrSupervisionExhausted", errors.ErrSupervisionExhausted},
		{"ErrTokenRequest", errors.ErrTokenRequest},
		{"ErrToolChanged", errors.ErrToolChanged},
		{"ErrToolDenied", errors.ErrToolDenied},
		{"ErrToolFailed", errors.ErrToolFailed},
		{"ErrTransportClosed", errors.ErrTransportClosed},
		{"ErrUnknownName", errors.ErrUnknownName},
		{"ErrUnknownServer", errors.ErrUnknownServer},
		{"ErrVersionMismatch", errors.ErrVersionMismatch},
	}
}

// hide returns a copy without secrets.
func (r *recordedFailure) hide(h *hider) *recordedFailure {
	if r == nil {
		return nil
	}
	hidden := *r
	for _, text := range []*string{&hidden.Message, &hidden.Snippet, &hidden.Stderr, &hidden.Cause} {
		*text = h.text(*text)
	}
	hidden.Challenge = slices.Clone(r.Challenge)
	for i, challenge := range hidden.Challenge {
		hidden.Challenge[i] = h.text(challenge)
	}
	if len(r.Data) > 0 {
		hidden.Data = h.json(r.Data)
	}
	if r.DataText != "" {
		hidden.DataText = string(h.json(json.RawMessage(r.DataText)))
	}
	return &hidden
}

func (c *recordedCall) describe() string {
	return fmt.Sprintf("call %d, %q with params %s", c.number, c.action, c.params)
}
