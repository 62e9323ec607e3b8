package supervise_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// Three restarts, and the fourth death in the window is the end: close of that
// connection, exhaustion, no further close.
func TestExhaustionByDeaths(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		for n := 1; n <= 3; n++ {
			w.killAndReplace(n)
		}
		w.kill(4)
		require.True(t, isDone(w), "closed for good")
		pass(time.Hour)
		require.Equal(t, 4, w.dialled())
		require.Equal(t, []string{
			"closed: exit status 1", "reconnect",
			"closed: exit status 2", "reconnect",
			"closed: exit status 3", "reconnect",
			"closed: exit status 4", "error: exhausted",
		}, w.announced())

		final := w.Err()
		require.ErrorIs(t, final, errors.ErrSupervisionExhausted)
		require.ErrorIs(t, final, errors.ErrPeerLost, "its cause is kept")
		require.ErrorContains(t, final, "3 restarts within 1m0s", "with the count")
		require.ErrorContains(t, final, "last failure: exit status 4")
		require.ErrorContains(t, final, "cannot open database")
		require.False(t, errors.SafeToRetry(final), "it may be the fate of a call that was sent")

		err := w.Send(t.Context(), message("late"))
		require.ErrorIs(t, err, errors.ErrSupervisionExhausted, "sends are refused")
		require.True(t, errors.SafeToRetry(err))
		require.ErrorIs(t, w.Connect(t.Context()), errors.ErrSupervisionExhausted)
		require.ErrorIs(t, w.start(), errors.ErrSupervisionExhausted)
		require.Contains(t, w.logged(), "[ERROR] restart budget exhausted: server=memory restarts=3", "40")

		require.NoError(t, w.Close(t.Context()))
		synctest.Wait()
		require.Len(t, w.announced(), 8, "the close was announced already")
		require.ErrorIs(t, w.Err(), errors.ErrSupervisionExhausted, "the reason stays")
		require.Zero(t, w.open())
	})
}

// Each failed attempt spends one, is reported, and in the end the promised
// replacement is withdrawn with one more close.
func TestExhaustionByFailedRestarts(t *testing.T) {
	failures := map[string]func(w *world, fail func() error){
		"dial": func(w *world, fail func() error) {
			w.scripted(func(int, context.Context) (transporters.Link, error) { return nil, fail() })
		},
		"prepare": func(w *world, fail func() error) {
			w.OnPrepare(func(context.Context, transporters.Link) error { return fail() })
		},
	}
	for name, arrange := range failures {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *world) {
				failed := 0
				arrange(w, func() error {
					failed++
					return errors.Join(errBroken, errors.ErrNotSent, context.Canceled)
				})
				w.kill(1)
				pass(time.Hour)
				require.Equal(t, 3, failed)
				require.Len(t, w.reported(), 4)
				for _, err := range w.reported() {
					require.ErrorIs(t, err, errBroken)
				}
				events := w.announced()
				require.Equal(t, "closed: exit status 1", events[0])
				require.Equal(t, []string{"error: exhausted", "closed: exhausted"}, events[4:])
				require.ErrorIs(t, w.Err(), errors.ErrSupervisionExhausted)
				require.ErrorIs(t, w.Err(), errBroken)
				require.NotErrorIs(t, w.Err(), errors.ErrNotSent, "that is true of the failed restart only")
				require.NotErrorIs(t, w.Err(), context.Canceled)
				require.Zero(t, w.open())
			})
		})
	}
}

// Answering does not restore the budget.
func TestServedMessagesDoNotRestoreTheBudget(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		for n := 1; n <= 4; n++ {
			_, err := w.Exchange(t.Context(), message("echo"), nil)
			require.NoError(t, err)
			w.link(n).deliver("notification")
			w.kill(n)
			pass(restartDelay)
		}
		require.ErrorIs(t, w.Err(), errors.ErrSupervisionExhausted)
	})
}

// The window opens at the first restart, its edge belongs to it, and after it
// the count begins anew.
func TestRestartWindow(t *testing.T) {
	const window = 60 * time.Second
	tests := map[string]struct {
		fourth    time.Duration // when the fourth death comes, after the first
		exhausted bool
	}{
		"within":             {fourth: 30 * time.Second, exhausted: true},
		"on the edge (33)":   {fourth: window, exhausted: true},
		"after the edge(33)": {fourth: window + 1, exhausted: false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *world) {
				pass(50 * time.Second) // 34: not the clock's origin, nor the start
				first := time.Now()
				for n := 1; n <= 3; n++ {
					w.killAndReplace(n)
				}
				pass(test.fourth - time.Since(first))
				w.kill(4)
				pass(restartDelay)
				require.Equal(t, test.exhausted, isDone(w))
				if !test.exhausted {
					require.NoError(t, w.Connect(t.Context()))
					require.Contains(t, w.logged(), `reason="exit status 4: peer lost" attempt=1`, "32")
				}
			})
		})
	}
}

// An error listener that panics at exhaustion changes nothing.
func TestPanicAtExhaustion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := started(t, supervised(), supervise.WithErrorListener(func(error) { panic("at the worst time") }))
		for n := 1; n <= 4; n++ {
			w.kill(n)
			pass(restartDelay)
		}
		require.ErrorIs(t, w.Err(), errors.ErrSupervisionExhausted)
		require.Contains(t, w.logged(), "at the worst time")
	})
}

func isDone(link transporters.Link) bool {
	select {
	case <-link.Done():
		return true
	default:
		return false
	}
}
