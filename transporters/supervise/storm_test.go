package supervise_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// Many callers, peers that die at random, now and then a prepare that fails,
// and a close in the midst of it: every call ends with an answer or a typed
// error, each connection is closed and announced once, nothing is left.
func TestStorm(t *testing.T) {
	raised := &supervise.Config{
		MaxRestarts:      1_000_000,
		RestartDelay:     config.Of(time.Millisecond),
		WaitForReconnect: config.Of(5 * time.Millisecond),
	}
	t.Run("supervised", func(t *testing.T) { storm(t, raised, time.Millisecond) })
	t.Run("on demand", func(t *testing.T) { storm(t, nil, time.Second) }) // so that its minutes pass
}

func storm(t *testing.T, cfg *supervise.Config, pace time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		w := build(t, cfg)
		w.OnPrepare(func(ctx context.Context, fresh transporters.Link) error {
			if w.dialled()%5 == 4 {
				return errBroken
			}
			_, err := fresh.Exchange(ctx, message("echo"), nil)
			return err
		})
		require.NoError(t, w.start())

		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				for ctx.Err() == nil {
					call(t, w, 10*pace)
					time.Sleep(rand.N(4 * pace))
				}
			})
		}
		all.Go(func() {
			for ctx.Err() == nil {
				time.Sleep(rand.N(20 * pace))
				w.newest().die(exit(1))
			}
		})
		time.Sleep(500 * pace)
		require.NoError(t, w.Close(t.Context()))
		cancel()
		all.Wait()
		synctest.Wait()

		require.Zero(t, w.open())
		var closes, reconnects int
		for _, event := range w.announced() {
			switch event {
			case "reconnect":
				reconnects++
				require.Equal(t, closes, reconnects, "each reconnect follows one close")
			case "closed: exit status 1", "closed: by owner":
				closes++
			}
		}
		require.GreaterOrEqual(t, closes, reconnects)
		require.Greater(t, reconnects, 10)
	})
}

// call makes one call, which nobody answers if it is unlucky.
func call(t *testing.T, w *world, patience time.Duration) {
	method := "echo"
	if rand.N(2) == 0 {
		method = "slow"
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := w.Exchange(ctx, message(method), nil)
	for _, expected := range []error{
		errors.ErrPeerLost, errors.ErrReconnecting, errors.ErrTransportClosed,
		errors.ErrSupervisionExhausted, context.DeadlineExceeded, errBroken,
	} {
		if errors.Is(err, expected) {
			return
		}
	}
	assert.NoError(t, err)
}
