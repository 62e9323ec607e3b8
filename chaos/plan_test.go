package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
)

// plan is what becomes of one call.
type plan struct {
	name   string
	weight int // of 100 or so
	serve  func(s *server, e exchange)
	// is and status are what the call may fail with; without them it must be
	// answered, unless the session is lost twice.
	is      []error
	status  int
	timeout time.Duration // of the call, 0: the default
	leaves  bool          // its caller does not wait for the end
	refused bool          // the server did not take it: it may be carried out later
}

// stallTimeout is the request timeout of calls that the server leaves waiting.
const stallTimeout = 500 * time.Millisecond

func plans() []plan {
	return []plan{
		{name: "JSON", weight: 30, serve: answerJSON},
		{name: "events", weight: 22, serve: answerEvents},
		{name: "a stream that stays open", weight: 4, serve: answerAndStay},
		{name: "slow", weight: 4, serve: answerSlowly},
		{name: "resumed", weight: 8, serve: answerResumed},
		{name: "on another stream", weight: 4, serve: answerElsewhere, timeout: 10 * stallTimeout, is: []error{errors.ErrRequestTimeout}},

		{name: "unauthorized", weight: 5, serve: refuseWith(401), is: []error{errors.ErrAuthRequired}, status: 401, refused: true},
		{name: "too many", weight: 5, serve: refuseWith(429), status: 429, refused: true},
		{name: "unavailable", weight: 5, serve: refuseWith(503), status: 503, refused: true},
		{name: "cut before the head", weight: 3, serve: cutHead, is: []error{errors.ErrPeerLost}},
		{name: "cut within JSON", weight: 3, serve: cutJSON, is: []error{errors.ErrPeerLost}},
		{name: "cut within a stream", weight: 3, serve: cutStream, is: []error{errors.ErrPeerLost}},
		{name: "stalls before the head", weight: 1, serve: stallHead, timeout: stallTimeout, is: []error{errors.ErrRequestTimeout}},
		{name: "stalls within a stream", weight: 1, serve: stallStream, timeout: stallTimeout, is: []error{errors.ErrRequestTimeout, errors.ErrPeerLost}},
		{name: "stalls within JSON", weight: 1, serve: stallJSON, timeout: stallTimeout, is: []error{errors.ErrRequestTimeout, errors.ErrPeerLost}},
		{name: "somebody else's answer", weight: 1, serve: answerWrongly, is: []error{errors.ErrProtocol}},
		{name: "too long", weight: 1, serve: answerTooLong, is: []error{errors.ErrMessageTooLarge}},
		{name: "a page", weight: 1, serve: answerPage, is: []error{errors.ErrNotMCP}},
		{name: "its caller leaves", weight: 3, serve: answerSlowly, leaves: true, is: []error{context.Canceled}},
	}
}

// choose picks a plan by weight.
func choose(all []plan, random *rand.Rand) *plan {
	total := 0
	for i := range all {
		total += all[i].weight
	}
	n := random.IntN(total)
	for i := range all {
		if n -= all[i].weight; n < 0 {
			return &all[i]
		}
	}
	return &all[0]
}

// judge says what is wrong with how a call ended; "" if nothing is.
func (p *plan) judge(err error) string {
	if err == nil {
		if p.is != nil || p.status != 0 {
			if !p.leaves && p.timeout == 0 {
				return "it was answered"
			}
		}
		return ""
	}
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	switch {
	case !ok:
		return fmt.Sprintf("not a typed error: %T", err)
	case errors.Is(err, errors.ErrSessionLost):
		return ""
	case strings.Contains(err.Error(), "an earlier request that was given up"):
		return "" // net/http's doing, on a machine that has no time
	case p.status != 0 && (failure.Status != p.status || failure.RetryAfter != retryAfter):
		return fmt.Sprintf("status %d, retry after %v", failure.Status, failure.RetryAfter)
	case p.status != 0 && p.is == nil:
		return ""
	}
	for _, is := range p.is {
		if errors.Is(err, is) {
			return ""
		}
	}
	return "another error"
}

// options are those of the call.
func (p *plan) options() []mcpclient.CallOption {
	if p.timeout == 0 {
		return nil
	}
	return []mcpclient.CallOption{mcpclient.WithTimeout(p.timeout)}
}

// retryAfter is what refusals ask for.
const retryAfter = 7 * time.Second

func refuseWith(status int) func(*server, exchange) {
	return func(_ *server, e exchange) {
		e.w.Header().Set("Retry-After", fmt.Sprint(retryAfter.Seconds()))
		e.w.Header().Set("Www-Authenticate", "Bearer")
		http.Error(e.w, "not now", status)
	}
}
