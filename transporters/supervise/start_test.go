package supervise_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// eachMode runs the test in both modes, in a bubble of fake time.
func eachMode(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("supervised", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, build(t, supervised())) })
	})
	t.Run("on demand", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, build(t, nil)) })
	})
}

var errBroken = errors.New("broken")

// A failed first start tells its cause, owes no close, leaves nothing
// behind, and can be tried again.
func TestFailedFirstStart(t *testing.T) {
	failures := map[string]func(w *world){
		"dial": func(w *world) {
			w.scripted(func(number int, _ context.Context) (transporters.Link, error) {
				if number == 1 {
					return nil, errBroken
				}
				return nil, nil
			})
		},
		"start": func(w *world) {
			w.scripted(func(number int, _ context.Context) (transporters.Link, error) {
				link := w.fresh()
				if number == 1 {
					link.onStart = func(context.Context) error { return errBroken }
				}
				return link, nil
			})
		},
		"prepare": func(w *world) {
			failed := false
			w.OnPrepare(func(context.Context, transporters.Link) error {
				if failed {
					return nil
				}
				failed = true
				return errBroken
			})
		},
	}
	for name, fail := range failures {
		t.Run(name, func(t *testing.T) {
			eachMode(t, func(t *testing.T, w *world) {
				fail(w)
				require.ErrorIs(t, w.start(), errBroken)
				synctest.Wait()
				require.Zero(t, w.open(), "the half-made link is closed")
				require.Empty(t, w.announced(), "no close is owed (5)")
				require.Empty(t, w.reported(), "the caller was told")
				require.NoError(t, w.Err())
				if name == "prepare" {
					w.link(1).deliver("late")
					require.Empty(t, w.received(), "it is detached (6)")
				}

				require.NoError(t, w.start(), "it can be started again (5)")
				require.NoError(t, w.Connect(t.Context()))
				require.Equal(t, 1, w.open())
				synctest.Wait()
				require.Empty(t, w.announced(), "the first connection is no reconnect (51)")
				w.shut()
			})
		})
	}
}

// A link that dies while it is prepared, after prepare saw nothing of it, is a
// failed start too.
func TestPeerThatEndsAsPrepareReturns(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		w.OnPrepare(func(context.Context, transporters.Link) error {
			w.link(1).die(exit(7))
			return nil
		})
		err := w.start()
		require.ErrorIs(t, err, errors.ErrStartFailed)
		require.ErrorContains(t, err, "exit status 7")
		require.Zero(t, w.open())
		w.shut()
	})
}

func TestDialThatReturnsNothing(t *testing.T) {
	nothing := func(context.Context) (transporters.Link, error) { return nil, nil }
	link := supervise.New("memory", nil, nothing)
	require.ErrorIs(t, link.Start(t.Context(), nil), errors.ErrStartFailed)
	require.NoError(t, link.Close(t.Context()))
}

// One dial, started, then prepared, before it is the one that serves.
func TestStartDialsStartsAndPreparesOnce(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		w.OnPrepare(func(ctx context.Context, fresh transporters.Link) error {
			assert.True(t, w.link(1).started)
			assert.Equal(t, "fake", fresh.Traits().Name)
			assert.ErrorIs(t, w.Connect(ctx), errors.ErrNotSent, "nothing serves yet")
			_, err := fresh.Exchange(ctx, message("echo"), nil)
			return err
		})
		require.NoError(t, w.start())
		require.Equal(t, 1, w.dialled())
		require.Equal(t, []string{"echo"}, w.link(1).methods())
		require.Error(t, w.start(), "it cannot be started twice")
		require.Equal(t, 1, w.dialled())
		w.shut()
		require.ErrorIs(t, w.start(), errors.ErrTransportClosed, "nor after it was closed")
	})
}

// Before the start nothing is sent; afterwards all goes to the peer that serves.
func TestSend(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		require.ErrorIs(t, w.Send(ctx, message("early")), errors.ErrNotSent, "before the start")
		require.NoError(t, w.start())
		require.NoError(t, w.Send(ctx, message("one")), "to the current connection")
		reply, err := w.Exchange(ctx, message("echo"), nil)
		require.NoError(t, err)
		require.JSONEq(t, `"echo"`, string(reply.Message.Result))
		require.Equal(t, []string{"one", "echo"}, w.link(1).methods())

		w.shut()
		err = w.Send(ctx, message("late"))
		require.ErrorIs(t, err, errors.ErrTransportClosed, "after the close")
		require.True(t, errors.SafeToRetry(err))
		_, err = w.Exchange(ctx, message("late"), nil)
		require.ErrorIs(t, err, errors.ErrTransportClosed)
	})
}

// S14, P35: ErrRedial dials again, once, at once and uncounted.
func TestRedial(t *testing.T) {
	redial := &errors.TransporterRequestError{Message: "exit status 1", Stderr: "no initialize", Err: errors.ErrRedial}
	t.Run("once is enough", func(t *testing.T) {
		eachMode(t, func(t *testing.T, w *world) {
			prepared := 0
			w.OnPrepare(func(context.Context, transporters.Link) error {
				prepared++
				if prepared == 1 {
					return redial
				}
				return nil
			})
			require.NoError(t, w.start())
			require.Equal(t, 2, w.dialled())
			require.True(t, w.link(1).isClosed())
			synctest.Wait()
			require.Empty(t, w.announced())
			w.shut()
		})
	})
	t.Run("twice is a failed start", func(t *testing.T) {
		eachMode(t, func(t *testing.T, w *world) {
			w.OnPrepare(func(context.Context, transporters.Link) error { return redial })
			err := w.start()
			require.Equal(t, 2, w.dialled())
			require.ErrorIs(t, err, errors.ErrStartFailed)
			require.NotErrorIs(t, err, errors.ErrRedial, "it never reaches a caller")
			failure, ok := errors.AsType[*errors.TransporterRequestError](err)
			require.True(t, ok, "the cause is not hidden")
			require.Equal(t, "no initialize", failure.Stderr)
			require.Zero(t, w.open())
			w.shut()
		})
	})
	t.Run("it costs no budget", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := started(t, supervised())
			prepared := 0
			w.OnPrepare(func(context.Context, transporters.Link) error {
				prepared++
				if prepared%2 == 1 {
					return redial
				}
				return nil
			})
			for restart := range 3 {
				w.killAndReplace(1 + 2*restart)
			}
			require.Equal(t, 7, w.dialled(), "one, and three restarts of two dials")
			require.Equal(t, 3, prepared/2)
			require.Empty(t, w.reported())
		})
	})
}

// A start ends with its context, says why, and leaves nothing.
func TestStartEndsWithItsContext(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		w.OnPrepare(func(ctx context.Context, _ transporters.Link) error {
			<-ctx.Done()
			return errors.Join(errBroken, context.Cause(ctx))
		})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.ErrConnectTimeout)
		defer cancel()
		begun := time.Now()
		err := w.Start(ctx, w.receive)
		require.ErrorIs(t, err, errors.ErrConnectTimeout)
		require.ErrorIs(t, err, errBroken, "what prepare knows is not lost")
		require.Equal(t, time.Second, time.Since(begun))
		require.Zero(t, w.open())
		w.shut()
	})
}

// A dial that takes no notice of its context does not hold the caller for ever,
// and what it dials in the end is closed.
func TestStartIsBoundedThoughDialIsNot(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		release := make(chan struct{})
		w.scripted(func(int, context.Context) (transporters.Link, error) {
			<-release
			return w.fresh(), nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, w.Start(ctx, w.receive), context.DeadlineExceeded)

		again, cancelAgain := context.WithTimeout(t.Context(), time.Second)
		defer cancelAgain()
		require.ErrorIs(t, w.Start(again, w.receive), context.DeadlineExceeded, "the first one is still under way")
		require.Equal(t, 1, w.dialled())

		closed := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			closed <- w.Close(ctx)
		}()
		require.ErrorIs(t, <-closed, context.DeadlineExceeded, "Close is bounded as well")
		close(release)
		synctest.Wait()
		require.Zero(t, w.open())
	})
}

// A context that has ended already dials nothing.
func TestStartWithAnEndedContext(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errBroken)
		require.ErrorIs(t, w.Start(ctx, w.receive), errBroken)
		require.Zero(t, w.open())
		require.NoError(t, w.start())
		w.shut()
	})
}

func TestTraits(t *testing.T) {
	want := transporters.Traits{Name: "websocket"}
	require.Equal(t, want, supervise.New("memory", nil, nil, supervise.WithTraits(want)).Traits())
	require.Equal(t, transporters.Traits{Name: "stdio", SilenceIsEvidence: true}, supervise.New("memory", nil, nil).Traits())
}
