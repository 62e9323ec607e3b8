package pool

import (
	"context"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// onAll makes a call on every instance at the same time, for what each session
// has to know: the log level. It returns the first instance's result, and an
// error if any had one. It takes no places.
func (p *Pool) onAll(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	failures := make([]error, len(p.instances))
	var calling sync.WaitGroup
	for n, other := range p.instances[1:] {
		calling.Go(func() { _, failures[n+1] = other.base.Request(ctx, action, params, nil) })
	}
	result, err := p.instances[0].base.Request(ctx, action, params, onEvent)
	calling.Wait()
	for _, failure := range failures {
		if err == nil {
			err = failure
		}
	}
	return result, err
}

// NotifyRootsChanged tells every instance that the client's roots have changed.
// Instances that cannot be told are passed over.
func (p *Pool) NotifyRootsChanged(ctx context.Context) error {
	var failures []error
	for _, i := range p.instances {
		if told, ok := i.base.(interface{ NotifyRootsChanged(context.Context) error }); ok {
			failures = append(failures, told.NotifyRootsChanged(ctx))
		}
	}
	return errors.Join(failures...)
}

// AnswerInput answers what a server asks for outside of a request. All instances
// have the same handlers, so any of them will do; none answers nothing.
func (p *Pool) AnswerInput(ctx context.Context, requests mcp.InputRequests) (mcp.InputResponses, error) {
	able, ok := p.instances[0].base.(interface {
		AnswerInput(context.Context, mcp.InputRequests) (mcp.InputResponses, error)
	})
	if !ok {
		return nil, nil
	}
	return able.AnswerInput(ctx, requests)
}
