package dispatch_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/internal/dispatch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestOneAtATimeInOrder, whoever posts, and with no goroutine left behind.
func TestOneAtATimeInOrder(t *testing.T) {
	var q dispatch.Queue
	var got []int // only the queue's goroutine writes
	for i := range 100 {
		require.True(t, q.Offer(0, func() { got = append(got, i) }))
	}
	<-q.Post(func() { got = append(got, 100) })
	require.Len(t, got, 101)
	for i, n := range got {
		require.Equal(t, i, n)
	}
}

// TestBounds: calls and bytes are bounded, one large message passes when nothing
// waits, and what must be made is taken beyond all bounds.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q dispatch.Queue
		blocked, made := make(chan struct{}), 0
		q.Post(func() { <-blocked })
		synctest.Wait()
		require.True(t, q.Offer(100<<20, func() { made++ }), "the first may be of any size")
		require.False(t, q.Offer(1, func() { made++ }), "8 MiB wait, and more")
		blocked <- struct{}{}
		synctest.Wait()
		q.Post(func() { <-blocked })
		synctest.Wait()
		for range 1024 {
			require.True(t, q.Offer(8<<10, func() { made++ }))
		}
		require.False(t, q.Offer(0, func() { made++ }), "1,024 wait")
		last := q.Post(func() { made++ })
		close(blocked)
		<-last
		require.Equal(t, 1026, made)
		require.True(t, q.Offer(8<<20, func() {}), "there is room again")
		synctest.Wait()
	})
}

// TestCloseDropsOffers that wait, takes none any more, and waits for nothing; what
// must be made is made.
func TestCloseDropsOffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q dispatch.Queue
		blocked := make(chan struct{})
		var made []string
		q.Offer(0, func() { <-blocked })
		synctest.Wait()
		q.Offer(1, func() { made = append(made, "offer") })
		q.Post(func() { made = append(made, "post") })
		q.Offer(1, func() { made = append(made, "offer") })
		q.Close()
		require.False(t, q.Offer(0, func() {}))
		last := q.Post(func() { made = append(made, "late post") })
		close(blocked)
		<-last
		require.Equal(t, []string{"post", "late post"}, made)
	})
}

// TestAPanicEndsOneCall: it is reported, and the next call is made.
func TestAPanicEndsOneCall(t *testing.T) {
	var reported []any
	q := dispatch.Queue{OnPanic: func(value any, stack []byte) {
		require.Contains(t, string(stack), "TestAPanicEndsOneCall")
		reported = append(reported, value)
	}}
	<-q.Post(func() { panic("one") })
	<-q.Post(func() {})
	require.Equal(t, []any{"one"}, reported)
	var silent dispatch.Queue
	<-silent.Post(func() { panic("nobody wants to know") })
	<-silent.Post(func() {})
}

// TestIsListener is true in a call however deep, of any queue, and nowhere else,
// a goroutine that the call began included.
func TestIsListener(t *testing.T) {
	require.False(t, dispatch.IsListener())
	require.False(t, deep(200, dispatch.IsListener))
	var q dispatch.Queue
	for _, depth := range []int{0, 10, 61, 62, 63, 64, 65, 126, 127, 128, 129, 500} {
		<-q.Post(func() {
			if !deep(depth, dispatch.IsListener) {
				t.Errorf("not found %d calls deep", depth)
			}
		})
	}
	<-q.Post(func() {
		var other sync.WaitGroup
		other.Go(func() {
			if dispatch.IsListener() {
				t.Error("it is another goroutine")
			}
		})
		other.Wait()
	})
	q.Offer(0, func() { time.Sleep(time.Millisecond) })
	require.False(t, dispatch.IsListener(), "while another goroutine is one")
	<-q.Post(func() {})
}

//go:noinline
func deep(n int, f func() bool) bool {
	if n == 0 {
		return f()
	}
	return deep(n-1, f)
}
