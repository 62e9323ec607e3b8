package supervise

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// lastWait is how much longer than its context Close waits for links, which
// kill their peers when that ends, and for the goroutines that use them.
const lastWait = 2 * time.Second

// Close ends supervision and every connection, half-made ones included, within
// ctx. A replacement that was pending is withdrawn. It returns the errors of
// the links it closed, or that not everything has ended 2 seconds after ctx.
//
// It is idempotent: further calls wait, within their own ctx, for the first one
// to finish, and return nil. It never waits for a listener or an Exchange and
// may be called from listeners, not from prepare or dial. The close is announced
// once the connection is closed, perhaps after Close has returned.
func (l *Link) Close(ctx context.Context) error {
	l.mu.Lock()
	if closing := l.closed; closing != nil {
		l.mu.Unlock()
		return wait(ctx, closing)
	}
	closing := make(chan struct{})
	l.closed = closing
	defer close(closing)
	announce := l.owesClose()
	if l.err == nil {
		l.end(closedError(l.server))
	}
	if l.flight != nil {
		l.flight.cancel(l.err)
	}
	open := make([]*generation, 0, len(l.open))
	for g := range l.open {
		open = append(open, g)
	}
	l.workers.Go(func() { l.closeAll(ctx, open, announce) })
	l.mu.Unlock()

	l.cancel(closedError(l.server))
	return l.settleDown(ctx)
}

// owesClose reports whether Close has a close to announce: that of the living
// connection, or of a replacement that was promised or is being dialled, or of
// a link that never had a connection. What ended in exhaustion has none of
// these. l.mu is held.
func (l *Link) owesClose() bool {
	return l.current == nil || !l.current.announced || l.pending != nil || l.flight != nil
}

// closeAll closes the links at the same time, then announces the close.
func (l *Link) closeAll(ctx context.Context, open []*generation, announce bool) {
	errs := make([]error, len(open))
	var closers sync.WaitGroup
	for i, g := range open {
		closers.Go(func() {
			errs[i] = g.link.Close(ctx)
			g.detached.Store(true)
		})
	}
	closers.Wait()
	l.mu.Lock()
	for _, g := range open {
		delete(l.open, g)
	}
	l.closeErr = errors.Join(errs...)
	l.mu.Unlock()
	if announce {
		l.announcer.post(func() { l.announceClosed(closedError(l.server)) })
	}
}

// settleDown waits for the workers.
func (l *Link) settleDown(ctx context.Context) error {
	settled := make(chan struct{})
	go func() {
		l.workers.Wait()
		close(settled)
	}()
	if wait(ctx, settled) != nil {
		timer := time.NewTimer(lastWait)
		defer timer.Stop()
		select {
		case <-settled:
		case <-timer.C:
			return fmt.Errorf("mcp server %q: closing: dial, prepare or the close of a link still runs %v after the context ended: %w",
				l.server, lastWait, context.Cause(ctx))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closeErr
}
