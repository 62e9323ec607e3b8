package config

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The folders that files are found by are watched, once each, and no others.
func TestWatchedFoldersFollowTheFiles(t *testing.T) {
	folder, err := filepath.EvalSymlinks(folderWith(t, map[string]string{"a/x": "", "a/y": "", "b/x": ""}))
	require.NoError(t, err)
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	events, err := fsnotify.NewWatcher()
	require.NoError(t, err)
	defer func() { _ = events.Close() }()
	folders := watchedFolders{names: map[string]map[string]bool{}}
	follow := func(files ...string) bool {
		for i, file := range files {
			files[i] = filepath.Join(folder, file)
		}
		return folders.follow(events, files)
	}

	require.True(t, follow("a/x", "b/x"), "both are new")
	assert.ElementsMatch(t, []string{a, b}, events.WatchList())
	require.False(t, follow("a/x", "a/y", "b/x"), "neither is")
	assert.Equal(t, map[string]map[string]bool{a: {"x": true, "y": true}, b: {"x": true}}, folders.names)
	require.False(t, follow("a/x"))
	assert.Equal(t, []string{a}, events.WatchList())
	assert.Equal(t, map[string]map[string]bool{a: {"x": true}}, folders.names)

	require.True(t, folders.concerns(fsnotify.Event{Name: a, Op: fsnotify.Remove}))
	require.True(t, follow("a/x"), "it may be another one now")
	assert.Equal(t, []string{a}, events.WatchList())
	assert.False(t, folders.incomplete)

	require.NoError(t, events.Close())
	require.False(t, follow("a/x", "b/x"))
	assert.True(t, folders.incomplete, "what cannot be watched has to be looked at")
	assert.Equal(t, map[string]map[string]bool{a: {"x": true}}, folders.names)
	require.False(t, folders.follow(nil, nil))
}

// What may still change by itself is looked at again when Grace is over, and then not
// once more; where an event came, the look after that is the next.
func TestWatchWaitsForGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const grace = time.Second
		l := newTimedLoop(t, WatchOptions{Grace: grace})
		begin := time.Now()
		require.True(t, l.waits())
		<-l.timer.C
		require.Equal(t, grace, time.Since(begin))
		require.False(t, l.waits(), "it lasted as long as Grace")
		time.Sleep(10 * grace)
		require.False(t, rings(l.timer))
		require.False(t, l.waits())

		l = newTimedLoop(t, WatchOptions{Grace: grace})
		l.firstEvent = time.Now()
		require.True(t, l.waits())
		time.Sleep(10 * grace)
		require.False(t, rings(l.timer), "the event has set the timer")
	})
}

// An event puts off the look by Debounce, and events without end by no more than ten
// times that.
func TestEventsPutOffALookForSoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const debounce = time.Second
		l := newTimedLoop(t, WatchOptions{Debounce: debounce})
		begin := time.Now()
		l.soon()
		<-l.timer.C
		require.Equal(t, debounce, time.Since(begin))

		l.firstEvent, begin = time.Time{}, time.Now()
		for time.Since(begin) < 10*debounce {
			require.False(t, rings(l.timer), "after %v", time.Since(begin))
			l.soon()
			time.Sleep(debounce / 2)
		}
		<-l.timer.C
		require.Equal(t, 10*debounce, time.Since(begin))
		l.soon()
		<-l.timer.C
		require.Equal(t, 10*debounce, time.Since(begin), "it is late already")
	})
}

// newTimedLoop is a loop that has nothing but its timer, which nothing sets off for
// now.
func newTimedLoop(t *testing.T, options WatchOptions) *watchLoop {
	timer := time.NewTimer(time.Hour)
	t.Cleanup(func() { timer.Stop() })
	return &watchLoop{options: options, timer: timer}
}

// rings reports whether a timer has run out.
func rings(timer *time.Timer) bool {
	select {
	case <-timer.C:
		return true
	default:
		return false
	}
}
