package sleep_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/sleep"
)

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		require.NoError(t, sleep.For(t.Context(), time.Hour))
		assert.Equal(t, time.Hour, time.Since(begun))

		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(assert.AnError) })
		begun = time.Now()
		require.ErrorIs(t, sleep.For(ctx, time.Hour), assert.AnError)
		assert.Equal(t, time.Minute, time.Since(begun))
	})
}
