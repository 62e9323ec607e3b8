package pool

import (
	"context"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dispatch"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// State returns the state of the instance that is closest to serving: ready
// before reconnecting, starting, idle and exhausted. A pool is exhausted only if
// all of its instances are.
func (p *Pool) State() transporters.State {
	p.mu.Lock()
	ended := p.ended
	p.mu.Unlock()
	if ended {
		return transporters.StateClosed
	}
	liveliest := transporters.StateClosed
	for _, i := range p.instances {
		if state := i.base.State(); liveliness(state) > liveliness(liveliest) {
			liveliest = state
		}
	}
	return liveliest
}

func liveliness(state transporters.State) int {
	switch state {
	case transporters.StateReady:
		return 5
	case transporters.StateReconnecting:
		return 4
	case transporters.StateStarting:
		return 3
	case transporters.StateIdle:
		return 2
	case transporters.StateExhausted:
		return 1
	default:
		return 0
	}
}

// Stats returns the sum over the instances. A call counts once, though it may
// have been tried on several; calls in line are in flight.
func (p *Pool) Stats() transporters.Stats {
	var total transporters.Stats
	for _, i := range p.instances {
		total = total.Add(i.base.Stats())
	}
	total = p.meter.Measured(total)
	p.mu.Lock()
	defer p.mu.Unlock()
	total.InFlight, total.Queued = p.calls, int64(len(p.line))
	return total
}

// Renewals returns how many handshakes the instances have made beyond the first of
// each, and whether any has made one: what tells that an instance was lost from that
// another one was started.
func (p *Pool) Renewals() (renewals uint64, isConnected bool) {
	for _, i := range p.instances {
		if handshakes := i.base.Stats().Handshakes; handshakes > 0 {
			renewals, isConnected = renewals+handshakes-1, true
		}
	}
	return renewals, isConnected
}

// Close ends all instances at the same time: running calls, and those in line,
// fail with ErrTransportClosed. Further calls return when the first has settled;
// each returns the errors of the instances. Called from a listener it only begins,
// and returns at once. See transporters.Base.
func (p *Pool) Close() error {
	if dispatch.IsListener() {
		go func() { _ = p.close() }() // bounded, as Close is
		return nil
	}
	return p.close()
}

func (p *Pool) close() error {
	if p.closing.CompareAndSwap(false, true) {
		p.Drain(context.Background())
		p.refuse()
		p.dismissLine()
		p.closeErr = p.closeAll()
		close(p.closed)
	}
	<-p.closed
	return p.closeErr
}

// Shutdown lets the running calls, and those in line, finish, refuses new ones,
// then closes. If ctx ends first it closes at once and returns ctx's error. It
// must not be called from a callback.
func (p *Pool) Shutdown(ctx context.Context) error {
	p.Drain(ctx)
	p.refuse()
	select {
	case <-p.drained:
		return p.close()
	case <-p.closed:
		return p.closeErr
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), p.close())
	}
}

// refuse lets no further call in.
func (p *Pool) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused {
		return
	}
	p.refused = true
	if p.calls == 0 {
		close(p.drained)
	}
}

func (p *Pool) dismissLine() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for _, w := range p.line {
		close(w.place)
	}
	p.line = nil
}

// closeAll closes every instance, all at the same time.
func (p *Pool) closeAll() error {
	failures := make([]error, len(p.instances))
	var ending sync.WaitGroup
	for n, i := range p.instances {
		ending.Go(func() { failures[n] = i.base.Close() })
	}
	ending.Wait()
	return errors.Join(failures...)
}
