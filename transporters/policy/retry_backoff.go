package policy

import (
	"math/rand/v2"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Backoff says how long to wait before a request is made again. attempt is the
// number of attempts so far, err the error of the last one. It must be safe for
// concurrent use.
type Backoff func(attempt int, err error) time.Duration

// ExponentialBackoff returns a Backoff with full jitter: a random part of
// initial, twice initial, and so on up to most. Where err says how long to wait at
// least (RetryAfter), the random part comes on top of that, so that callers who
// were all put off to the same time do not come back together. random returns
// numbers from 0 up to 1; nil is the standard library's.
func ExponentialBackoff(initial, most time.Duration, random func() float64) Backoff {
	if random == nil {
		random = rand.Float64
	}
	return func(attempt int, err error) time.Duration {
		longest := initial
		for range attempt - 1 {
			if longest *= 2; longest >= most || longest <= 0 {
				longest = most
				break
			}
		}
		wait := time.Duration(random() * float64(min(longest, most)))
		if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
			wait += failure.RetryAfter
		}
		return wait
	}
}
