// Package pause lets whoever asks a person something say so to those whose time
// limits are running meanwhile: what people take is not what a peer takes. The
// parts need not know each other; a context carries the word from one to the
// other.
package pause

import (
	"context"
	"sync"
	"time"
)

// Key is the key of a context's Pauser, for contexts that answer it themselves.
type Key struct{}

// Pauser has time limits that can stand still.
type Pauser interface {
	// Pause stops the clock until resume, which is called once. Pauses may
	// overlap.
	Pause() (resume func())
}

// With returns a context in which p is told.
func With(ctx context.Context, p Pauser) context.Context { return context.WithValue(ctx, Key{}, p) }

// Begin tells the context's Pauser, if there is one, that somebody is being asked
// until end, which may be called more than once.
func Begin(ctx context.Context) (end func()) {
	if p, ok := ctx.Value(Key{}).(Pauser); ok {
		return sync.OnceFunc(p.Pause())
	}
	return func() {}
}

// WithTimeoutCause is context.WithTimeoutCause with a limit that stands still
// during pauses. The Pauser of the parent is told of them as well.
func WithTimeoutCause(parent context.Context, timeout time.Duration, cause error) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(parent)
	l := &limit{parent: parent, left: timeout, running: time.Now()}
	l.timer = time.AfterFunc(timeout, func() { cancel(cause) })
	return With(inner, l), func() {
		l.stop()
		cancel(context.Canceled)
	}
}

// limit is a timer that can be stopped and goes on with what is left.
type limit struct {
	parent context.Context

	mu      sync.Mutex
	timer   *time.Timer
	open    int           // pauses
	left    time.Duration // when the clock began to run, or stopped
	running time.Time     // when it began to run
	ended   bool
}

// Pause implements Pauser.
func (l *limit) Pause() (resume func()) {
	end := Begin(l.parent)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open++; l.open == 1 {
		l.timer.Stop()
		l.left -= time.Since(l.running)
	}
	return func() {
		end()
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.open--; l.open == 0 && !l.ended {
			l.running = time.Now()
			l.timer.Reset(max(l.left, 0))
		}
	}
}

func (l *limit) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.timer.Stop()
}
