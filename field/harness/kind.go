package main

import (
	"context"
	stderrors "errors"

	"github.com/mcp-client-go/mcpclient/errors"
)

// The kinds of outcome that the cases know.
const (
	kindTimeout     = "timeout"
	kindCanceled    = "canceled"
	kindClosed      = "closed"
	kindSessionLost = "session_lost"
	kindHTTPStatus  = "http_status"
	kindAuth        = "auth"
	kindProtocol    = "protocol"
	kindRPC         = "rpc"
	kindToolError   = "tool_error"
	kindTooLarge    = "too_large"
	kindVersion     = "version"
	kindUnsupported = "unsupported"
	kindSpawn       = "spawn"
	kindConfig      = "config"
)

// errUnsupported: the product, or this harness, has nothing for the action.
var errUnsupported = stderrors.New("not supported")

// kindOf maps an error to the cases' kinds. Where an error has both, a sentinel
// that says precisely what happened goes before the broader Kind.
func kindOf(err error) string {
	for _, known := range []struct {
		sentinel error
		kind     string
	}{
		{errUnsupported, kindUnsupported},
		{errors.ErrUnknownServer, kindConfig},
		{errors.ErrMessageTooLarge, kindTooLarge},
		{errors.ErrStartFailed, kindSpawn},
		{errors.ErrCapabilityMissing, kindUnsupported},
		{errors.ErrRequestTimeout, kindTimeout},
		{context.DeadlineExceeded, kindTimeout},
		{context.Canceled, kindCanceled},
		{errors.ErrTransportClosed, kindClosed},
	} {
		if errors.Is(err, known.sentinel) {
			return known.kind
		}
	}
	if _, ok := errors.AsType[*errors.ServerConfigurationError](err); ok {
		return kindConfig
	}
	if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
		return kindOfFailure(failure.Kind)
	}
	return "unknown"
}

func kindOfFailure(kind errors.Kind) string {
	switch kind {
	case errors.KindPeer:
		return kindRPC
	case errors.KindTransport, errors.KindClosed, errors.KindUnavailable:
		return kindClosed
	case errors.KindStatus:
		return kindHTTPStatus
	case errors.KindTimeout:
		return kindTimeout
	case errors.KindCanceled:
		return kindCanceled
	case errors.KindProtocol:
		return kindProtocol
	case errors.KindSession:
		return kindSessionLost
	case errors.KindAuth:
		return kindAuth
	case errors.KindVersion:
		return kindVersion
	case errors.KindDenied, errors.KindParams:
		return kindUnsupported
	default:
		return "unknown"
	}
}
