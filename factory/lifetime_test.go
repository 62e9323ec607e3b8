package factory

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Nothing is made for a lifetime that only is asked whether it has ended.
func TestLifetimeIsMadeWhenItIsNeeded(t *testing.T) {
	var life lifetime
	require.NoError(t, life.Err())
	_, isBounded := life.Deadline()
	assert.False(t, isBounded)
	assert.Nil(t, life.made.Load())
	life.end()
	require.ErrorIs(t, life.Err(), context.Canceled)
	<-life.Done()
}

// What follows a lifetime ends with it.
func TestLifetimeIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var life lifetime
		following, cancel := context.WithCancel(&life)
		defer cancel()
		var told bool
		context.AfterFunc(&life, func() { told = true })
		synctest.Wait()
		assert.False(t, told)
		require.NoError(t, following.Err())
		life.end()
		life.end()
		synctest.Wait()
		assert.True(t, told)
		require.ErrorIs(t, following.Err(), context.Canceled)
	})
}

func TestTenantsOfASlot(t *testing.T) {
	var all tenants
	own, alice, stranger := &tenant{}, &tenant{principal: "alice"}, &tenant{principal: "alice"}
	assert.Nil(t, all.of(""))
	assert.Nil(t, all.of("alice"))
	all.add(own)
	assert.Nil(t, all.others, "the client's own needs no map")
	all.add(alice)
	assert.Equal(t, 2, all.count())
	assert.Same(t, own, all.of(""))
	assert.Same(t, alice, all.of("alice"))
	all.remove(stranger)
	all.remove(&tenant{})
	assert.Equal(t, 2, all.count(), "neither is in it")
	visited := 0
	for tenant := range all.all() {
		visited++
		all.remove(tenant)
	}
	assert.Equal(t, 2, visited)
	assert.Zero(t, all.count())
}
