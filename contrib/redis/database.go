package redis

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
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

// database is a Redis that is dialed when it is first needed. The client library
// dials as soon as it is made, which a program that starts must not wait for, and
// fails for good if it cannot: so it is made by the first operation, and by the next
// one if that failed. Once it is made it dials again by itself.
type database struct {
	options rueidis.ClientOption
	timeout time.Duration
	prefix  string
	log     hclog.Logger
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]

	mu      sync.Mutex
	client  rueidis.Client
	dialing *dialing // nil if nobody dials
	closed  bool
	owned   sync.WaitGroup
}

// dialing is one try; the rest is written before done is closed.
type dialing struct {
	done   chan struct{}
	client rueidis.Client
	err    error
}

func newDatabase(options rueidis.ClientOption, timeout time.Duration, prefix string, logger hclog.Logger) *database {
	if logger == nil {
		logger = hclog.NewNullLogger()
	}
	d := &database{options: options, timeout: timeout, prefix: prefix, log: logger}
	d.breaker = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name: "redis", Timeout: downFor, MaxRequests: 1,
		IsExcluded:  func(err error) bool { return errors.Is(err, errCallerLeft) },
		ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= failuresUntilDown },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			switch to {
			case gobreaker.StateOpen:
				logger.Warn("the store is down: nobody asks it for a while", "for", downFor)
			case gobreaker.StateClosed:
				logger.Info("the store is back")
			}
		},
	})
	return d
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
// its data it is as good as down.
func isAnswer(err error) bool {
	answer, ok := rueidis.IsRedisErr(err)
	return ok && !answer.IsLoading() && !answer.IsClusterDown()
}

// connect returns the client, or waits for it.
func (d *database) connect(ctx context.Context) (rueidis.Client, error) {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, errors.ErrTransportClosed
	}
	if d.client != nil {
		defer d.mu.Unlock()
		return d.client, nil
	}
	if d.dialing == nil {
		d.dialing = &dialing{done: make(chan struct{})}
		next := d.dialing
		d.owned.Go(func() { d.dial(next) })
	}
	waited := d.dialing
	d.mu.Unlock()
	select {
	case <-waited.done:
		return waited.client, waited.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// dial is bounded by the dialer's own timeout.
func (d *database) dial(next *dialing) {
	client, err := rueidis.NewClient(d.options)
	d.mu.Lock()
	isLate := d.closed
	if err == nil && !isLate {
		d.client = client
	}
	d.dialing = nil
	next.client, next.err = client, err
	if isLate {
		next.client, next.err = nil, errors.ErrTransportClosed
	}
	d.mu.Unlock()
	close(next.done)
	if err == nil && isLate {
		client.Close()
	}
}

// close ends the connections, and waits for one that is being made.
func (d *database) close() error {
	d.mu.Lock()
	client := d.client
	d.client, d.closed = nil, true
	d.mu.Unlock()
	d.owned.Wait()
	if client != nil {
		client.Close()
	}
	return nil
}

// milliseconds is a duration for Redis, at least one.
func milliseconds(d time.Duration) int64 {
	return max(1, int64((d+time.Millisecond-1)/time.Millisecond))
}
