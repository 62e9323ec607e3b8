package policy

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// How requests are made again. Two plain functions decide: CheckRetry, whether a
// failed request is made again (retry_check.go), and Backoff, how long to wait
// before (retry_backoff.go). The loop here adds the bounds: attempts, wall clock,
// the call's own ceiling, and the caller's deadline. A wait that cannot end in
// time is not begun.
//
// Every attempt is a request of its own, with an id of its own and the same
// params. The caller's onEvent sees the messages of all of them, error answers
// included, and progress may begin anew.

// RetryConfig says how often and how fast a failed request is made again.
type RetryConfig struct {
	// Attempts is how often a request is made at most, the first time included;
	// 1 or less is off.
	Attempts int `config:"attempts" default:"1" doc:"how often one request is made at most, where the server surely did not take it or only reads; 1 is off"`
	// InitialBackoff bounds the first wait, MaxBackoff every later one.
	InitialBackoff config.Duration `config:"initial_backoff" default:"200ms" doc:"longest wait before the second attempt; it doubles with each attempt and is spent in part, at random; a Retry-After comes on top"`
	MaxBackoff     config.Duration `config:"max_backoff" default:"5s" doc:"what initial_backoff doubles to"`
	// MaxElapsed is how long after the first attempt another one may begin.
	MaxElapsed config.Duration `config:"max_elapsed" default:"30s" doc:"no attempt begins later than this after the first one"`
	// IdempotentTools trusts the annotations of tools.
	IdempotentTools bool `config:"idempotent_tools" doc:"make a failed tools/call again, although it may have run, if the server lists the tool as idempotent or read-only"`
}

// maxAttempts bounds what may be configured: a factor by which the load on a
// server that fails can grow.
const maxAttempts = 20

// Check returns a fault for every value that makes no sense. section gives them
// their place, under the key retry.
func (c RetryConfig) Check(section *config.Section) []errors.Fault {
	var faults []errors.Fault
	if c.Attempts < 1 || c.Attempts > maxAttempts {
		fault := section.Fault("retry.attempts", "not a number of attempts")
		fault.Found, fault.Allowed = fmt.Sprint(c.Attempts), fmt.Sprintf("1 (off) to %d", maxAttempts)
		faults = append(faults, fault)
	}
	for key, d := range map[string]config.Duration{
		"retry.initial_backoff": c.InitialBackoff, "retry.max_backoff": c.MaxBackoff,
	} {
		if d.IsOff() {
			faults = append(faults, neverOff(section, key))
		}
	}
	initial, _ := c.InitialBackoff.Value()
	if most, isSet := c.MaxBackoff.Value(); isSet && most < initial {
		fault := section.Fault("retry.max_backoff", "shorter than retry.initial_backoff")
		fault.Found, fault.Allowed = most.String(), initial.String()+" or more"
		faults = append(faults, fault)
	}
	return faults
}

// neverOff is the fault of a duration that cannot be switched off.
func neverOff(section *config.Section, key string) errors.Fault {
	fault := section.Fault(key, "cannot be off")
	fault.Found, fault.Allowed = "off", "a duration such as 5s"
	return fault
}

// RetryOptions are what a configuration file cannot hold. All may be left out.
type RetryOptions struct {
	// Check decides whether a failed request is made again; nil is
	// DefaultCheckRetry(nil).
	Check CheckRetry
	// Backoff says how long to wait before; nil is ExponentialBackoff with the
	// configured times.
	Backoff Backoff
	// MaxRequestTimeout is the whole life of a request that brings no ceiling of
	// its own, all attempts and waits included; 0 is no limit.
	MaxRequestTimeout time.Duration
	// Life ends the waits: with ErrTransportClosed.
	Life context.Context
	// Logger is told of every attempt that is followed by another one.
	Logger hclog.Logger
}

// Retry returns the policy that makes failed requests again. It returns the
// error of the last attempt, with the number of attempts in it; that the server
// may have taken an earlier one shows in Delivery.
func Retry(server string, cfg RetryConfig, options RetryOptions) transporters.Wrapper {
	if options.Check == nil {
		options.Check = DefaultCheckRetry(nil)
	}
	if options.Backoff == nil {
		options.Backoff = ExponentialBackoff(cfg.InitialBackoff.Or(200*time.Millisecond), cfg.MaxBackoff.Or(5*time.Second), nil)
	}
	if options.Logger == nil {
		options.Logger = hclog.NewNullLogger()
	}
	return func(next transporters.Transporter) transporters.Transporter {
		if cfg.Attempts <= 1 {
			return next
		}
		return &retry{server: server, attempts: cfg.Attempts, maxElapsed: cfg.MaxElapsed.Or(30 * time.Second), options: options, next: next}
	}
}

type retry struct {
	server     string
	attempts   int
	maxElapsed time.Duration // 0: no limit
	options    RetryOptions
	next       transporters.Transporter
}

// Request makes the request, and again as long as that is allowed and of use.
func (r *retry) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	encoded, err := mcp.ParamsOf(params)
	if err != nil {
		return mcp.Result{}, unencodable(r.server, action, err)
	}
	a := attempts{retry: r, caller: ctx, action: action, params: encoded, began: time.Now()}
	for attempt := ctx; ; attempt = a.context() {
		result, err := r.next.Request(attempt, action, encoded, onEvent)
		if err == nil {
			return result, nil
		}
		if isLast, told := a.failed(err); isLast {
			return mcp.Result{}, told
		}
	}
}

// attempts is what one call has been through.
type attempts struct {
	retry    *retry
	caller   context.Context
	action   string
	params   *mcp.Params
	began    time.Time
	made     int
	mayBeRun bool // an attempt before the last one may have been taken
}

// context is that of another attempt: what is left of the call's life.
func (a *attempts) context() context.Context {
	ceiling := ceilingOf(a.caller, a.retry.options.MaxRequestTimeout)
	if ceiling <= 0 {
		return a.caller
	}
	return withCeiling(a.caller, max(ceiling-time.Since(a.began), time.Millisecond))
}

// failed decides what becomes of the call after an attempt has failed. It waits
// if there is to be another one.
func (a *attempts) failed(err error) (isLast bool, told error) {
	a.made++
	again, replaced := a.retry.options.Check(a.caller, a.action, a.params, err)
	if replaced != nil {
		err = replaced
	}
	if !again || a.made >= a.retry.attempts {
		return true, a.told(err)
	}
	wait := max(a.retry.options.Backoff(a.made, err), 0)
	if reason := a.tooLong(wait); reason != "" {
		a.retry.options.Logger.Debug("a failed request is not made again", "server", a.retry.server, "action", a.action,
			"attempt", a.made, "wait", wait, "reason", reason, "error", err)
		return true, a.told(err)
	}
	a.retry.options.Logger.Debug("a failed request is made again", "server", a.retry.server, "action", a.action,
		"attempt", a.made, "wait", wait, "error", err)
	if interrupted := pause(a.caller, a.retry.options.Life, wait); interrupted != nil {
		return true, a.interrupted(interrupted, err)
	}
	a.mayBeRun = a.mayBeRun || !wasNotTaken(err)
	return false, nil
}

// tooLong says which bound a wait would break; it is empty if there is none.
func (a *attempts) tooLong(wait time.Duration) string {
	begin := time.Since(a.began) + wait
	ceiling := ceilingOf(a.caller, a.retry.options.MaxRequestTimeout)
	left, isBounded := until(a.caller)
	switch {
	case a.retry.maxElapsed > 0 && begin > a.retry.maxElapsed:
		return fmt.Sprintf("it would begin %v after the first attempt, later than retry.max_elapsed", begin.Round(time.Millisecond))
	case ceiling > 0 && begin >= ceiling:
		return "it would begin after max_request_timeout"
	case isBounded && wait >= left:
		return "it would begin after the caller's deadline"
	default:
		return ""
	}
}

// told is the error of the last attempt, with what is to be known of all.
func (a *attempts) told(err error) error {
	failure, ok := err.(*errors.TransporterRequestError)
	if a.made <= 1 || !ok {
		return err
	}
	told := *failure
	told.Attempts = a.made
	if a.mayBeRun && wasNotTaken(err) {
		told.Delivery = errors.DeliveryUnknown
		told.Err = takenBefore{failure.Err}
	}
	return &told
}

// interrupted is the error of a call that ended between two attempts.
func (a *attempts) interrupted(err, last error) error {
	text := errors.PeerText(last.Error(), maxTaskText)
	failure := waitFailure(a.retry.server, a.action, "while waiting to try again after: "+text, err)
	if a.mayBeRun || !wasNotTaken(last) {
		failure.Delivery = errors.DeliveryUnknown
	}
	failure.Attempts = a.made
	return failure
}

// takenBefore hides that the last attempt was not sent, where an earlier one may
// have been taken: SafeToRetry must not be misled.
type takenBefore struct{ err error }

func (t takenBefore) Error() string {
	if t.err == nil {
		return ""
	}
	return t.err.Error()
}

// Is matches what the error matches, but not ErrNotSent.
func (t takenBefore) Is(target error) bool {
	return target != errors.ErrNotSent && errors.Is(t.err, target)
}

// As finds what the error holds.
func (t takenBefore) As(target any) bool { return errors.As(t.err, target) }
