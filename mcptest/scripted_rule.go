package mcptest

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Rule is what a ScriptedLink does with one request or notification: first the
// steps (After, Delay, Notify, Progress, Request, Call) in the order they were
// added, then one ending (Return, Fail, Body, Error, Silence, Die, Answer); the
// default is an empty result. Its methods return the rule itself.
type Rule struct {
	link     *ScriptedLink
	method   string
	matchers []Matcher
	times    int // -1: any number
	used     int
	steps    []func(ctx context.Context, e *exchange) error
	ending   func(ctx context.Context, e *exchange) (transporters.Reply, error)
	refuses  bool // the ending is an error that says: not sent
	status   int
	header   http.Header
}

// Where narrows the rule to requests whose params every matcher matches.
func (r *Rule) Where(matchers ...Matcher) *Rule {
	return r.edit(func() { r.matchers = append(r.matchers, matchers...) })
}

// Times makes the rule good for exactly n requests.
func (r *Rule) Times(n int) *Rule { return r.edit(func() { r.times = n }) }

// Always makes the rule good for any number of requests, none included.
func (r *Rule) Always() *Rule { return r.edit(func() { r.times = -1 }) }

// After waits until the channel is closed.
func (r *Rule) After(ready <-chan struct{}) *Rule {
	return r.step(func(ctx context.Context, e *exchange) error { return e.wait(ctx, ready) })
}

// Delay waits for the duration.
func (r *Rule) Delay(d time.Duration) *Rule {
	return r.step(func(ctx context.Context, e *exchange) error { return e.sleep(ctx, d) })
}

// Notify lets a notification arrive. params is JSON text or encodes to it.
func (r *Rule) Notify(method string, params any) *Rule {
	m := notificationMessage(method, rawJSON(params))
	return r.step(func(_ context.Context, e *exchange) error { e.arrive(m); return nil })
}

// Progress lets a progress notification arrive that bears the request's own
// token. It fails the test if the request has none.
func (r *Rule) Progress(progress, total float64, message string) *Rule {
	return r.step(func(_ context.Context, e *exchange) error {
		token := progressTokenOf(e.frame.Params)
		if token.IsZero() {
			r.link.fail("%s: the request has no progress token", r.describe())
			return nil
		}
		e.arrive(progressMessage(token, mcp.Progress{Progress: progress, Total: total, Message: message}))
		return nil
	})
}

// Request lets a request of the server arrive. id is JSON: 7 or "\"srv-1\"".
func (r *Rule) Request(id, method string, params any) *Rule {
	m := requestMessage(mcp.ID(rawJSON(id)), method, rawJSON(params))
	return r.step(func(_ context.Context, e *exchange) error { e.arrive(m); return nil })
}

// Call calls the function.
func (r *Rule) Call(function func(Received)) *Rule {
	return r.step(func(_ context.Context, e *exchange) error { function(e.frame); return nil })
}

// Status sets the HTTP status of the reply; the default is 200. Without Return,
// Fail or Body the reply has an empty body.
func (r *Rule) Status(status int) *Rule {
	return r.edit(func() {
		r.status = status
		if r.ending == nil {
			r.ending = bodyEnding(nil)
		}
	})
}

// Header adds a header to the HTTP reply.
func (r *Rule) Header(name, value string) *Rule {
	return r.edit(func() {
		if r.header == nil {
			r.header = http.Header{}
		}
		r.header.Add(name, value)
	})
}

// Return answers with a result: JSON text (a string, []byte or json.RawMessage)
// or anything that encodes to it; nil is the empty object.
func (r *Rule) Return(result any) *Rule {
	raw := rawJSON(result)
	return r.end(func(_ context.Context, e *exchange) (transporters.Reply, error) {
		return transporters.Reply{Message: resultMessage(e.frame.ID, raw)}, nil
	})
}

// Fail answers with a JSON-RPC error; data is as in Return, nil for none.
func (r *Rule) Fail(code int, message string, data any) *Rule {
	failure := &mcp.Error{Code: code, Message: message, Data: rawJSON(data)}
	return r.end(func(_ context.Context, e *exchange) (transporters.Reply, error) {
		return transporters.Reply{Message: errorMessage(e.frame.ID, failure)}, nil
	})
}

// Body answers with a body that is no JSON-RPC answer, as HTTP servers do.
func (r *Rule) Body(text string) *Rule { return r.end(bodyEnding([]byte(text))) }

// Error makes Exchange or Send return the error. One that wraps ErrNotSent comes
// before the sink's Accepted.
func (r *Rule) Error(err error) *Rule {
	r.edit(func() { r.refuses = errors.Is(err, errors.ErrNotSent) })
	return r.end(func(context.Context, *exchange) (transporters.Reply, error) { return transporters.Reply{}, err })
}

// Silence never answers: the exchange ends with its context or with the link.
func (r *Rule) Silence() *Rule {
	return r.end(func(ctx context.Context, e *exchange) (transporters.Reply, error) {
		return transporters.Reply{}, e.wait(ctx, nil)
	})
}

// Die ends the whole link as ScriptedLink.Die does.
func (r *Rule) Die(err error) *Rule {
	return r.end(func(_ context.Context, e *exchange) (transporters.Reply, error) {
		e.link.Die(err)
		return transporters.Reply{}, e.link.Err()
	})
}

// Answer answers with what the function returns. It runs in the goroutine that
// called Exchange.
func (r *Rule) Answer(function func(ctx context.Context, frame Received) (transporters.Reply, error)) *Rule {
	return r.end(func(ctx context.Context, e *exchange) (transporters.Reply, error) { return function(ctx, e.frame) })
}

func (r *Rule) edit(change func()) *Rule {
	r.link.mu.Lock()
	defer r.link.mu.Unlock()
	change()
	return r
}

func (r *Rule) step(step func(ctx context.Context, e *exchange) error) *Rule {
	return r.edit(func() { r.steps = append(r.steps, step) })
}

func (r *Rule) end(ending func(ctx context.Context, e *exchange) (transporters.Reply, error)) *Rule {
	return r.edit(func() { r.ending = ending })
}

func (r *Rule) describe() string {
	text := fmt.Sprintf("%q", r.method)
	if len(r.matchers) > 0 {
		text += " where " + describe(r.matchers)
	}
	return text
}

// play runs the rule in the goroutine that called Exchange or Send.
func (r *Rule) play(ctx context.Context, e *exchange) (transporters.Reply, error) {
	r.link.mu.Lock()
	steps, ending, refuses, status, header := r.steps, r.ending, r.refuses, r.status, r.header
	r.link.mu.Unlock()
	if e.sink != nil && !refuses {
		e.sink.Accepted()
	}
	for _, step := range steps {
		if err := step(ctx, e); err != nil {
			return transporters.Reply{}, err
		}
	}
	var reply transporters.Reply
	var err error
	switch {
	case ending != nil:
		reply, err = ending(ctx, e)
	case !e.frame.ID.IsZero():
		reply.Message = resultMessage(e.frame.ID, nil)
	}
	if err != nil {
		return transporters.Reply{}, err
	}
	if e.link.traits.HTTP && reply.Status == 0 {
		reply.Status, reply.Header = http.StatusOK, header.Clone()
		if status != 0 {
			reply.Status = status
		}
	}
	if !reply.Message.IsZero() && e.sink != nil {
		e.sink.Arrived()
	}
	return reply, nil
}

func bodyEnding(body []byte) func(context.Context, *exchange) (transporters.Reply, error) {
	return func(context.Context, *exchange) (transporters.Reply, error) {
		return transporters.Reply{Body: body}, nil
	}
}

// exchange is one running request, or a notification, for which sink is nil.
type exchange struct {
	link  *ScriptedLink
	frame Received
	out   *transporters.Outbound
	sink  transporters.Sink
}

// arrive routes a message as the kind of link does that the traits tell of: to
// the session first, then to the exchange.
func (e *exchange) arrive(m mcp.Message) {
	own := e.sink != nil && m.Method == mcp.NotificationProgress && belongs(m, e.out.Token)
	mine := e.sink != nil && (own || e.link.traits.HTTP)
	if mine {
		e.sink.Arrived()
	}
	if !own {
		e.link.Inject(m)
	}
	if mine && e.out.WantEvents {
		e.sink.Deliver(m)
	}
}

// wait waits for ready, the context or the link's end. A nil ready never comes.
func (e *exchange) wait(ctx context.Context, ready <-chan struct{}) error {
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-e.link.done:
		return e.link.Err()
	}
}

func (e *exchange) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-e.link.done:
		return e.link.Err()
	}
}
