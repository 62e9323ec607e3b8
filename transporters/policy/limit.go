package policy

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// How requests are limited. A request passes gates: one for every entry of
// limits.tools that its tool matches, in their order, and last the one of the
// server. At each it takes a place, which it keeps until it has returned, and then
// waits for its turn. The gates are always passed in this order, so that requests
// cannot wait for each other in a circle; the server's is the last one, so that
// who waits at a gate of a tool keeps nobody else from the server; and the turn
// comes after the place, so that a request that has waited for its place does not
// spoil the rate.
//
// A call that a callback makes while its own call is running needs a place as
// well, and may have to wait for the one that its own call holds.

// LimitOptions are what a configuration file cannot hold.
type LimitOptions struct {
	// MaxRequestTimeout is the whole life of a request that brings no ceiling of
	// its own, its wait included; 0 is no limit.
	MaxRequestTimeout time.Duration
	// Life ends the waits: with ErrTransportClosed.
	Life context.Context
	// Turns hands out the turns of rates that are shared (limits.shared). Without
	// it, or while it fails, a rate holds for this program alone.
	Turns TurnStore
	// Logger gets what Turns fails at; nil discards.
	Logger hclog.Logger
}

// Limit returns the policy that bounds requests in flight and their rate, for the
// server and for tools by name. What must wait does so in the order it came, until
// the caller's context, limits.wait or the call's ceiling ends, and is not begun
// to wait where its turn would come too late. A request that gets no place fails
// with ErrLimited, kind KindUnavailable, delivery DeliveryNotSent. What was waited
// is taken off the call's ceiling.
func Limit(server string, cfg LimitConfig, options LimitOptions) transporters.Wrapper {
	return func(next transporters.Transporter) transporters.Transporter {
		l := &limiter{server: server, queue: int64(cfg.Queue), wait: cfg.Wait.Or(10 * time.Second), options: options, next: next}
		if cfg.Shared && options.Turns != nil {
			l.shared = &sharedTurns{server: server, store: options.Turns, log: options.Logger}
		}
		for _, tool := range cfg.Tools {
			if gate := newGate(fmt.Sprintf("limits.tools %q", tool.Match), tool.Match, tool.InFlight, tool.Rate, tool.Burst); gate != nil {
				l.gates = append(l.gates, gate)
			}
		}
		l.tools = len(l.gates)
		if gate := newGate("limits", "", cfg.InFlight, cfg.Rate, cfg.Burst); gate != nil {
			l.gates = append(l.gates, gate)
		}
		if len(l.gates) == 0 {
			return next
		}
		return l
	}
}

type limiter struct {
	server  string
	gates   []*gate // at most 64
	tools   int     // the first so many are those of tools
	queue   int64
	wait    time.Duration // 0: no limit
	options LimitOptions
	shared  *sharedTurns // nil if rates are this program's own
	next    transporters.Transporter
	waiting atomic.Int64
}

// gate is one limit.
type gate struct {
	name     string
	pattern  string
	inFlight Count
	places   *semaphore.Weighted // nil if they are not limited
	rate     Rate
	burst    int
	turns    *rate.Limiter // likewise
}

func newGate(name, pattern string, inFlight Count, perSecond Rate, burst int) *gate {
	if inFlight <= 0 && perSecond <= 0 {
		return nil
	}
	g := &gate{name: name, pattern: pattern, inFlight: inFlight, rate: perSecond}
	if inFlight > 0 {
		g.places = semaphore.NewWeighted(int64(inFlight))
	}
	if perSecond > 0 {
		g.burst = burstOf(burst, perSecond)
		g.turns = rate.NewLimiter(rate.Limit(perSecond), g.burst)
	}
	return g
}

// Request waits for its places and turns, makes the request, and leaves.
func (l *limiter) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	first, tool := l.tools, ""
	if first > 0 && action == mcp.MethodCallTool {
		encoded, err := mcp.ParamsOf(params)
		if err != nil {
			return mcp.Result{}, unencodable(l.server, action, err)
		}
		first, tool, params = 0, encoded.Name(), encoded
	}
	p := passage{limiter: l, action: action}
	defer p.leave()
	for i := first; i < len(l.gates); i++ {
		if i < l.tools && !matches(l.gates[i].pattern, tool, false) {
			continue
		}
		if err := p.enter(ctx, i); err != nil {
			return mcp.Result{}, err
		}
	}
	if p.waited > 0 {
		if ceiling := ceilingOf(ctx, l.options.MaxRequestTimeout); ceiling > 0 {
			ctx = withCeiling(ctx, max(ceiling-p.waited, time.Millisecond))
		}
	}
	return l.next.Request(ctx, action, params, onEvent)
}

// passage is one request's way through the gates.
type passage struct {
	limiter *limiter
	action  string
	held    uint64 // a bit for each gate whose place is held
	waited  time.Duration
}

// enter takes a place at the gate, and then waits for the turn.
func (p *passage) enter(ctx context.Context, i int) error {
	g := p.limiter.gates[i]
	if g.places != nil {
		if !g.places.TryAcquire(1) {
			if err := p.waitFor(ctx, g, false); err != nil {
				return err
			}
		}
		p.held |= 1 << i
	}
	if g.turns == nil {
		return nil
	}
	if l := p.limiter; l.shared != nil {
		if done, err := p.sharedTurn(ctx, g); done {
			return err
		}
	}
	if !g.turns.Allow() {
		return p.waitFor(ctx, g, true)
	}
	return nil
}

// leave gives the places back.
func (p *passage) leave() {
	for i, g := range p.limiter.gates {
		if p.held&(1<<i) != 0 {
			g.places.Release(1)
		}
	}
}

// waitFor waits for a place or for the turn. The request is counted among those
// that wait, and the time is.
func (p *passage) waitFor(ctx context.Context, g *gate, isTurn bool) (err error) {
	l := p.limiter
	defer l.waiting.Add(-1)
	if l.waiting.Add(1) > l.queue {
		return p.lineIsFull(g, 0)
	}
	began := time.Now()
	if isTurn {
		err = p.turn(ctx, g)
	} else {
		err = p.place(ctx, g)
	}
	p.waited += time.Since(began)
	return err
}

// describe names the limit that is reached.
func (p *passage) describe(g *gate) string {
	if g.places != nil && g.turns == nil {
		return fmt.Sprintf("%s, in_flight %d", g.name, g.inFlight)
	}
	if g.places == nil {
		return fmt.Sprintf("%s, rate %v", g.name, g.rate)
	}
	return fmt.Sprintf("%s, in_flight %d and rate %v", g.name, g.inFlight, g.rate)
}

// left is how long the request may still wait, and which key says so; false if
// only the caller's context ends its wait.
func (p *passage) left(ctx context.Context) (left time.Duration, key string, isBounded bool) {
	if p.limiter.wait > 0 {
		left, key, isBounded = p.limiter.wait-p.waited, "limits.wait", true
	}
	if ceiling := ceilingOf(ctx, p.limiter.options.MaxRequestTimeout); ceiling > 0 && (!isBounded || ceiling-p.waited < left) {
		left, key, isBounded = ceiling-p.waited, "max_request_timeout", true
	}
	return left, key, isBounded
}

// leftForTurn is left, and until the caller's deadline.
func (p *passage) leftForTurn(ctx context.Context) (left time.Duration, key string, isBounded bool) {
	left, key, isBounded = p.left(ctx)
	if own, isOwn := until(ctx); isOwn && (!isBounded || own < left) {
		left, key, isBounded = own, "the caller's deadline", true
	}
	return left, key, isBounded
}

// place waits in line for a place.
func (p *passage) place(ctx context.Context, g *gate) error {
	waiting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	left, key, isBounded := p.left(ctx)
	if isBounded {
		defer time.AfterFunc(left, func() { stop(errNoPlace) }).Stop()
	}
	if life := p.limiter.options.Life; life != nil {
		defer context.AfterFunc(life, func() { stop(errors.ErrTransportClosed) })()
	}
	if g.places.Acquire(waiting, 1) == nil {
		return nil
	}
	switch cause := context.Cause(waiting); {
	case ctx.Err() != nil:
		return waitFailure(p.limiter.server, p.action, "while waiting in line ("+p.describe(g)+")", ended(ctx))
	case errors.Is(cause, errNoPlace):
		return p.refused(0, "%s: no place became free within %v (%s)", p.describe(g), (p.waited + left).Round(time.Millisecond), key)
	default:
		return waitFailure(p.limiter.server, p.action, "while waiting in line ("+p.describe(g)+")", cause)
	}
}

// errNoPlace is why a wait in line ended.
var errNoPlace = errors.New("no place became free")

// turn waits for the next turn, unless that comes too late.
func (p *passage) turn(ctx context.Context, g *gate) error {
	reserved := g.turns.Reserve()
	wait := reserved.Delay()
	left, key, isBounded := p.leftForTurn(ctx)
	if isBounded && wait > left {
		reserved.Cancel()
		return p.turnIsLate(g, wait, key)
	}
	err := p.awaitTurn(ctx, g, wait)
	if err != nil {
		reserved.Cancel()
	}
	return err
}

// awaitTurn waits until the turn comes.
func (p *passage) awaitTurn(ctx context.Context, g *gate, wait time.Duration) error {
	if err := pause(ctx, p.limiter.options.Life, wait); err != nil {
		return waitFailure(p.limiter.server, p.action, "while waiting for its turn ("+p.describe(g)+")", err)
	}
	return nil
}

func (p *passage) lineIsFull(g *gate, after time.Duration) error {
	return p.refused(after, "%s: %d requests are waiting already (limits.queue)", p.describe(g), p.limiter.queue)
}

func (p *passage) turnIsLate(g *gate, wait time.Duration, key string) error {
	return p.refused(wait, "%s: its turn comes in %v, later than %s", p.describe(g), wait.Round(time.Millisecond), key)
}

func (p *passage) refused(after time.Duration, format string, arguments ...any) error {
	return &errors.TransporterRequestError{
		Server: p.limiter.server, Action: p.action, Kind: errors.KindUnavailable, Delivery: errors.DeliveryNotSent,
		RetryAfter: after, Message: fmt.Sprintf(format, arguments...), Err: errors.ErrLimited,
	}
}
