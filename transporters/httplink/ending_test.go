package httplink

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newTestExchange() *exchange { return &exchange{values: context.Background()} }

// What the standard library, and a user's round tripper, derive from an exchange ends
// with it, however many there are and however they are mixed with those that ended
// before.
func TestDerivedContextsEndWithTheExchange(t *testing.T) {
	x := newTestExchange()
	var live []context.Context
	for i := range 20 {
		ctx, cancel := context.WithCancel(x)
		defer cancel()
		if i%3 == 0 {
			cancel() // its place is taken by the next
			continue
		}
		live = append(live, ctx)
	}
	called := make(chan struct{})
	context.AfterFunc(x, func() { close(called) })
	stopped := context.AfterFunc(x, func() { t.Error("a stopped function was called") })
	require.True(t, stopped())
	for _, ctx := range live {
		require.NoError(t, ctx.Err())
	}
	why := errors.New("why")
	x.cancel(why)
	x.cancel(errors.New("too late"))
	for _, ctx := range append(live, x) {
		<-ctx.Done()
		assert.Equal(t, context.Canceled, ctx.Err())
	}
	<-called
	assert.Equal(t, why, x.reason())
	assert.False(t, stopped())
}

// A context that is derived when it is too late has ended at once.
func TestContextsDerivedTooLateHaveEnded(t *testing.T) {
	x := newTestExchange()
	x.cancel(errors.New("why"))
	<-x.Done()
	ctx, cancel := context.WithCancel(x)
	defer cancel()
	<-ctx.Done()
	late := make(chan struct{})
	stop := x.AfterFunc(func() { close(late) })
	<-late
	assert.False(t, stop())
}

// Stopping twice does not take the place from whoever has it by then.
func TestAPlaceIsStoppedOnce(t *testing.T) {
	x := newTestExchange()
	first := x.AfterFunc(func() { t.Error("the first was stopped") })
	require.True(t, first())
	var called atomic.Int32
	x.AfterFunc(func() { called.Add(1) })
	assert.False(t, first())
	x.cancel(errors.New("why"))
	assert.EqualValues(t, 1, called.Load())
}

// Deriving, stopping and ending at the same time neither loses an end nor blocks.
func TestAnExchangeEndsWhileContextsAreDerived(t *testing.T) {
	for range 200 {
		x := newTestExchange()
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				ctx, cancel := context.WithCancel(x)
				defer cancel()
				if i%2 == 0 {
					<-ctx.Done()
				}
			})
		}
		group.Go(func() { x.cancel(errors.New("why")) })
		group.Wait()
	}
}
