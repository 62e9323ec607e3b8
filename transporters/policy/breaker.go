package policy

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/sony/gobreaker/v2"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// How the circuit breaker works. It counts requests in a row that failed on their
// way; what counts as such is in breaker_verdict.go. Once there are enough the
// circuit is open, and further requests fail at once. After open_for it is half
// open: one harmless request at a time tries the server. A request of a caller
// that only reads state serves; before any other one a ping goes. The state
// machine is gobreaker's.
//
// There is one circuit for a server: whether it can be reached is not a matter of
// who asks.

// BreakerConfig says when requests are no longer tried. The zero value is off.
type BreakerConfig struct {
	Failures Count           `config:"failures" default:"off" doc:"requests in a row that fail on their way, after which further ones fail at once; any answer, be it an error, ends the row"`
	OpenFor  config.Duration `config:"open_for" default:"30s" doc:"how long requests fail before a harmless one tries the server again"`
	Probes   int             `config:"probes" default:"1" doc:"how many of these must get through before all do"`
}

// maxProbes bounds what may be configured.
const maxProbes = 100

// Check returns a fault for every value that makes no sense. section gives them
// their place, under the key breaker.
func (c BreakerConfig) Check(section *config.Section) []errors.Fault {
	var faults []errors.Fault
	if c.OpenFor.IsOff() {
		faults = append(faults, neverOff(section, "breaker.open_for"))
	}
	if c.Probes < 1 || c.Probes > maxProbes {
		fault := section.Fault("breaker.probes", "not a number of requests that can try a server")
		fault.Found, fault.Allowed = strconv.Itoa(c.Probes), fmt.Sprintf("1 to %d", maxProbes)
		faults = append(faults, fault)
	}
	return faults
}

// Breaker returns the policy that fails requests at once while a server cannot be
// reached: with ErrCircuitOpen, kind KindUnavailable, delivery DeliveryNotSent.
// RetryAfter says when the server is tried again.
func Breaker(server string, cfg BreakerConfig, logger hclog.Logger) transporters.Wrapper {
	if logger == nil {
		logger = hclog.NewNullLogger()
	}
	return func(next transporters.Transporter) transporters.Transporter {
		if cfg.Failures <= 0 {
			return next
		}
		b := &breaker{server: server, failures: int(cfg.Failures), openFor: cfg.OpenFor.Or(30 * time.Second), log: logger, next: next}
		b.circuit = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
			Name:          server,
			MaxRequests:   uint32(max(cfg.Probes, 1)),
			Timeout:       b.openFor,
			ReadyToTrip:   func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= uint32(cfg.Failures) },
			IsSuccessful:  func(err error) bool { return verdictOf(err) == healthy },
			IsExcluded:    func(err error) bool { return verdictOf(err) == noEvidence },
			OnStateChange: b.changed,
		})
		return b
	}
}

type breaker struct {
	server   string
	failures int
	openFor  time.Duration
	log      hclog.Logger
	next     transporters.Transporter
	circuit  *gobreaker.TwoStepCircuitBreaker[struct{}]

	state  atomic.Int32              // the circuit's, as of its last change
	told   atomic.Int32              // the state that the log knows
	opened atomic.Pointer[time.Time] // when it opened last
	cause  atomic.Pointer[string]    // the last failure on the way
}

// errPanicked stands for the outcome of a request whose callback panicked.
var errPanicked = errors.New("a callback panicked")

// Request makes the request, unless the circuit is open.
func (b *breaker) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	done, err := b.admit(ctx, action)
	if err != nil {
		return mcp.Result{}, err
	}
	outcome := errPanicked
	defer func() { b.settle(done, outcome) }()
	result, err := b.next.Request(ctx, action, params, onEvent)
	outcome = err
	return result, err
}

// admit lets a request through if the circuit does. Where it is half open, and
// the request might do something, a ping goes first.
func (b *breaker) admit(ctx context.Context, action string) (done func(error), err error) {
	for {
		done, err = b.circuit.Allow()
		b.report()
		if err != nil {
			return nil, b.refused(action)
		}
		if b.is(gobreaker.StateClosed) || isHarmless(action) {
			return done, nil
		}
		if err := b.probe(ctx, action, done); err != nil {
			return nil, err
		}
	}
}

// isHarmless reports whether a request may try a server that may be ill.
func isHarmless(action string) bool { return action == mcp.MethodPing || mcp.IsStateReading(action) }

// probeSilence bounds the silence of a ping that tries the server.
const probeSilence = 10 * time.Second

// probe pings the server in the place of the request.
func (b *breaker) probe(ctx context.Context, action string, done func(error)) error {
	ctx = transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) {
		o.OnProgress = nil
		if silence := probeSilence; o.RequestTimeout == nil || *o.RequestTimeout == 0 || *o.RequestTimeout > silence {
			o.RequestTimeout = &silence
		}
	})
	_, err := b.next.Request(ctx, mcp.MethodPing, nil, nil)
	b.settle(done, err)
	switch verdictOf(err) {
	case healthy:
		return nil
	case onTheWay:
		return b.refused(action)
	}
	told := errors.TransporterRequestError{Kind: errors.KindCanceled, Err: err}
	if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
		told = *failure
	}
	told.Server, told.Action, told.ID, told.Delivery = b.server, action, "", errors.DeliveryNotSent
	return &told
}

// settle tells the circuit what became of a request.
func (b *breaker) settle(done func(error), err error) {
	if verdictOf(err) == onTheWay {
		text := b.briefly(err)
		b.cause.Store(&text)
	}
	done(err)
	b.report()
}

func (b *breaker) is(state gobreaker.State) bool { return b.state.Load() == int32(state) }

// changed is called by the circuit, under its lock.
func (b *breaker) changed(_ string, _, to gobreaker.State) {
	if to == gobreaker.StateOpen {
		now := time.Now()
		b.opened.Store(&now)
	}
	b.state.Store(int32(to))
}

// report logs a change of the state.
func (b *breaker) report() {
	state := b.state.Load()
	if b.told.Load() == state || b.told.Swap(state) == state {
		return
	}
	switch gobreaker.State(state) {
	case gobreaker.StateOpen:
		b.log.Warn("the circuit is open: requests fail at once", "server", b.server, "for", b.openFor, "error", b.lastFailure())
	case gobreaker.StateHalfOpen:
		b.log.Debug("the circuit is half open: the server is tried", "server", b.server)
	case gobreaker.StateClosed:
		b.log.Info("the circuit is closed: the server answers again", "server", b.server)
	}
}

// trialTime is when to come back while the server is being tried.
const trialTime = time.Second

// refused is the error of a request that was not let through.
func (b *breaker) refused(action string) error {
	failure := &errors.TransporterRequestError{
		Server: b.server, Action: action, Kind: errors.KindUnavailable, Delivery: errors.DeliveryNotSent,
		RetryAfter: min(trialTime, b.openFor), Err: errors.ErrCircuitOpen,
	}
	when := "just now"
	if opened := b.opened.Load(); opened != nil && !b.is(gobreaker.StateHalfOpen) {
		// The circuit takes the very end of the time for open still.
		failure.RetryAfter = max(b.openFor-time.Since(*opened), 0) + time.Millisecond
		when = "in " + failure.RetryAfter.Round(time.Millisecond).String()
	}
	failure.Message = fmt.Sprintf("%d requests in a row failed on their way, the last one: %s; the server is tried again %s",
		b.failures, b.lastFailure(), when)
	return failure
}

func (b *breaker) lastFailure() string {
	if text := b.cause.Load(); text != nil {
		return *text
	}
	return "unknown"
}

// maxCause bounds what is told of the failure that opened the circuit.
const maxCause = 300

// briefly is the text of a failure without the server's name and the tail of
// stderr, on one line.
func (b *breaker) briefly(err error) string {
	if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
		brief := *failure
		brief.Stderr, brief.Snippet = "", ""
		err = &brief
	}
	return errors.PeerText(strings.TrimPrefix(err.Error(), fmt.Sprintf("mcp server %q: ", b.server)), maxCause)
}
