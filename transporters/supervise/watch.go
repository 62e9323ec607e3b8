package supervise

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// watch stays with a generation until its end, and in supervised mode with
// those that replace it.
func (l *Link) watch(g *generation) {
	for g != nil {
		select {
		case <-g.gone:
			g = l.replace(g)
		case <-l.ctx.Done():
			return
		}
	}
}

// verdict is what follows a death or a failed restart.
type verdict uint8

const (
	// ended: the link has ended for good already; somebody else sees to it.
	ended verdict = iota
	// idle: nothing until the next call (on-demand mode).
	idle
	// restart: within the budget.
	restart
	// exhausted: the budget is spent, the link has ended for good just now.
	exhausted
)

// replace does what is to be done about a dead generation, and returns the one
// that serves in its place, or nil.
func (l *Link) replace(dead *generation) *generation {
	cause := reason(dead)
	follows, announced := l.decideDeath(dead, cause)
	if follows == ended {
		return nil
	}
	l.log(follows, cause)
	l.retire(dead)
	_ = wait(l.ctx, announced)
	close(dead.retired)
	for follows == restart {
		fresh, err := l.respawn(cause)
		if err == nil {
			l.logger.Info("the replacement serves", "server", l.server)
			return fresh
		}
		cause = err
		follows = l.decideFailure(err)
		l.log(follows, cause)
	}
	return nil
}

// decideDeath decides what follows a death, in one step: whoever sees the close
// announced, or an exchange returned, finds IsReconnecting, Done and Err telling
// of it already. The returned channel is closed when it was announced.
func (l *Link) decideDeath(dead *generation, cause error) (verdict, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return ended, nil
	}
	dead.announced = true
	follows := l.spend(cause)
	if follows == restart {
		l.pending = make(chan struct{})
	}
	dead.settle()
	announced := l.announcer.post(func() { l.announceClosed(cause) })
	if follows == exhausted {
		l.report(l.err)
	}
	return follows, announced
}

// decideFailure decides what follows a restart that failed. A replacement that
// is given up is announced as a close: it was promised.
func (l *Link) decideFailure(cause error) verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return ended
	}
	l.report(fmt.Errorf("mcp server %q: restart %d of %d failed: %w", l.server, l.attempt, l.settings.maxRestarts, cause))
	follows := l.spend(cause)
	if follows == exhausted {
		final := l.err
		l.report(final)
		l.announcer.post(func() { l.announceClosed(final) })
	}
	return follows
}

// spend counts a death or a failed restart. l.mu is held.
func (l *Link) spend(cause error) verdict {
	number, within := l.budget.spend(time.Now())
	l.lost, l.attempt = cause, number
	switch {
	case !l.settings.supervised:
		return idle
	case within:
		return restart
	default:
		l.end(l.exhaustion(cause))
		return exhausted
	}
}

// log tells of a decision; each restart is logged when it is made.
func (l *Link) log(follows verdict, cause error) {
	switch follows {
	case idle:
		l.logger.Warn("peer lost, the next call starts it again", "server", l.server, "reason", text(cause))
	case exhausted:
		l.logger.Error("restart budget exhausted", "server", l.server, "restarts", l.settings.maxRestarts,
			"window", l.settings.window, "reason", text(cause))
	}
}

// respawn makes one attempt at a replacement, after the pause. After Close its
// error means nothing.
func (l *Link) respawn(cause error) (*generation, error) {
	if l.ctx.Err() != nil {
		return nil, context.Cause(l.ctx)
	}
	l.mu.Lock()
	attempt := l.attempt
	l.mu.Unlock()
	pause := l.settings.pause(attempt)
	l.logger.Warn("restarting the peer", "server", l.server, "reason", text(cause),
		"attempt", attempt, "budget", l.settings.maxRestarts, "delay", pause)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.ctx.Done():
		return nil, context.Cause(l.ctx)
	}
	limit := fmt.Errorf("%w: no replacement within %v (connect_timeout): %w",
		errors.ErrConnectTimeout, l.connectTimeout, errors.ErrRequestTimeout)
	ctx, cancel := context.WithTimeoutCause(l.ctx, l.connectTimeout, limit)
	defer cancel()
	return l.spawn(ctx)
}

// end ends the link for good. Done is closed before any waiter is released.
// l.mu is held.
func (l *Link) end(err error) {
	l.err = err
	close(l.done)
	if l.pending != nil {
		close(l.pending)
		l.pending = nil
	}
	for g := range l.open {
		g.settle()
	}
}
