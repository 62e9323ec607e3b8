package config

import (
	"context"
	"math"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watchLoop is the work of a Watcher, in one goroutine.
type watchLoop struct {
	paths   []string
	options WatchOptions
	load    Options
	deliver func(Update)

	events  *fsnotify.Watcher // nil where the system has none to give
	watched watchedFolders
	current snapshot

	timer        *time.Timer // fires when the files are to be looked at
	firstEvent   time.Time   // since when they wait for that; zero if they do not
	failingSince time.Time   // since when the files wait to be right; zero if they are
	reported     string      // the failure that was reported; empty if none was
}

// patience times Debounce is the longest that events can put off a look.
const patience = 10

// never is an interval that does not end.
const never = time.Duration(math.MaxInt64)

func newWatchLoop(cfg *Config, options WatchOptions, deliver func(Update)) *watchLoop {
	return &watchLoop{
		paths: cfg.paths, options: options, load: cfg.options, deliver: deliver,
		current: snapshotOf(cfg), watched: watchedFolders{names: map[string]map[string]bool{}},
	}
}

func (l *watchLoop) run(ctx context.Context) {
	var (
		events   chan fsnotify.Event
		failures chan error
	)
	if watcher, err := fsnotify.NewWatcher(); err == nil {
		defer func() { _ = watcher.Close() }() // nothing can be lost
		l.events, events, failures = watcher, watcher.Events, watcher.Errors
	}
	l.timer = time.NewTimer(0) // look at once
	defer l.timer.Stop()
	poll := time.NewTimer(l.pollInterval())
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-events:
			if !open {
				events = nil
			} else if l.watched.concerns(event) {
				l.soon()
			}
		case _, open := <-failures: // events may have been lost
			if !open {
				failures = nil
			} else {
				l.soon()
			}
		case <-l.timer.C:
			l.look()
			poll.Reset(l.pollInterval())
		case <-poll.C:
			l.look()
			poll.Reset(l.pollInterval())
		}
	}
}

func (l *watchLoop) hasEvents() bool { return l.events != nil && !l.watched.incomplete }

func (l *watchLoop) pollInterval() time.Duration {
	interval := l.options.Poll
	switch {
	case interval < 0 && l.hasEvents():
		return never
	case interval < 0:
		return pollWithoutEvents
	case !l.hasEvents():
		return min(interval, pollWithoutEvents)
	}
	return interval
}

// soon lets the files be looked at when nothing more happens, but not too late.
func (l *watchLoop) soon() {
	now := time.Now()
	if l.firstEvent.IsZero() {
		l.firstEvent = now
	}
	latest := l.firstEvent.Add(patience * l.options.Debounce)
	l.timer.Reset(min(l.options.Debounce, max(0, latest.Sub(now))))
}

// look reads everything, and tells what is new.
func (l *watchLoop) look() {
	l.firstEvent = time.Time{}
	found := takeSnapshot(l.paths, l.load, l.options.Check)
	if l.watched.follow(l.events, found.files) {
		l.soon() // what happened before a folder was watched was not seen
	}
	if found.err != nil {
		l.failed(found.err)
		return
	}
	same := found.equal(l.current)
	if found.unsettled && !same && l.waits() {
		return
	}
	l.failingSince = time.Time{}
	if same && l.reported == "" {
		return
	}
	update := found.since(l.current)
	l.current, l.reported = found, ""
	l.current.config = nil // nothing is kept of what was handed on
	l.deliver(update)
}

// waits reports whether what was found may still change by itself, and looks again
// when it may not.
func (l *watchLoop) waits() bool {
	now := time.Now()
	if l.failingSince.IsZero() {
		l.failingSince = now
	}
	left := l.options.Grace - now.Sub(l.failingSince)
	if left > 0 && l.firstEvent.IsZero() {
		l.timer.Reset(left)
	}
	return left > 0
}

// failed reports a failure that lasts.
func (l *watchLoop) failed(err error) {
	if l.waits() {
		return
	}
	if text := err.Error(); text != l.reported {
		l.reported = text
		l.deliver(Update{Err: err})
	}
}
