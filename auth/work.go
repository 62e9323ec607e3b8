package auth

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/pause"
)

const (
	// workTimeout bounds work without a user: a handful of requests of at most
	// 10 s each.
	workTimeout = 45 * time.Second
	// failurePause is how long callers get the error of the work that failed last
	// instead of trying the same again.
	failurePause = 5 * time.Second
	// denialPause is the same after a user said no, who is not to be asked again
	// by whatever tries next.
	denialPause = time.Minute
)

// work is what one goroutine does for all callers of a principal.
type work struct {
	key      string
	asking   chan struct{} // closed when a user is being asked, and
	answered chan struct{} // when they have answered
	done     chan struct{}
	err      error // set before done is closed
}

// wait waits for the work within ctx, whose time limits stand still while a user
// is asked.
func (w *work) wait(ctx context.Context) error {
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-w.asking:
	}
	resume := pause.Begin(ctx)
	defer resume()
	select {
	case <-w.answered:
		resume()
	case <-w.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// failedWork is the latest work that failed.
type failedWork struct {
	key   string
	err   error
	until time.Time
}

func boundedWork(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, workTimeout, fmt.Errorf("authorization took longer than %s", workTimeout))
}

// run has something done, once however many callers want it: satisfied says
// whether it still is to be done, key what it is. Callers wait within their own
// contexts; the work goes on without them, for others may wait and a refresh
// token may just be spent.
func (p *Principal) run(ctx context.Context, key string, satisfied func() bool, do func(context.Context) error) error {
	for {
		w, started, err := p.join(ctx, key, satisfied, do)
		if w == nil {
			return err
		}
		if err := w.wait(ctx); err != nil {
			return err
		}
		if started || w.key == key && w.err != nil {
			return w.err
		}
	}
}

// join returns the work that is running, or starts it; nil if there is nothing
// to wait for.
func (p *Principal) join(ctx context.Context, key string, satisfied func() bool, do func(context.Context) error) (w *work, started bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case satisfied():
		return nil, false, nil
	case p.running != nil:
		return p.running, false, nil
	case p.failed.key == key && p.authorizer.now().Before(p.failed.until):
		return nil, false, p.failed.err
	case !p.authorizer.begin():
		return nil, false, &errors.TransporterRequestError{Server: p.authorizer.server, Kind: errors.KindClosed, Delivery: errors.DeliveryNotSent, Err: errors.ErrTransportClosed}
	}
	w = &work{key: key, asking: make(chan struct{}), answered: make(chan struct{}), done: make(chan struct{})}
	p.running = w
	go p.perform(context.WithoutCancel(ctx), w, do)
	return w, true, nil
}

func (p *Principal) perform(ctx context.Context, w *work, do func(context.Context) error) {
	defer p.authorizer.working.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(context.Canceled)
	stop := context.AfterFunc(p.authorizer.life, func() { cancel(context.Cause(p.authorizer.life)) })
	defer stop()
	w.err = do(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = nil
	p.failed = failedWork{}
	if w.err != nil && !costsNothing(w.err) {
		pause := failurePause
		if errors.Is(w.err, errors.ErrAuthorizationDenied) {
			pause = denialPause
		}
		p.failed = failedWork{key: w.key, err: w.err, until: p.authorizer.now().Add(pause)}
	}
	close(w.done)
}

// costsNothing reports whether a failure may be found out again at once: no server
// was asked, or only the store, which callers go on with as soon as it is back.
func costsNothing(err error) bool {
	_, isOfTheStore := errors.AsType[*unread](err)
	return isOfTheStore || errors.Is(err, errors.ErrAuthRequired)
}

// currentWork returns the work that is running, to whoever does it.
func (p *Principal) currentWork() *work {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running
}

// await runs a callback of the user's, and waits for it no longer than ctx. Its
// panic is an error: on a goroutine of ours nobody else could catch it.
func await[T any](ctx context.Context, callback func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	result := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if cause := recover(); cause != nil {
				o = outcome{err: fmt.Errorf("a callback panicked: %v\n%s", cause, debug.Stack())}
			}
			result <- o
		}()
		o.value, o.err = callback()
	}()
	select {
	case o := <-result:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
