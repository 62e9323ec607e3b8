package otel

import (
	"context"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// errorOfTool is the type of the failure of a tool (isError): the conventions' word.
const errorOfTool = "tool_error"

// failure is what went wrong; the zero value is nothing.
type failure struct {
	errorType string
	code      string // of the answer, if it has one
	message   string
}

func (h *Hook) failureOf(server string, err error, toolError bool) failure {
	switch {
	case err == nil && toolError:
		return failure{errorType: errorOfTool}
	case err == nil:
		return failure{}
	}
	if found, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
		switch found.Kind {
		case errors.KindPeer:
			return h.answered(server, &mcp.Error{Code: found.Code, Message: found.Message})
		case errors.KindStatus:
			if found.Status > 0 {
				return failure{errorType: h.errorName(server, strconv.Itoa(found.Status)), message: errors.PeerText(err.Error(), maxMessage)}
			}
		}
	}
	return failure{errorType: errorType(err), message: errors.PeerText(err.Error(), maxMessage)}
}

// answered is the failure that the server answered with.
func (h *Hook) answered(server string, answer *mcp.Error) failure {
	code := h.errorName(server, strconv.Itoa(answer.Code))
	return failure{errorType: code, code: code, message: errors.PeerText(answer.Message, maxMessage)}
}

// errorName bounds what servers can choose.
func (h *Hook) errorName(server, name string) string { return h.names.admit(server, kindError, name) }

// errorType is a word for the kind of the error.
func errorType(err error) string {
	if kind := transporters.KindOf(err); kind != errors.KindUnknown {
		return strings.ReplaceAll(strings.ToLower(kind.String()), " ", "_")
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, errors.ErrTransportClosed):
		return "closed"
	default:
		return other
	}
}

func (f failure) attributes() []attribute.KeyValue {
	var attributes []attribute.KeyValue
	if f.errorType != "" {
		attributes = append(attributes, keyErrorType.String(f.errorType))
	}
	if f.code != "" {
		attributes = append(attributes, keyResponseCode.String(f.code))
	}
	return attributes
}

// mark makes the span that of a failure, if there is one.
func (f failure) mark(span trace.Span) {
	if f.errorType == "" {
		return
	}
	span.SetAttributes(f.attributes()...)
	span.SetStatus(codes.Error, f.message)
}
