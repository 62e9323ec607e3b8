package supervise_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// prepared starts the world and returns the generation that prepare got last.
func prepared(t *testing.T, w *world) func() transporters.Link {
	var current transporters.Link
	w.OnPrepare(func(_ context.Context, fresh transporters.Link) error {
		current = fresh
		return nil
	})
	require.NoError(t, w.start())
	t.Cleanup(w.shut)
	return func() transporters.Link { return current }
}

// A lost exchange returns only when it is decided whether another peer will
// come, delegated and on the generation alike.
func TestLostExchangeReturnsAfterTheDecision(t *testing.T) {
	for name, direct := range map[string]bool{"delegated": false, "on the generation": true} {
		t.Run(name, func(t *testing.T) {
			for range 100 {
				synctest.Test(t, func(t *testing.T) {
					w := build(t, supervised())
					current := prepared(t, w)
					link := func() transporters.Link {
						if direct {
							return current()
						}
						return w
					}
					for n := 1; n <= 4; n++ {
						lost := make(chan struct{})
						go func() {
							defer close(lost)
							_, err := link().Exchange(t.Context(), message("slow"), nil)
							assert.ErrorIs(t, err, errors.ErrPeerLost)
							if n <= 3 {
								assert.True(t, w.IsReconnecting())
								assert.NoError(t, w.Err())
							} else {
								assert.False(t, w.IsReconnecting())
								assert.True(t, isDone(w))
								assert.ErrorIs(t, w.Err(), errors.ErrSupervisionExhausted)
							}
						}()
						synctest.Wait()
						w.link(n).die(exit(n))
						<-lost
						pass(restartDelay)
					}
				})
			}
		})
	}
}

// An exchange that the owner's close ends returns when Done is closed.
func TestExchangeEndedByClose(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		current := prepared(t, w)
		delegated := exchange(t.Context(), w, "slow")
		direct := exchange(t.Context(), current(), "slow")
		synctest.Wait()
		w.shut()
		require.ErrorIs(t, <-delegated, errors.ErrTransportClosed)
		require.ErrorIs(t, <-direct, errors.ErrTransportClosed)
		require.ErrorIs(t, w.Err(), errors.ErrTransportClosed)
	})
}

// The decision does not wait for listeners: one that waits for an exchange with
// the peer that just died must not keep it from returning.
func TestDecisionDoesNotWaitForAListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := build(t, supervised())
		current := prepared(t, w)
		var lost error
		w.OnReconnect(func() {
			if lost == nil {
				_, lost = current().Exchange(context.Background(), message("slow"), nil)
			}
		})
		w.killAndReplace(1)
		w.kill(2)
		require.ErrorIs(t, lost, errors.ErrPeerLost)
		pass(restartDelay)
		require.NoError(t, w.Connect(t.Context()), "and the peer is replaced")
	})
}

// During prepare there is no decision to wait for: a lost exchange returns at
// once, or prepare could never return.
func TestExchangeLostDuringPrepare(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		w.OnPrepare(func(ctx context.Context, fresh transporters.Link) error {
			time.AfterFunc(time.Second, func() { w.link(1).die(exit(1)) })
			_, err := fresh.Exchange(ctx, message("initialize"), nil)
			return err
		})
		begun := time.Now()
		require.ErrorIs(t, w.start(), errors.ErrPeerLost)
		require.Equal(t, time.Second, time.Since(begun))
		w.shut()
	})
}

// Nor is there one about a peer that ended before it served, however late its
// exchange notices.
func TestExchangeLostBeforeTheSwitch(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		var result <-chan error
		w.OnPrepare(func(_ context.Context, fresh transporters.Link) error {
			result = exchange(context.Background(), fresh, "slow")
			w.link(1).hold = true
			w.link(1).die(exit(1))
			return nil
		})
		require.ErrorIs(t, w.start(), errors.ErrStartFailed)
		w.link(1).release()
		synctest.Wait()
		select {
		case err := <-result:
			require.ErrorIs(t, err, errors.ErrPeerLost)
		default:
			require.Fail(t, "the exchange waits for a decision that nobody will make")
		}
		w.shut()
	})
}

// A caller's own end does not wait for anything, and an answer is an answer.
func TestExchangeEndsWithItsContext(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		current := prepared(t, w)
		ctx, cancel := context.WithCancelCause(t.Context())
		result := exchange(ctx, current(), "slow")
		synctest.Wait()
		cancel(errBroken)
		require.ErrorIs(t, <-result, errBroken)
		require.NoError(t, <-exchange(t.Context(), current(), "echo"))
	})
}

// What a living link refuses is refused at once: no decision is to be awaited.
func TestExchangeThatALivingLinkRefuses(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		current := prepared(t, w)
		w.link(1).refuse(errBroken)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, <-exchange(ctx, current(), "echo"), errBroken)
		require.Zero(t, time.Since(began))
	})
}

// An answer that came before the peer's end does not wait for what follows it.
func TestExchangeAnsweredBeforeTheEnd(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		w.scripted(func(int, context.Context) (transporters.Link, error) { return lastWords{w.fresh()}, nil })
		current := prepared(t, w)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, <-exchange(ctx, current(), "echo"))
		require.Zero(t, time.Since(began))
	})
}

// lastWords is a link whose peer answers and dies.
type lastWords struct{ *fakeLink }

func (l lastWords) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	reply, err := l.fakeLink.Exchange(ctx, out, sink)
	l.die(exit(1))
	return reply, err
}

// What a generation does is what its link does.
func TestGenerationForwards(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		current := prepared(t, w)
		for _, link := range []transporters.Link{current(), w} {
			require.NoError(t, link.(transporters.Terminator).Terminate(t.Context(), nil))
			link.(transporters.Aborter).Abort(7)
			link.(transporters.VersionSetter).SetVersion(mcp.Version20250326)
		}
		require.Equal(t, 2, w.link(1).ended)
		require.Equal(t, []uint64{7, 7}, w.link(1).aborted)
		require.Equal(t, mcp.Version20250326, w.link(1).version)
		require.NoError(t, current().Err())
		require.False(t, isDone(current()))

		w.kill(1)
		require.True(t, isDone(current()))
		require.ErrorContains(t, current().Err(), "exit status 1")
		require.NoError(t, w.Terminate(t.Context(), nil))
		w.Abort(8)
		w.SetVersion(mcp.Version20241105)
		require.Equal(t, 2, w.link(1).ended, "nothing is forwarded to a dead peer")
		require.Len(t, w.link(1).aborted, 2)
		require.Equal(t, "stdio", w.Traits().Name)
	})
}

// A link without the optional interfaces is served as well.
func TestGenerationOfALinkWithoutOptionalInterfaces(t *testing.T) {
	eachMode(t, func(t *testing.T, w *world) {
		w.scripted(func(int, context.Context) (transporters.Link, error) { return plainLink{w.fresh()}, nil })
		current := prepared(t, w)
		require.NoError(t, current().(transporters.Terminator).Terminate(t.Context(), nil))
		current().(transporters.Aborter).Abort(7)
		current().(transporters.VersionSetter).SetVersion(mcp.Version20250326)
		require.Zero(t, w.link(1).ended)
	})
}
