package supervise

import (
	"context"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// spawn makes a connection that serves: dial, start, prepare, switch. If
// prepare asks for ErrRedial (S14: the peer ended on the probe), it is done
// once more, at once and uncounted. On an error nothing is left of it.
func (l *Link) spawn(ctx context.Context) (*generation, error) {
	g, err := l.spawnOnce(ctx)
	if !errors.Is(err, errors.ErrRedial) {
		return g, err
	}
	l.logger.Debug("dialling again, uncounted", "server", l.server, "reason", err)
	g, err = l.spawnOnce(ctx)
	if errors.Is(err, errors.ErrRedial) {
		return nil, redialledTwice{err}
	}
	return g, err
}

func (l *Link) spawnOnce(ctx context.Context) (*generation, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	link, err := l.dial(ctx)
	if err != nil {
		return nil, err
	}
	if link == nil {
		return nil, fmt.Errorf("%w: dial returned neither a link nor an error", errors.ErrStartFailed)
	}
	l.mu.Lock()
	g := newGeneration(link, l.in)
	l.open[g] = struct{}{} // from here on Close closes it
	report := l.onFault
	l.mu.Unlock()
	if faulty, ok := link.(transporters.FaultReporter); ok && report != nil {
		faulty.OnFault(report)
	}
	if err := l.makeReady(ctx, g); err != nil {
		l.discard(g)
		return nil, err
	}
	return g, nil
}

// makeReady starts and prepares a generation, and makes it the current one.
func (l *Link) makeReady(ctx context.Context, g *generation) error {
	l.mu.Lock()
	prepare, ended := l.prepare, l.err
	l.mu.Unlock()
	if ended != nil { // while it was dialled
		return ended
	}
	if err := g.link.Start(ctx, g.receive); err != nil {
		return err
	}
	if prepare != nil {
		if err := prepare(ctx, g); err != nil {
			return err
		}
	}
	return l.install(g)
}

// install makes a prepared generation the current one, unless the link or the
// peer has ended in the meantime. serving is set before gone is looked at: an
// exchange that saw it unset, and did not wait for a decision, lost its peer
// early enough for that to be noticed here.
func (l *Link) install(g *generation) error {
	g.serving.Store(true)
	if isClosed(g.gone) {
		return fmt.Errorf("%w: the peer ended as soon as it was ready: %w", errors.ErrStartFailed, reason(g))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	replaced := l.current
	l.current = g
	if l.pending != nil {
		close(l.pending)
		l.pending = nil
	}
	if replaced != nil {
		l.announcer.post(l.announceReconnect)
	}
	return nil
}

// discard gets rid of a generation that could not be made ready.
func (l *Link) discard(g *generation) {
	l.mu.Lock()
	g.settle()
	l.mu.Unlock()
	l.retire(g)
}

// retire drops what a generation might still deliver and closes its link.
func (l *Link) retire(g *generation) {
	g.detached.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), l.retireTimeout)
	defer cancel()
	if err := g.link.Close(ctx); err != nil {
		l.logger.Warn("a superseded link did not close cleanly", "server", l.server, "error", err)
	}
	l.mu.Lock()
	delete(l.open, g)
	l.mu.Unlock()
}
