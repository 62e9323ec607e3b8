package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Pins runs the tests of a PinStore, each on a store of its own.
func Pins(t *testing.T, open func(t *testing.T) (first, second policy.PinStore)) {
	t.Helper()
	run := each(t, open)
	pins := func(t *testing.T, store policy.PinStore, server string) map[string]string {
		t.Helper()
		found, err := store.Pins(t.Context(), server)
		require.NoError(t, err)
		return found
	}
	run("WhatOnePinsTheOtherReads", func(t *testing.T, first, second policy.PinStore) {
		assert.Empty(t, pins(t, first, "a"))
		require.NoError(t, first.Pin(t.Context(), "a", map[string]string{"x": "1", "y:\x00 é": "2"}, false))
		assert.Equal(t, map[string]string{"x": "1", "y:\x00 é": "2"}, pins(t, second, "a"))
		assert.Empty(t, pins(t, second, "b"))
		require.NoError(t, second.Pin(t.Context(), "a", nil, true))
		assert.Len(t, pins(t, first, "a"), 2)
	})
	run("WhatIsPinnedStays", func(t *testing.T, first, second policy.PinStore) {
		require.NoError(t, first.Pin(t.Context(), "a", map[string]string{"x": "1"}, false))
		require.NoError(t, second.Pin(t.Context(), "a", map[string]string{"x": "9", "y": "2"}, false))
		assert.Equal(t, map[string]string{"x": "1", "y": "2"}, pins(t, first, "a"))
		require.NoError(t, second.Pin(t.Context(), "a", map[string]string{"x": "9"}, true))
		assert.Equal(t, map[string]string{"x": "9", "y": "2"}, pins(t, first, "a"))
	})
	run("TheAnswerIsTheCallersToKeep", func(t *testing.T, first, _ policy.PinStore) {
		require.NoError(t, first.Pin(t.Context(), "a", map[string]string{"x": "1"}, false))
		pins(t, first, "a")["x"] = "changed"
		assert.Equal(t, "1", pins(t, first, "a")["x"])
	})
	run("TheFirstOfManyIsPinned", func(t *testing.T, first, second policy.PinStore) {
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				store := []policy.PinStore{first, second}[i%2]
				assert.NoError(t, store.Pin(t.Context(), "a", map[string]string{"x": fmt.Sprint(i), fmt.Sprint("own", i): "1"}, false))
			})
		}
		all.Wait()
		found := pins(t, first, "a")
		assert.Len(t, found, 17, "none is lost")
		require.NoError(t, first.Pin(t.Context(), "a", map[string]string{"x": "late"}, false))
		assert.Equal(t, found, pins(t, second, "a"))
	})
	run("AContextThatHasEndedIsRespected", func(t *testing.T, first, _ policy.PinStore) {
		returns(t, func(ctx context.Context) {
			_, _ = first.Pins(ctx, "a")
			_ = first.Pin(ctx, "a", map[string]string{"x": "1"}, true)
		})
	})
}
