// Package storetest tests that a session.VerdictStore keeps verdicts as several
// programs that share it need it.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// Verdicts runs the tests, each on a store of its own. open returns two handles on
// one empty store, as two programs have them; they may be the same.
func Verdicts(t *testing.T, open func(t *testing.T) (first, second session.VerdictStore)) { // R043
	t.Helper()
	legacy := session.Verdict{Era: mcp.EraLegacy, Version: mcp.Version20251125, DecidedAt: time.Now().Add(-time.Hour)}
	modern := session.Verdict{Era: mcp.EraModern, Version: mcp.Version20260728, DecidedAt: time.Now()}
	holds := func(t *testing.T, store session.VerdictStore, key string, want session.Verdict) {
		t.Helper()
		found, ok := store.LoadVerdict(t.Context(), key)
		require.True(t, ok)
		assert.Equal(t, want.Era, found.Era)
		assert.Equal(t, want.Version, found.Version)
		assert.WithinDuration(t, want.DecidedAt, found.DecidedAt, 0)
	}
	t.Run("WhatOneSavesTheOtherLoads", func(t *testing.T) {
		first, second := open(t)
		_, found := first.LoadVerdict(t.Context(), "k")
		assert.False(t, found)
		first.SaveVerdict(t.Context(), "k", legacy)
		holds(t, second, "k", legacy)
		_, found = second.LoadVerdict(t.Context(), "K")
		assert.False(t, found)
	})
	t.Run("ALaterOneTakesItsPlace", func(t *testing.T) {
		first, second := open(t)
		first.SaveVerdict(t.Context(), "k", legacy)
		second.SaveVerdict(t.Context(), "k", modern)
		holds(t, first, "k", modern)
	})
	t.Run("AContextThatHasEndedIsRespected", func(t *testing.T) {
		first, _ := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		done := make(chan struct{})
		go func() {
			defer close(done)
			first.SaveVerdict(ctx, "k", legacy)
			_, _ = first.LoadVerdict(ctx, "k")
		}()
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			t.Fatal("a call did not return though its context had ended")
		}
	})
}
