package config

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// A Watcher sees changes in three ways: events of the folders that the files, and
// the symbolic links on the way to them, stand in; a look at the files themselves
// at intervals, for file systems without events; and another look a moment after
// each event, because programs write files in several steps. What counts is what a
// look finds: the bytes of the files and what their references stand for. Events
// only say when to look.

// Defaults of WatchOptions.
const (
	defaultDebounce = 200 * time.Millisecond
	defaultGrace    = time.Second
	defaultPoll     = 30 * time.Second
	// pollWithoutEvents is the longest interval where there are no events at all.
	pollWithoutEvents = 5 * time.Second
)

// WatchOptions changes how Watch works; the zero value is made of defaults.
type WatchOptions struct {
	// Debounce is how long nothing must have happened before the files are read:
	// 200 ms where it is 0. After ten times that they are read all the same.
	Debounce time.Duration
	// Grace is how long a file must be missing, empty or wrong before that is
	// reported, since files are so while they are written, and how long one that a
	// value refers to before it counts: 1 s where it is 0.
	Grace time.Duration
	// Poll is the interval at which the files are looked at without an event: 30 s
	// where it is 0, never where it is negative. Where the system has no events to
	// give it is at most 5 s.
	Poll time.Duration
	// Check says what else must hold of a configuration for it to be handed on; its
	// error is reported in place of the configuration. It is called where the
	// callback is. nil checks nothing.
	Check func(*Config) error
}

// Update is what a Watcher found.
type Update struct {
	// Config is what the files say now; nil if Err is not.
	Config *Config
	// Err says why the files cannot be used: one is missing, empty, not well-formed,
	// has faults outside its servers, or did not pass WatchOptions.Check. What was
	// there before stays in force.
	Err error
	// Added, Changed and Removed name the servers that differ, by their
	// fingerprints, from the update before that had a Config. All may be empty: a
	// comment changed, or the files came back after an Err.
	Added, Changed, Removed []string
}

// Watcher calls back when configuration files change. It is safe for concurrent
// use.
type Watcher struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	closed  bool
	calling bool
}

// Watch watches the files that cfg was loaded from, and the files that its values
// refer to (${file:...}, env_file), until ctx ends or the Watcher is closed. changed
// is called, one call after the other, from a goroutine of the Watcher that holds no
// lock, when the files were written with other bytes, replaced, also by way of a
// symbolic link, as Kubernetes and editors do it, or when what a reference stands
// for has changed. The first call comes at once if the files are no longer those
// that cfg was read from.
//
// It fails if cfg was not made by Load or LoadWith.
func Watch(ctx context.Context, cfg *Config, options WatchOptions, changed func(Update)) (*Watcher, error) {
	if cfg == nil || len(cfg.paths) == 0 {
		return nil, errors.New("this configuration was not loaded from files that could be watched")
	}
	if changed == nil {
		return nil, errors.New("there is nobody to tell of changes: the callback is nil")
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &Watcher{cancel: cancel, done: make(chan struct{})}
	loop := newWatchLoop(cfg, options.withDefaults(), func(update Update) { w.deliver(changed, update) })
	go func() {
		defer close(w.done)
		defer cancel()
		loop.run(ctx)
	}()
	return w, nil
}

func (o WatchOptions) withDefaults() WatchOptions {
	if o.Debounce <= 0 {
		o.Debounce = defaultDebounce
	}
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	if o.Poll == 0 {
		o.Poll = defaultPoll
	}
	return o
}

// deliver calls back, unless the Watcher was closed.
func (w *Watcher) deliver(changed func(Update), update Update) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return
	}
	w.calling = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.calling = false
		w.mu.Unlock()
	}()
	changed(update)
}

// Close ends the Watcher. No call of the callback begins after it returned; it does
// not wait for one that is running, and may be called from it. Idempotent.
func (w *Watcher) Close() {
	w.mu.Lock()
	w.closed = true
	calling := w.calling
	w.mu.Unlock()
	w.cancel()
	if !calling {
		<-w.done
	}
}

// Done is closed when the Watcher has ended, by Close or because the context did.
func (w *Watcher) Done() <-chan struct{} { return w.done }
