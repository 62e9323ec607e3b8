package supervise_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// A close is announced once though there never was a connection.
func TestColdClose(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		w.shut()
		w.shut()
		synctest.Wait()
		require.Equal(t, []string{"closed: by owner"}, w.announced())
		require.ErrorIs(t, w.Err(), errors.ErrTransportClosed)
		require.True(t, isDone(w))
		require.Zero(t, w.dialled())
	})
	eachMode(t, func(t *testing.T, w *world) {
		w.scripted(func(int, context.Context) (transporters.Link, error) { return nil, errBroken })
		require.ErrorIs(t, w.start(), errBroken)
		w.shut()
		synctest.Wait()
		require.Equal(t, []string{"closed: by owner"}, w.announced(), "the same after a failed start")
	})
}

// The connection is closed, and may deliver until it is, before the close is
// announced.
func TestCloseComesBeforeItsAnnouncement(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		require.NoError(t, w.start())
		w.link(1).onClose = func(context.Context) error {
			assert.True(t, isDone(w), "Done first")
			assert.Empty(t, w.announced())
			w.link(1).deliver("last words")
			return nil
		}
		w.shut()
		synctest.Wait()
		require.Equal(t, []string{"last words"}, w.received())
		require.Equal(t, []string{"closed: by owner"}, w.announced())
		w.link(1).deliver("too late")
		require.Equal(t, []string{"last words"}, w.received())
	})
}

// A close during the delay cancels the restart and is announced once more.
func TestCloseDuringTheDelay(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.kill(1)
		pass(restartDelay / 2)
		begun := time.Now()
		require.NoError(t, w.Close(t.Context()))
		require.Zero(t, time.Since(begun))
		pass(time.Hour)
		require.Equal(t, 1, w.dialled(), "29")
		require.Equal(t, []string{"closed: exit status 1", "closed: by owner"}, w.announced(), "48")
		require.Zero(t, w.open())
	})
}

// A close while the dead peer is being retired arms nothing.
func TestCloseWhileRetiring(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.link(1).onClose = func(context.Context) error {
			time.Sleep(time.Second)
			return nil
		}
		w.kill(1)
		pass(time.Second / 2)
		require.NoError(t, w.Close(t.Context()))
		pass(time.Hour)
		require.Equal(t, 1, w.dialled())
		require.Equal(t, []string{"closed: exit status 1", "closed: by owner"}, w.announced())
		require.NotContains(t, w.logged(), "restarting")
	})
}

// A close while a replacement is being made closes that too, and no reconnect
// is announced.
func TestCloseWhileReplacing(t *testing.T) {
	phases := map[string]func(w *world){
		"dial": func(w *world) {
			w.scripted(func(_ int, ctx context.Context) (transporters.Link, error) {
				<-ctx.Done()
				return w.fresh(), nil // a dial that succeeds too late
			})
			w.OnPrepare(func(_ context.Context, fresh transporters.Link) error {
				<-fresh.Done() // it must not come to this: nobody would close it
				return nil
			})
		},
		"start": func(w *world) {
			w.scripted(func(int, context.Context) (transporters.Link, error) {
				link := w.fresh()
				link.onStart = func(ctx context.Context) error {
					<-ctx.Done()
					return nil
				}
				return link, nil
			})
		},
		"prepare": func(w *world) {
			w.OnPrepare(func(_ context.Context, fresh transporters.Link) error {
				<-fresh.Done() // not even its context: the link is closed under it
				return errBroken
			})
		},
		"prepare that succeeds too late": func(w *world) {
			w.OnPrepare(func(ctx context.Context, _ transporters.Link) error {
				<-ctx.Done()
				return nil
			})
		},
	}
	for name, arrange := range phases {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *world) {
				arrange(w)
				w.kill(1)
				pass(restartDelay)
				require.Equal(t, 2, w.dialled())
				require.NoError(t, w.Close(t.Context()))
				pass(time.Hour)
				require.Equal(t, []string{"closed: exit status 1", "closed: by owner"}, w.announced())
				require.Empty(t, w.reported())
				require.Zero(t, w.open())
				require.ErrorIs(t, w.Connect(t.Context()), errors.ErrTransportClosed)
			})
		})
		t.Run(name+", first connection", func(t *testing.T) {
			eachMode(t, func(t *testing.T, w *world) {
				arrange(w)
				result := make(chan error, 1)
				go func() { result <- w.start() }()
				synctest.Wait()
				require.NoError(t, w.Close(t.Context()))
				require.ErrorIs(t, <-result, errors.ErrTransportClosed)
				synctest.Wait()
				require.Equal(t, []string{"closed: by owner"}, w.announced())
				require.Zero(t, w.open())
			})
		})
		t.Run(name+", on demand", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := started(t, nil)
				arrange(w)
				w.kill(1)
				result := make(chan error, 1)
				go func() { result <- w.Connect(t.Context()) }()
				synctest.Wait()
				require.NoError(t, w.Close(t.Context()))
				require.ErrorIs(t, <-result, errors.ErrTransportClosed)
				synctest.Wait()
				require.Equal(t, []string{"closed: exit status 1", "closed: by owner"}, w.announced())
				require.Zero(t, w.open())
			})
		})
	}
}

// A close from a close listener cancels the restart, logs no attempt, and
// neither recurses nor hangs.
func TestCloseFromAListener(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		begun := time.Now()
		var closeErr error
		w.OnConnectionClosed(func(error) { closeErr = w.Close(context.Background()) })
		w.kill(1)
		require.Zero(t, time.Since(begun))
		require.NoError(t, closeErr)
		pass(time.Hour)
		require.Equal(t, 1, w.dialled())
		require.NotContains(t, w.logged(), "restarting")
		require.Equal(t, []string{"closed: exit status 1", "closed: by owner"}, w.announced())
	})
	bubble(t, func(t *testing.T, w *world) {
		w.OnReconnect(func() { _ = w.Close(context.Background()) })
		w.kill(1)
		pass(time.Hour)
		require.Equal(t, []string{"closed: exit status 1", "reconnect", "closed: by owner"}, w.announced())
		require.Zero(t, w.open())
	})
}

// Close does not wait for a callback.
func TestCloseDoesNotWaitForListeners(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		release := make(chan struct{})
		w.OnConnectionClosed(func(error) { <-release })
		w.kill(1)
		begun := time.Now()
		require.NoError(t, w.Close(t.Context()))
		require.Zero(t, time.Since(begun))
		close(release)
	})
}

// Concurrent closers return when the first is done, each within its own
// context.
func TestConcurrentClose(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		require.NoError(t, w.start())
		w.link(1).onClose = func(context.Context) error {
			time.Sleep(time.Second)
			return nil
		}
		begun := time.Now()
		var closers sync.WaitGroup
		for range 8 {
			closers.Go(func() {
				assert.NoError(t, w.Close(context.Background()))
				assert.Equal(t, time.Second, time.Since(begun))
			})
		}
		closers.Go(func() {
			synctest.Wait()
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			assert.ErrorIs(t, w.Close(ctx), context.DeadlineExceeded)
		})
		closers.Wait()
		require.Equal(t, 1, w.link(1).closes)
		synctest.Wait()
		require.Equal(t, []string{"closed: by owner"}, w.announced())
	})
}

// Every link is told to end within the closer's context, and a link that takes
// longer is waited for a little, then named.
func TestCloseIsBounded(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		require.NoError(t, w.start())
		release := make(chan struct{})
		w.link(1).onClose = func(ctx context.Context) error {
			<-ctx.Done()
			<-release
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		err := w.Close(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, `"memory"`)
		require.Equal(t, 3*time.Second, time.Since(begun))
		close(release)
	})
}

// A death that nobody has noticed yet, and a close, are one close.
func TestCloseRacesADeath(t *testing.T) {
	for range 200 {
		eachModeOnce(t, func(t *testing.T, w *world) {
			require.NoError(t, w.start())
			var racers sync.WaitGroup
			racers.Go(func() { w.link(1).die(exit(1)) })
			racers.Go(w.shut)
			racers.Wait()
			pass(time.Hour)
			events := w.announced()
			require.NotEmpty(t, events)
			if events[0] == "closed: by owner" {
				require.Len(t, events, 1)
			}
			require.NotContains(t, events, "reconnect")
			require.Zero(t, w.open())
		})
	}
}

func eachModeOnce(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) { test(t, build(t, supervised())) })
	synctest.Test(t, func(t *testing.T) { test(t, build(t, nil)) })
}
