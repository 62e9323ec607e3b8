package pause

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNobodyToTell(t *testing.T) {
	end := Begin(t.Context())
	end()
	end()
}

func TestALimitStandsStill(t *testing.T) { // P53
	synctest.Test(t, func(t *testing.T) {
		late := errors.New("late")
		outer, cancelOuter := WithTimeoutCause(t.Context(), 20*time.Second, errors.New("outer"))
		defer cancelOuter()
		ctx, cancel := WithTimeoutCause(outer, 10*time.Second, late)
		defer cancel()
		time.Sleep(6 * time.Second)
		first, second := Begin(ctx), Begin(ctx)
		time.Sleep(time.Hour)
		first()
		first()
		time.Sleep(time.Hour)
		assert.NoError(t, ctx.Err(), "one pause is still open")
		second()
		time.Sleep(3999 * time.Millisecond)
		synctest.Wait()
		assert.NoError(t, ctx.Err())
		time.Sleep(time.Millisecond)
		synctest.Wait()
		assert.ErrorIs(t, context.Cause(ctx), late)
		assert.NoError(t, outer.Err(), "it was told as well")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		assert.Error(t, outer.Err())
	})
}

func TestAPauseThatOutlivesItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := WithTimeoutCause(t.Context(), time.Second, errors.New("late"))
		end := Begin(ctx)
		cancel()
		assert.ErrorIs(t, context.Cause(ctx), context.Canceled)
		end()
		time.Sleep(time.Hour)
		assert.ErrorIs(t, context.Cause(ctx), context.Canceled)
	})
}
