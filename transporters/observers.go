package transporters

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// listenerPatience is how long those who wait for listeners do so at most.
const listenerPatience = 3 * time.Second

// Observable is a base that tells Listeners what happens on it, from now on. One
// that consists of several bases passes them on to each, to those that come later
// as well. A base that has ended tells nothing more.
type Observable interface {
	Observe(listeners *Listeners)
}

// Drainer is a base whose end can be told before it begins. Drain announces it to
// the listeners of OnDrain, once, and waits until they have returned, ctx ends, or
// 3 seconds have passed since it was announced. Everything goes on working. A
// base that consists of several ones drains them before it refuses calls.
type Drainer interface {
	Drain(ctx context.Context)
}

// Observers is what a base needs to be Observable and a Drainer: it announces to
// all Listeners that observe it, and keeps to the order: nothing after the close,
// no close before the drain, and each of these once. The zero value is ready for
// use; it is safe for concurrent use, and no method waits for a listener unless it
// says so.
type Observers struct {
	mu  sync.Mutex // held by writers
	all atomic.Pointer[[]*Listeners]

	ended atomic.Bool
	end   atomic.Pointer[ending] // made when it begins
}

// ending is what is told of the end.
type ending struct {
	draining sync.Once
	closing  sync.Once
	drained  announcement
	closed   announcement
}

// announcement is one that somebody may wait for.
type announcement struct {
	begun atomic.Bool
	told  []<-chan struct{} // each closed when its listeners have returned
	over  time.Time         // nobody waits longer
}

// Observe adds a set of listeners, once.
func (o *Observers) Observe(listeners *Listeners) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(o.load()), func(l *Listeners) bool {
		return l == listeners || l.detached.Load()
	})
	kept = append(kept, listeners)
	o.all.Store(&kept)
}

func (o *Observers) load() []*Listeners {
	if all := o.all.Load(); all != nil {
		return *all
	}
	return nil
}

// WantMessages reports whether anybody listens to messages.
func (o *Observers) WantMessages() bool {
	for _, l := range o.load() {
		if !l.messages.isEmpty() && !l.detached.Load() {
			return true
		}
	}
	return false
}

// TellMessage announces a message of the server. It must own its bytes.
func (o *Observers) TellMessage(from Source, m mcp.Message) {
	if o.ended.Load() {
		return
	}
	for _, l := range o.load() {
		l.message(from, m)
	}
}

// TellError announces an error.
func (o *Observers) TellError(from Source, err error) {
	if o.ended.Load() {
		return
	}
	for _, l := range o.load() {
		l.failure(from, err)
	}
}

// TellState announces a change of state. Changes must be announced in their order.
func (o *Observers) TellState(from Source, change StateChange) {
	if o.ended.Load() {
		return
	}
	for _, l := range o.load() {
		l.state(from, change)
	}
}

// TellDrain announces that the base is about to end, the first time it is called, and
// waits as Drainer says.
func (o *Observers) TellDrain(ctx context.Context, from Source) {
	o.announceDrain(from)
	made(&o.end).drained.await(ctx)
}

func (o *Observers) announceDrain(from Source) {
	end := made(&o.end)
	end.draining.Do(func() {
		end.drained.make(o.load(), func(l *Listeners) <-chan struct{} { return l.drain(from) })
	})
}

// TellClose announces that the base has ended, and before that, unless it was done,
// that it is about to. Only the first call has an effect. reason is told to the
// listeners of OnClose.
func (o *Observers) TellClose(from Source, reason error) {
	o.announceDrain(from)
	end := made(&o.end)
	end.closing.Do(func() {
		o.ended.Store(true)
		end.closed.make(o.load(), func(l *Listeners) <-chan struct{} { return l.close(from, reason) })
	})
}

// AwaitClose waits until the listeners of OnClose have returned, ctx ends, or 3
// seconds have passed since TellClose. It returns at once before that.
func (o *Observers) AwaitClose(ctx context.Context) {
	if end := o.end.Load(); end != nil {
		end.closed.await(ctx)
	}
}

// make makes the announcement.
func (a *announcement) make(all []*Listeners, tell func(*Listeners) <-chan struct{}) {
	for _, l := range all {
		if told := tell(l); told != nil {
			a.told = append(a.told, told)
		}
	}
	a.over = time.Now().Add(listenerPatience)
	a.begun.Store(true)
}

// await waits until all listeners have returned, but not for ever.
func (a *announcement) await(ctx context.Context) {
	if !a.begun.Load() || len(a.told) == 0 {
		return
	}
	patience := time.NewTimer(time.Until(a.over))
	defer patience.Stop()
	for _, told := range a.told {
		select {
		case <-told:
		case <-patience.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
