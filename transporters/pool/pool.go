package pool

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// restTime is how long an instance that refused a call is passed over where
// another one has a place.
const restTime = time.Second

// Config says how the instances are used.
type Config struct {
	// MaxInFlight is how many calls may run on one instance; 0 means no limit.
	MaxInFlight int
	// MaxRequestTimeout is the ceiling of a call that brings none of its own,
	// the wait for a place included; 0 means no limit.
	MaxRequestTimeout time.Duration
}

// Pool is a transporters.Base over several bases for one server. It is safe for
// concurrent use.
type Pool struct {
	server string
	config Config

	meter transporters.Meter
	tasks homes

	mu        sync.Mutex
	instances []*instance
	line      []*waiter // who waits for a place, in order
	calls     int64     // that have not returned, those in line included
	refused   bool      // no further call is let in
	ended     bool      // nor is one in line served
	drained   chan struct{}

	closing  atomic.Bool
	closed   chan struct{}
	closeErr error
}

// instance is one base; the fields below it are guarded by Pool.mu.
type instance struct {
	index         int
	base          transporters.Base
	running       int
	subscriptions int
	restUntil     time.Time
}

var (
	_ transporters.Base           = (*Pool)(nil)
	_ transporters.Observable     = (*Pool)(nil)
	_ transporters.Drainer        = (*Pool)(nil)
	_ transporters.Starter        = (*Pool)(nil)
	_ transporters.RequestAborter = (*Pool)(nil)
)

// New returns a pool over the instances, of which there must be at least one.
// They belong to the pool from now on. It does no I/O.
func New(server string, cfg Config, instances ...transporters.Base) *Pool {
	p := &Pool{server: server, config: cfg, drained: make(chan struct{}), closed: make(chan struct{})}
	for i, base := range instances {
		p.instances = append(p.instances, &instance{index: i, base: base})
	}
	return p
}

// Request makes the call on one of the instances; see the package's
// documentation for which. Its errors are those of the instance, and, where no
// place became free, ErrRequestTimeout or the end of ctx, not sent.
func (p *Pool) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (result mcp.Result, err error) {
	began := p.meter.Begin()
	defer func() { p.meter.End(began, action, err) }() // also where the caller's callback panics
	return p.request(ctx, action, params, onEvent)
}

func (p *Pool) request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	if err := p.enter(); err != nil {
		return mcp.Result{}, p.failure(action, err)
	}
	defer p.leave()
	if action == mcp.MethodSetLevel {
		return p.onAll(ctx, action, params, onEvent)
	}
	life := p.lifeOf(ctx)
	past := newTried(len(p.instances))
	if home := p.tasks.find(action, params); home != nil {
		past.addAllBut(home)
	}
	for {
		chosen, err := p.takePlace(ctx, life, past)
		if err != nil {
			return mcp.Result{}, p.failure(action, err)
		}
		past.add(chosen)
		result, err := p.callOn(chosen, life.limited(ctx), action, params, onEvent)
		if err == nil {
			p.tasks.learn(action, result, chosen)
		}
		if err == nil || past.all() || ctx.Err() != nil || !p.mayTryAnother(chosen, err) {
			return result, err
		}
		life.spent = true
	}
}

// callOn makes the call on an instance, whose place it gives back even if the
// caller's callback panics.
func (p *Pool) callOn(chosen *instance, ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	defer p.givePlace(chosen)
	return chosen.base.Request(ctx, action, params, onEvent)
}

// mayTryAnother reports whether a call that failed may be made on another
// instance: it was not sent, for a reason that concerns this process alone. The
// instance is left to rest then.
func (p *Pool) mayTryAnother(refusing *instance, err error) bool {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	if !ok || failure.Delivery != errors.DeliveryNotSent || errors.Is(err, errors.ErrTransportClosed) {
		return false
	}
	switch failure.Kind {
	case errors.KindTransport, errors.KindUnavailable:
	case errors.KindTimeout:
		if !errors.Is(err, errors.ErrConnectTimeout) {
			return false
		}
	default:
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	refusing.restUntil = time.Now().Add(restTime)
	return true
}

// ServerInfo asks the instance that a call would go to; it takes no place.
func (p *Pool) ServerInfo(ctx context.Context) (transporters.ServerInfo, error) {
	if err := p.enter(); err != nil {
		return transporters.ServerInfo{}, p.failure("", err)
	}
	defer p.leave()
	past := newTried(len(p.instances))
	for {
		chosen := p.choose(past, byCalls)
		past.add(chosen)
		info, err := chosen.base.ServerInfo(ctx)
		if err == nil || past.all() || ctx.Err() != nil || !p.mayTryAnother(chosen, err) {
			return info, err
		}
	}
}

// enter counts a call in, unless the pool is to end.
func (p *Pool) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused {
		return errors.ErrTransportClosed
	}
	p.calls++
	return nil
}

func (p *Pool) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls--; p.refused && p.calls == 0 {
		close(p.drained)
	}
}

// failure is the error of a call that reached no instance.
func (p *Pool) failure(action string, err error) error {
	failure := &errors.TransporterRequestError{Server: p.server, Action: action, Delivery: errors.DeliveryNotSent, Err: err}
	switch {
	case errors.Is(err, errors.ErrTransportClosed):
		failure.Kind = errors.KindClosed
	case errors.Is(err, context.Canceled):
		failure.Kind = errors.KindCanceled
	default:
		failure.Kind = errors.KindTimeout
		failure.Message = fmt.Sprintf("no place became free: %d instances have %d calls running each (max_in_flight)",
			len(p.instances), p.config.MaxInFlight)
	}
	return failure
}
