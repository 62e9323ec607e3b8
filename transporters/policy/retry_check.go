package policy

import (
	"context"
	"net/http"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// CheckRetry decides whether a request that failed with err is made again. ctx
// is the caller's, params are those of the request. An error that it returns
// takes the place of err. It is called in the goroutine of the call, and must be
// safe for concurrent use.
type CheckRetry func(ctx context.Context, action string, params *mcp.Params, err error) (bool, error)

// DefaultCheckRetry makes a request again if another try may fare better, and
//
//   - the server surely did not take it: see errors.SafeToRetry, or it answered
//     429 or 503 with a Retry-After;
//   - or the method only reads: mcp.IsStateReading;
//   - or it is tools/call of a tool that isIdempotent knows for idempotent; nil
//     knows none.
//
// A request that goes on with a round (inputResponses, requestState) is only made
// again if the server surely did not take it. Another try is of use after failures
// on the way, statuses 408, 429, 502, 503 and 504, the loss of a session, and
// while a lost process is being replaced. It is of none after answers, timeouts
// and deadlines, where authorization is wanted, or where this client refused: the
// circuit breaker, a limit, a rule.
func DefaultCheckRetry(isIdempotent func(ctx context.Context, tool string) bool) CheckRetry {
	return func(ctx context.Context, action string, params *mcp.Params, err error) (bool, error) {
		failure, ok := errors.AsType[*errors.TransporterRequestError](err)
		if !ok || ctx.Err() != nil || !mayHavePassed(failure) {
			return false, nil
		}
		switch {
		case wasNotTaken(err):
			return true, nil
		case params.IsContinuation():
			return false, nil
		case action == mcp.MethodCallTool:
			return isIdempotent != nil && isIdempotent(ctx, params.Name()), nil
		default:
			return mcp.IsStateReading(action), nil
		}
	}
}

// wasNotTaken reports whether the server surely did not carry the request out.
func wasNotTaken(err error) bool {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	return errors.SafeToRetry(err) || ok && wasPutOff(failure)
}

// wasPutOff reports whether the server said when to come again, which it does
// instead of carrying a request out.
func wasPutOff(failure *errors.TransporterRequestError) bool {
	return failure.RetryAfter > 0 &&
		(failure.Status == http.StatusTooManyRequests || failure.Status == http.StatusServiceUnavailable)
}

// mayHavePassed reports whether the failure may be over by the next attempt.
func mayHavePassed(failure *errors.TransporterRequestError) bool {
	switch failure.Kind {
	case errors.KindTransport, errors.KindSession:
		return true
	case errors.KindStatus:
		switch failure.Status {
		case http.StatusRequestTimeout, http.StatusTooManyRequests,
			http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return false
	case errors.KindPeer:
		return wasPutOff(failure)
	case errors.KindUnavailable:
		return errors.Is(failure, errors.ErrReconnecting)
	default:
		return false
	}
}
