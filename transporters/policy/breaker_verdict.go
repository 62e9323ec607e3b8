package policy

import (
	"context"
	"net/http"

	"github.com/mcp-client-go/mcpclient/errors"
)

// verdict is what the outcome of a request says about the way to the server.
type verdict uint8

const (
	healthy    verdict = iota // it answered
	onTheWay                  // the request failed on its way, or the answer did
	noEvidence                // it was not tried, or the caller gave up
)

// verdictOf judges an outcome. Any answer is health: a result, one with isError,
// a JSON-RPC error, a status, even nonsense. Failures on the way are those of the
// network and the process, our own timeouts, and the statuses by which a gateway
// says that it does not get through to the server: 502, 503 and 504. That the
// caller gave up, or a policy refused, says nothing.
func verdictOf(err error) verdict {
	if err == nil {
		return healthy
	}
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	if !ok {
		if err == errPanicked || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return noEvidence
		}
		return onTheWay
	}
	switch failure.Kind {
	case errors.KindTransport:
		return onTheWay
	case errors.KindTimeout:
		if errors.Is(err, errors.ErrRequestTimeout) {
			return onTheWay
		}
		return noEvidence
	case errors.KindStatus:
		switch failure.Status {
		case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return onTheWay
		}
		return healthy
	case errors.KindPeer, errors.KindProtocol, errors.KindSession, errors.KindAuth, errors.KindVersion:
		return healthy
	default:
		if errors.Is(err, errors.ErrDeliveryDropped) {
			return healthy
		}
		return noEvidence
	}
}
