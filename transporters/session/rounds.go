package session

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/sleep"
	"github.com/mcp-client-go/mcpclient/mcp"
)

const (
	// maxRounds bounds the input-required rounds of one call (R218).
	maxRounds = 10
	// roundPause is waited before a round that was asked for without input.
	roundPause = 250 * time.Millisecond
)

// nextRound answers an input-required result through the handlers and returns
// the params of the next round: the caller's own, with this round's answers and
// state (R207-R214). It returns nil if the result is for the caller: because it
// asked for that, or because a handler is missing.
func (s *Session) nextRound(c *call, result mcp.Result, rounds int) (*mcp.Params, error) {
	if c.options.HandOverInput {
		return nil, nil
	}
	required, err := mcp.ParseInputRequiredResult(result)
	if err != nil {
		return nil, err
	}
	for _, request := range required.InputRequests {
		if !s.handlers.serves(request.Method, request.Params, mcp.EraModern) {
			return nil, nil
		}
	}
	if rounds >= maxRounds {
		return nil, protocolError("the server asks for input again after " + strconv.Itoa(maxRounds) + " rounds")
	}
	c.isExposed = true // to handlers
	c.pauses.begin()
	responses, err := s.gather(c.ctx, required.InputRequests)
	c.pauses.end()
	if err != nil {
		return nil, err
	}
	if len(responses) == 0 {
		if err := sleep.For(c.ctx, roundPause); err != nil {
			return nil, err
		}
	}
	return continuation(c.original, responses, required.RequestState)
}

// continuation builds the params of a round from those of the first one.
func continuation(original *mcp.Params, responses mcp.InputResponses, state json.RawMessage) (*mcp.Params, error) {
	next := original
	var err error
	if len(responses) > 0 {
		if next, err = next.With("inputResponses", responses); err != nil {
			return nil, err
		}
	}
	if state != nil {
		if next, err = next.With("requestState", state); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// AnswerInput answers what a modern server asks for outside of a round, as a task
// does (R287), through the same handlers and under the same rules. Requests that
// no handler serves are left out of the answer; then none is answered. An error
// is that of a handler, or of ctx or the session, which has ended.
func (s *Session) AnswerInput(ctx context.Context, requests mcp.InputRequests) (mcp.InputResponses, error) {
	for _, request := range requests {
		if !s.handlers.serves(request.Method, request.Params, mcp.EraModern) {
			return nil, nil
		}
	}
	inner, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(callerEnded{ctx.Err(), context.Cause(ctx)}) })()
	responses, err := s.gather(callContext{inner, ctx}, requests)
	if err != nil {
		return nil, s.failure(err, mcp.MethodUpdateTask, nil)
	}
	return responses, nil
}

// gather runs the handlers of one round side by side. The first failure ends the
// others' context; nobody waits for a handler once ctx has ended.
func (s *Session) gather(ctx context.Context, requests mcp.InputRequests) (mcp.InputResponses, error) {
	outer := ctx
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	type answer struct {
		key    string
		result json.RawMessage
		err    error
	}
	answers := make(chan answer, len(requests))
	for key, request := range requests {
		go func() {
			result, err := s.handlers.handle(ctx, s.server, request.Method, request.Params)
			answers <- answer{key, result, err}
		}()
	}
	responses := make(mcp.InputResponses, len(requests))
	for range requests {
		select {
		case a := <-answers:
			if a.err != nil {
				return nil, handlerFailure(requests[a.key].Method, a.err)
			}
			responses[a.key] = a.result
		case <-outer.Done():
			return nil, context.Cause(outer)
		}
	}
	return responses, nil
}

// handlerFailure is the error of a call that our own handler brought down. What
// the handler said is for the caller; the server has not been told.
func handlerFailure(method string, err error) error {
	return &errors.TransporterRequestError{
		Kind:    errors.KindCanceled,
		Message: "the handler of " + errors.PeerText(method, 60) + " failed",
		Err:     err,
	}
}
