package supervise_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// bubble runs a test of a started link in supervised mode, in fake time.
func bubble(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) { test(t, started(t, supervised())) })
}

// Refused between death and replacement, afterwards the replacement alone gets
// it.
func TestSendAfterADeathGoesToTheReplacement(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.kill(1)
		err := w.Send(ctx, message("refused"))
		require.ErrorIs(t, err, errors.ErrReconnecting, "13")
		require.ErrorIs(t, err, errors.ErrNotSent)
		require.True(t, errors.SafeToRetry(err))
		require.ErrorContains(t, err, "exit status 1", "it says what the peer died of")
		require.ErrorContains(t, err, `"memory"`)
		require.ErrorIs(t, w.Connect(ctx), errors.ErrReconnecting)

		pass(restartDelay)
		require.NoError(t, w.Connect(ctx))
		require.NoError(t, w.Send(ctx, message("taken")))
		require.Empty(t, w.link(1).methods(), "14")
		require.Equal(t, []string{"taken"}, w.link(2).methods(), "14")
	})
}

// What was registered once serves every connection.
func TestListenersSurviveARestart(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.link(1).deliver("one")
		w.killAndReplace(1)
		w.link(2).deliver("two")
		require.Equal(t, []string{"one", "two"}, w.received())
		w.kill(2)
		require.Equal(t, []string{"closed: exit status 1", "reconnect", "closed: exit status 2"}, w.announced())
	})
}

// The session answers to the very link a message came from, which prepare got
// as well.
func TestMessagesComeFromTheGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := build(t, supervised())
		var prepared, from transporters.Link
		w.OnPrepare(func(_ context.Context, fresh transporters.Link) error {
			prepared = fresh
			return nil
		})
		require.NoError(t, w.Start(t.Context(), func(link transporters.Link, _ mcp.Message) { from = link }))
		defer w.shut()
		w.link(1).deliver("ping")
		require.Same(t, prepared, from)
		require.NoError(t, from.Send(t.Context(), message("pong")))
		require.Equal(t, []string{"pong"}, w.link(1).methods())
		require.Error(t, from.Start(t.Context(), nil), "it is started already")
	})
}

// However often a death is signalled, it is one.
func TestTwoDeathSignalsAreOneClose(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.link(1).die(exit(1))
		w.link(1).die(errors.ErrPeerLost)
		synctest.Wait()
		w.link(1).die(errors.ErrPeerLost)
		pass(restartDelay)
		require.Equal(t, []string{"closed: exit status 1", "reconnect"}, w.announced())
		require.Equal(t, 2, w.dialled())
	})
}

// A close of the owner's is one close, and respawns nothing.
func TestCloseAfterARestart(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.killAndReplace(1)
		w.shut()
		pass(time.Hour)
		require.Equal(t, []string{"closed: exit status 1", "reconnect", "closed: by owner"}, w.announced(), "18, 49")
		require.Equal(t, 2, w.dialled(), "26")
		require.Zero(t, w.open())
	})
}

// A superseded connection is closed, and can deliver neither messages nor
// another close.
func TestSupersededConnection(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.kill(1)
		require.True(t, w.link(1).isClosed(), "20")
		w.link(1).deliver("late")
		pass(restartDelay)
		w.link(1).deliver("later")
		require.NoError(t, w.link(1).Close(t.Context()))
		synctest.Wait()
		require.Empty(t, w.received(), "21")
		require.Equal(t, []string{"closed: exit status 1", "reconnect"}, w.announced(), "21")
		require.False(t, w.link(2).isClosed())
	})
}

// A link that does not close cleanly is replaced all the same, and its
// error is the caller's if the caller closed it.
func TestLinkThatFailsToClose(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		fail := func(context.Context) error { return errBroken }
		w.link(1).onClose = fail
		w.killAndReplace(1)
		require.Contains(t, w.logged(), "broken")
		w.link(2).onClose = fail
		require.ErrorIs(t, w.Close(t.Context()), errBroken)
		require.NoError(t, w.Close(t.Context()), "it is idempotent")
		synctest.Wait()
		require.Equal(t, []string{"closed: exit status 1", "reconnect", "closed: by owner"}, w.announced())
	})
}

// Each restart is logged with reason, attempt and budget.
func TestRestartsAreLogged(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.killAndReplace(1)
		require.Contains(t, w.logged(), `[WARN]  restarting the peer: server=memory reason="exit status 1: peer lost" attempt=1 budget=3 delay=100ms`, "41")
		w.link(2).die(nil)
		pass(restartDelay)
		require.Contains(t, w.logged(), `reason="peer lost: unknown reason" attempt=2 budget=3`, "42")
	})
}

// True before the close is announced, until the replacement serves.
func TestIsReconnecting(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		var atClose, atReconnect, inPrepare []bool
		w.OnConnectionClosed(func(error) { atClose = append(atClose, w.IsReconnecting()) })
		w.OnReconnect(func() { atReconnect = append(atReconnect, w.IsReconnecting()) })
		w.OnPrepare(func(context.Context, transporters.Link) error {
			inPrepare = append(inPrepare, w.IsReconnecting())
			return nil
		})
		require.False(t, w.IsReconnecting())
		w.kill(1)
		require.True(t, w.IsReconnecting())
		pass(restartDelay)
		require.False(t, w.IsReconnecting(), "45")
		for n := 2; n <= 4; n++ {
			w.kill(n)
			pass(restartDelay)
		}
		require.False(t, w.IsReconnecting(), "the budget is spent")
		require.Equal(t, []bool{true, true, true, false}, atClose)
		require.Equal(t, []bool{false, false, false}, atReconnect)
		require.Equal(t, []bool{true, true, true}, inPrepare)
	})
	bubble(t, func(t *testing.T, w *world) {
		w.kill(1)
		require.True(t, w.IsReconnecting())
		w.shut()
		require.False(t, w.IsReconnecting(), "closed")
	})
}

// One announcement per replacement, after the close of what it
// replaces, with the new peer at hand.
func TestReconnectAnnouncement(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.OnReconnect(func() { _ = w.Send(context.Background(), message("restored")) })
		for n := 1; n <= 3; n++ {
			w.killAndReplace(n)
			synctest.Wait()
			require.Equal(t, []string{"restored"}, w.link(n+1).methods(), "54")
		}
		require.Equal(t, []string{
			"closed: exit status 1", "reconnect",
			"closed: exit status 2", "reconnect",
			"closed: exit status 3", "reconnect",
		}, w.announced(), "52, 53")
	})
}

// A failed restart announces nothing but its error; the next one that
// serves is announced.
func TestFailedRestartAnnouncesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		attempts := 0
		w.OnPrepare(func(context.Context, transporters.Link) error {
			attempts++
			if attempts < 3 {
				return errBroken
			}
			return nil
		})
		w.kill(1)
		pass(3 * restartDelay)
		require.Equal(t, []string{"closed: exit status 1", "error: " + w.reported()[0].Error(), "error: " + w.reported()[1].Error(), "reconnect"}, w.announced())
		require.EqualError(t, w.reported()[0], `mcp server "memory": restart 1 of 3 failed: broken`)
		require.ErrorIs(t, w.reported()[1], errBroken)
		require.Equal(t, 1, w.open(), "the half-made links are closed")
		require.NoError(t, w.Connect(t.Context()))
	})
}

// The delay runs from the death, and backoff doubles it within the window.
func TestRestartDelay(t *testing.T) {
	tests := map[string]struct {
		cfg  supervise.Config
		want []time.Duration
	}{
		"constant": {
			cfg:  supervise.Config{RestartDelay: config.Of(time.Second)},
			want: []time.Duration{time.Second, time.Second, time.Second},
		},
		"none": {
			cfg:  supervise.Config{RestartDelay: config.Of(0)},
			want: []time.Duration{0, 0, 0},
		},
		"doubling": {
			cfg:  supervise.Config{RestartDelay: config.Of(time.Second), Backoff: config.Of(3 * time.Second)},
			want: []time.Duration{time.Second, 2 * time.Second, 3 * time.Second},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := started(t, &test.cfg)
				var served time.Time
				w.OnReconnect(func() { served = time.Now() })
				for i, want := range test.want {
					died := time.Now()
					w.kill(i + 1)
					pass(5 * time.Second)
					require.Equal(t, want, served.Sub(died), "restart %d", i+1)
				}
			})
		})
	}
}

// A restart that never gets anywhere is given up after the connect timeout.
func TestRestartIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := started(t, supervised(), supervise.WithConnectTimeout(5*time.Second))
		w.OnPrepare(func(ctx context.Context, _ transporters.Link) error {
			<-ctx.Done()
			return context.Cause(ctx)
		})
		w.kill(1)
		pass(restartDelay + 5*time.Second)
		require.Len(t, w.reported(), 1)
		require.ErrorIs(t, w.reported()[0], errors.ErrConnectTimeout)
		require.ErrorIs(t, w.reported()[0], errors.ErrRequestTimeout)
		require.True(t, w.IsReconnecting(), "the next attempt is under way")
	})
}

// wait_for_reconnect: a call that begins while down waits, bounded.
func TestWaitForReconnect(t *testing.T) {
	waiting := supervised()
	waiting.WaitForReconnect = config.Of(3 * time.Second)
	t.Run("until the replacement serves", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := started(t, waiting)
			w.kill(1)
			begun := time.Now()
			require.NoError(t, w.Send(t.Context(), message("patient")))
			require.Equal(t, restartDelay, time.Since(begun))
			require.Equal(t, []string{"patient"}, w.link(2).methods())
		})
	})
	t.Run("no longer than configured, failed attempts included", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := started(t, waiting)
			w.OnPrepare(func(ctx context.Context, _ transporters.Link) error {
				time.Sleep(2 * time.Second)
				return errBroken
			})
			w.kill(1)
			begun := time.Now()
			require.ErrorIs(t, w.Connect(t.Context()), errors.ErrReconnecting)
			require.Equal(t, 3*time.Second, time.Since(begun))
		})
	})
	t.Run("nor than its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := started(t, waiting)
			w.kill(1)
			ctx, cancel := context.WithTimeout(t.Context(), restartDelay/2)
			defer cancel()
			require.ErrorIs(t, w.Connect(ctx), context.DeadlineExceeded)
		})
	})
	t.Run("and learns of the end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := started(t, waiting)
			w.kill(1)
			time.AfterFunc(restartDelay/2, w.shut)
			require.ErrorIs(t, w.Connect(t.Context()), errors.ErrTransportClosed)
		})
	})
}

// A peer that hangs is got rid of by closing its generation, which counts as a
// death.
func TestClosingAGenerationReplacesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := build(t, supervised())
		var current transporters.Link
		w.OnPrepare(func(_ context.Context, fresh transporters.Link) error {
			current = fresh
			return nil
		})
		require.NoError(t, w.start())
		defer w.shut()
		given := current
		running := exchange(t.Context(), given, "slow")
		synctest.Wait()
		require.NoError(t, given.Close(t.Context()))
		err := <-running
		require.ErrorIs(t, err, errors.ErrPeerLost, "so that it may be sent again")
		require.NotErrorIs(t, err, errors.ErrTransportClosed, "the callers' transport is not closed")
		require.False(t, errors.SafeToRetry(err))
		require.ErrorIs(t, given.Err(), errors.ErrPeerLost)
		err = given.Send(t.Context(), message("late"))
		require.ErrorIs(t, err, errors.ErrPeerLost)
		require.True(t, errors.SafeToRetry(err))
		pass(restartDelay)
		require.NoError(t, w.Connect(t.Context()))
		require.Equal(t, 2, w.dialled())
		require.Equal(t, []string{"closed: the peer did not answer any more and was given up", "reconnect"}, w.announced())
	})
}

// The close of a dead peer's link is bounded.
func TestRetiringIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := started(t, supervised(), supervise.WithRetireTimeout(3*time.Second))
		w.link(1).onClose = func(ctx context.Context) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}
		w.kill(1)
		pass(3*time.Second + restartDelay)
		require.NoError(t, w.Connect(t.Context()))
	})
}

// A call that comes between a death and the decision about it finds what was
// decided, and dials nothing of its own.
func TestConnectRacesADeath(t *testing.T) {
	for range 200 {
		bubble(t, func(t *testing.T, w *world) {
			w.link(1).die(exit(1))
			require.ErrorIs(t, w.Connect(t.Context()), errors.ErrReconnecting)
			synctest.Wait()
			require.Equal(t, 1, w.dialled())
		})
		onDemand(t, func(t *testing.T, w *world) {
			w.link(1).die(exit(1))
			require.NoError(t, w.Connect(t.Context()))
			synctest.Wait()
			require.Equal(t, []string{"closed: exit status 1", "reconnect"}, w.announced())
		})
	}
}
