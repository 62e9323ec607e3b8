package session_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// TestEachCallEndsAtItsOwnDeadline: one timer watches over all calls, and none of
// them ends early or late for it, in whatever order the deadlines come.
func TestEachCallEndsAtItsOwnDeadline(t *testing.T) {
	limits := []time.Duration{5 * time.Second, time.Second, 20 * time.Second, 3 * time.Second, 3 * time.Second, 0}
	synctest.Test(t, func(t *testing.T) {
		silence := make([]string, len(limits))
		for i := range silence {
			silence[i] = "silence"
		}
		s := session.New("peer", session.Settings{}, newSpy(t, true, append([]string{"answer"}, silence...)...))
		require.NoError(t, callWith(t.Context(), s))
		var ended sync.WaitGroup
		for _, limit := range limits {
			ctx := withTimeout(t, limit)
			ended.Go(func() {
				began := time.Now()
				err := callWith(ctx, s)
				if limit == 0 {
					assert.ErrorIs(t, err, errors.ErrTransportClosed)
					assert.Equal(t, time.Minute, time.Since(began), "it has no limit, and waits until the session ends")
					return
				}
				assert.ErrorIs(t, err, errors.ErrRequestTimeout)
				assert.Equal(t, limit, time.Since(began))
			})
			synctest.Wait() // in the order of the list
		}
		time.Sleep(time.Minute)
		require.NoError(t, s.Close())
		ended.Wait()
	})
}

// TestADeadlineIsSetAfterTheTimerWasIdle: a call that comes after the timer fired for
// nobody is watched like the first.
func TestADeadlineIsSetAfterTheTimerWasIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := session.New("peer", session.Settings{}, newSpy(t, true, "answer", "answer", "silence"))
		defer s.Close()
		require.NoError(t, callWith(withTimeout(t, time.Second), s))
		time.Sleep(time.Hour)
		require.NoError(t, callWith(withTimeout(t, time.Minute), s))
		time.Sleep(time.Second)
		began := time.Now()
		require.ErrorIs(t, callWith(withTimeout(t, 2*time.Second), s), errors.ErrRequestTimeout)
		assert.Equal(t, 2*time.Second, time.Since(began), "it comes before the one that the timer was set for")
	})
}
