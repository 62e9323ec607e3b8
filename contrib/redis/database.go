package redis

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/rueidis"
	"github.com/sony/gobreaker/v2"

	"github.com/mcp-client-go/mcpclient/errors"
)

// ErrDown is the error of an operation that the store did not answer: it cannot be
// reached, or not in time.
var ErrDown = errors.New("the store is down")

// errCallerLeft tells nothing of the store.
var errCallerLeft = errors.New("the caller did not wait")

// After so many failures in a row nobody asks the store for so long.
const (
	failuresUntilDown = 3
	downFor           = time.Second
)

// database is what one kind of operations shares: a connection, how long they may
// take, and whether it is worth asking at all.
type database struct {
	*connection
	timeout time.Duration
	prefix  string
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]
}

func (c *connection) within(timeout time.Duration, prefix string) *database {
	return &database{connection: c, timeout: timeout, prefix: prefix, breaker: gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name: "redis", Timeout: downFor, MaxRequests: 1,
		IsExcluded:  func(err error) bool { return errors.Is(err, errCallerLeft) },
		ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= failuresUntilDown },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			switch to {
			case gobreaker.StateOpen:
				c.log.Warn("the store is down: it is not asked for a while", "for", downFor)
			case gobreaker.StateClosed:
				c.log.Info("the store is back")
			}
		},
	})}
}

// do runs an operation within the store's time. An error that is no answer of the
// store's wraps ErrDown, unless the caller's own context ended.
func (d *database) do(ctx context.Context, operation func(ctx context.Context, client rueidis.Client) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	report, err := d.breaker.Allow()
	if err != nil {
		return fmt.Errorf("%w: it did not answer a moment ago", ErrDown)
	}
	began := time.Now()
	bounded, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	err = d.try(bounded, operation)
	switch {
	case err == nil || isAnswer(err):
		report(nil)
		return err
	case ctx.Err() != nil && time.Since(began) < d.timeout/2:
		report(errCallerLeft)
		return context.Cause(ctx)
	case ctx.Err() != nil: // but the store was slow
		report(err)
		return context.Cause(ctx)
	default:
		report(err)
		return fmt.Errorf("%w: %w", ErrDown, err)
	}
}

func (d *database) try(ctx context.Context, operation func(ctx context.Context, client rueidis.Client) error) error {
	client, err := d.connect(ctx)
	if err != nil {
		return err
	}
	return operation(ctx, client)
}

// isAnswer reports whether an error is what the store itself says. While it loads
// its data, or is not the master that it was taken for, it is as good as down.
func isAnswer(err error) bool {
	answer, ok := rueidis.IsRedisErr(err)
	if !ok || answer.IsLoading() || answer.IsClusterDown() {
		return false
	}
	switch code, _, _ := strings.Cut(answer.Error(), " "); code {
	case "READONLY", "MASTERDOWN", "NOREPLICAS":
		return false
	default:
		return true
	}
}

// milliseconds is a duration for Redis, at least one.
func milliseconds(d time.Duration) int64 {
	return max(1, int64((d+time.Millisecond-1)/time.Millisecond))
}
