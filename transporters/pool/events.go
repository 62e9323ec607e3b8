package pool

import (
	"context"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Observe tells the listeners what happens on every instance; what it is, is told
// of each by itself. Instances that cannot be observed are passed over.
func (p *Pool) Observe(listeners *transporters.Listeners) {
	for _, i := range p.instances {
		if observed, ok := i.base.(transporters.Observable); ok {
			observed.Observe(listeners)
		}
	}
}

// Drain tells the listeners of OnDrain, of all instances at the same time; see
// transporters.Drainer.
func (p *Pool) Drain(ctx context.Context) {
	var draining sync.WaitGroup
	for _, i := range p.instances {
		if drained, ok := i.base.(transporters.Drainer); ok {
			draining.Go(func() { drained.Drain(ctx) })
		}
	}
	draining.Wait()
}

// Start has the instance connect that the first call would go to.
func (p *Pool) Start() error {
	if err := p.enter(); err != nil {
		return p.failure("", err)
	}
	defer p.leave()
	if starting, ok := p.choose(newTried(len(p.instances)), byCalls).base.(transporters.Starter); ok {
		return starting.Start()
	}
	return nil
}

// Abort ends the running request that has the id, on whichever instance, provided
// that they share their ids (session.WithIDs).
func (p *Pool) Abort(id mcp.ID) {
	for _, i := range p.instances {
		if aborting, ok := i.base.(transporters.RequestAborter); ok {
			aborting.Abort(id)
		}
	}
}

// Ping asks the instance that a call would go to for a sign of life. It takes no
// place, so that an instance with much to do counts as healthy.
func (p *Pool) Ping(ctx context.Context) error {
	if err := p.enter(); err != nil {
		return p.failure(mcp.MethodPing, err)
	}
	defer p.leave()
	past := newTried(len(p.instances))
	for {
		chosen := p.choose(past, byCalls)
		past.add(chosen)
		_, err := chosen.base.Request(ctx, mcp.MethodPing, nil, nil)
		if err == nil || past.all() || ctx.Err() != nil || errors.Is(err, errors.ErrTransportClosed) || !p.mayTryAnother(chosen, err) {
			return err
		}
	}
}
