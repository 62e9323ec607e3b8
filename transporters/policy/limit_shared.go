package policy

import (
	"context"
	"math"
	"time"

	"github.com/hashicorp/go-hclog"
)

// sharedTurns asks a store for the turns of rates that several programs share.
type sharedTurns struct {
	server string
	store  TurnStore
	log    hclog.Logger
	logged throttle
}

// sharedTurn takes a turn of all programs and waits for it; done is false if the
// store does not answer, and then the program's own rate decides. A turn whose wait
// was ended by the caller is lost.
func (p *passage) sharedTurn(ctx context.Context, g *gate) (done bool, err error) {
	l := p.limiter
	left, key, isBounded := p.leftForTurn(ctx)
	if !isBounded {
		left = math.MaxInt64
	}
	if l.waiting.Load() >= l.queue {
		left = 0 // no turn that would have to be waited for
	}
	bounded, cancel := context.WithTimeout(ctx, storeTimeout)
	wait, taken, err := l.shared.store.Turn(bounded, l.shared.server+":"+g.name, float64(g.rate), g.burst, left)
	cancel()
	switch {
	case err != nil && ctx.Err() != nil:
		return true, waitFailure(l.server, p.action, "while asking the store for its turn ("+p.describe(g)+")", ended(ctx))
	case err != nil:
		l.shared.complain(err)
		return false, nil
	case !taken && left == 0:
		return true, p.lineIsFull(g, wait)
	case !taken:
		return true, p.turnIsLate(g, wait, key)
	case wait <= 0:
		return true, nil
	}
	l.waiting.Add(1)
	defer l.waiting.Add(-1)
	if err := p.awaitTurn(ctx, g, wait); err != nil {
		return true, err
	}
	p.waited += wait
	return true, nil
}

// complain logs what the store fails at, once in a while.
func (s *sharedTurns) complain(err error) {
	if s.log != nil && s.logged.allows(time.Minute) {
		s.log.Warn("the store hands out no turns: the rates hold for this program alone", "server", s.server, "error", err)
	}
}
