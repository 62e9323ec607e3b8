package mcptest

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Expectation is one expected call of a Transporter: first the steps (After,
// Delay, Events, Progress) in the order they were added, then one ending
// (Return, Fail, Error, Die, Silence, Answer); the default is an empty result. Its
// methods return the expectation itself.
type Expectation struct {
	transporter *Transporter
	action      string
	matchers    []Matcher
	times       int // -1: any number
	used        int
	steps       []func(*scriptedCall) error
	ending      func(*scriptedCall) (mcp.Message, error)
}

// Times makes the expectation good for exactly n calls.
func (e *Expectation) Times(n int) *Expectation { return e.edit(func() { e.times = n }) }

// Always makes the expectation good for any number of calls, none included.
func (e *Expectation) Always() *Expectation { return e.edit(func() { e.times = -1 }) }

// After waits until the channel is closed.
func (e *Expectation) After(ready <-chan struct{}) *Expectation {
	return e.step(func(c *scriptedCall) error { return c.wait(ready) })
}

// Delay waits for the duration.
func (e *Expectation) Delay(d time.Duration) *Expectation {
	return e.step(func(c *scriptedCall) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		}
	})
}

// Events hands messages to the caller's onEvent, progress to its OnProgress too.
func (e *Expectation) Events(messages ...mcp.Message) *Expectation {
	return e.step(func(c *scriptedCall) error {
		for _, m := range messages {
			c.deliver(m)
		}
		return nil
	})
}

// Progress hands a progress report to the caller's onEvent and OnProgress.
func (e *Expectation) Progress(progress, total float64, message string) *Expectation {
	return e.step(func(c *scriptedCall) error {
		c.deliver(progressMessage(c.received.ID, mcp.Progress{Progress: progress, Total: total, Message: message}))
		return nil
	})
}

// Return ends the call with a result: JSON text (a string, []byte or
// json.RawMessage) or anything that encodes to it; nil is the empty object.
func (e *Expectation) Return(result any) *Expectation {
	raw := rawJSON(result)
	return e.end(func(c *scriptedCall) (mcp.Message, error) { return resultMessage(c.received.ID, raw), nil })
}

// Fail ends the call with an error answer of the server; data is as in Return,
// nil for none.
func (e *Expectation) Fail(code int, message string, data any) *Expectation {
	failure := &mcp.Error{Code: code, Message: message, Data: rawJSON(data)}
	return e.end(func(c *scriptedCall) (mcp.Message, error) { return errorMessage(c.received.ID, failure), nil })
}

// Error ends the call with the error. Unless it is or wraps one already, the
// caller gets it wrapped in a *errors.TransporterRequestError of KindTransport,
// as from a real transporter.
func (e *Expectation) Error(err error) *Expectation {
	return e.end(func(c *scriptedCall) (mcp.Message, error) { return mcp.Message{}, err })
}

// Die ends the call as the death of its server does, with err, which may be nil,
// as the cause: with an error that wraps ErrPeerLost. The next call is served.
func (e *Expectation) Die(err error) *Expectation {
	if err == nil {
		return e.Error(errors.ErrPeerLost)
	}
	return e.Error(fmt.Errorf("%w: %w", errors.ErrPeerLost, err))
}

// Silence never answers: the call ends with its context.
func (e *Expectation) Silence() *Expectation {
	return e.end(func(c *scriptedCall) (mcp.Message, error) { return mcp.Message{}, c.wait(nil) })
}

// Answer ends the call with what the function returns, a result as in Return.
func (e *Expectation) Answer(function func(ctx context.Context, call Received) (result any, err error)) *Expectation {
	return e.end(func(c *scriptedCall) (mcp.Message, error) {
		result, err := function(c.ctx, c.received)
		if err != nil {
			return mcp.Message{}, err
		}
		return resultMessage(c.received.ID, rawJSON(result)), nil
	})
}

func (e *Expectation) edit(change func()) *Expectation {
	e.transporter.mu.Lock()
	defer e.transporter.mu.Unlock()
	change()
	return e
}

func (e *Expectation) step(step func(*scriptedCall) error) *Expectation {
	return e.edit(func() { e.steps = append(e.steps, step) })
}

func (e *Expectation) end(ending func(*scriptedCall) (mcp.Message, error)) *Expectation {
	return e.edit(func() { e.ending = ending })
}

func (e *Expectation) describe() string {
	text := fmt.Sprintf("expected %q", e.action)
	if len(e.matchers) > 0 {
		text += " with " + describe(e.matchers)
	}
	return text
}

func (e *Expectation) play(c *scriptedCall) (mcp.Result, error) {
	e.transporter.mu.Lock()
	steps, ending := e.steps, e.ending
	e.transporter.mu.Unlock()
	for _, step := range steps {
		if err := step(c); err != nil {
			return mcp.Result{}, c.failed(err)
		}
	}
	if ending == nil {
		ending = func(c *scriptedCall) (mcp.Message, error) { return resultMessage(c.received.ID, nil), nil }
	}
	answer, err := ending(c)
	if err != nil {
		return mcp.Result{}, c.failed(err)
	}
	c.deliver(answer)
	if failure := answer.Failure(); failure != nil {
		return mcp.Result{}, c.refused(failure)
	}
	return mcp.ResultOf(&answer), nil
}

// scriptedCall is one call that is running.
type scriptedCall struct {
	ctx      context.Context
	id       uint64
	received Received
	onEvent  transporters.EventFunc
}

func (c *scriptedCall) deliver(m mcp.Message) {
	if c.onEvent != nil {
		c.onEvent(m)
	}
	onProgress := transporters.CallOptionsOf(c.ctx).OnProgress
	if onProgress == nil || m.Method != mcp.NotificationProgress {
		return
	}
	if progress, ok := mcp.ProgressOf(m.Params); ok {
		onProgress(progress)
	}
}

// wait waits for ready or the context. A nil ready never comes.
func (c *scriptedCall) wait(ready <-chan struct{}) error {
	select {
	case <-ready:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

func (c *scriptedCall) failed(err error) error {
	if _, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
		return err
	}
	kind := errors.KindTransport
	if c.ctx.Err() != nil {
		kind = contextKind(c.ctx)
	}
	return requestError(c.received.Method, c.id, kind, err)
}

func (c *scriptedCall) refused(failure *mcp.Error) error {
	return &errors.TransporterRequestError{
		Server: scriptedServer, Action: c.received.Method, ID: c.received.ID.String(),
		Kind: errors.KindPeer, Delivery: errors.DeliveryAnswered,
		Code: failure.Code, Message: failure.Message, Data: failure.Data,
	}
}
