package messagequeue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
)

func message(size int) mcp.Message { return mcp.Message{Raw: make([]byte, size)} }

// TestQueue: order, the bound by bytes, the wake-up, and use anew.
func TestQueue(t *testing.T) {
	q := New(3 * (100 + overhead))
	for _, size := range []int{98, 99, 100} {
		require.True(t, q.Push(message(size)))
	}
	require.False(t, q.Push(message(4)), "full")
	<-q.Wake
	select {
	case <-q.Wake:
		t.Fatal("one wake-up for all that came before it was taken")
	default:
	}
	for _, size := range []int{98, 99} {
		m, ok := q.Pop()
		require.True(t, ok)
		require.Len(t, m.Raw, size)
	}
	require.True(t, q.Push(message(101)), "there is room again")
	require.False(t, q.Reset(7), "it was not empty")
	require.Equal(t, 7, q.Limit())
	_, ok := q.Pop()
	require.False(t, ok)
	require.True(t, q.Reset(1000))
	require.True(t, q.Push(message(1)))
	require.Len(t, q.Wake, 1)
}

// TestQueueHasAConsumer: many messages pass through a small queue as long as
// somebody takes them.
func TestQueueHasAConsumer(t *testing.T) {
	const total = 10_000
	q := New(1 << 20)
	done := make(chan int)
	go func() {
		got := 0
		for got < total {
			<-q.Wake
			for _, ok := q.Pop(); ok; _, ok = q.Pop() {
				got++
			}
		}
		done <- got
	}()
	for range total {
		for !q.Push(message(100)) {
		}
	}
	require.Equal(t, total, <-done)
}
