package transporters_test

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/toldtest"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// heard is what listeners were told, as text.
type heard struct{ toldtest.Words }

// listen adds one listener of each kind.
func (h *heard) listen(l *transporters.Listeners) (handles []*transporters.Handle) {
	return []*transporters.Handle{
		l.OnMessage(func(from transporters.Source, m mcp.Message) { h.Add("%s message %s", from.Principal, m.Method) }),
		l.OnError(func(from transporters.Source, err error) { h.Add("%s error %v", from.Principal, err) }),
		l.OnState(func(from transporters.Source, change transporters.StateChange) {
			h.Add("%s %v-%v", from.Principal, change.From, change.To)
		}),
		l.OnDrain(func(from transporters.Source) { h.Add("%s drain", from.Principal) }),
		l.OnClose(func(from transporters.Source, reason error) { h.Add("%s close %v", from.Principal, reason) }),
	}
}

var a = transporters.Source{Server: "files", Principal: "a"}

// TestListenersAreToldInOrder of what happened, and of nothing after the close;
// drain and close are told once, however often they are announced.
func TestListenersAreToldInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o transporters.Observers
		var h heard
		l := transporters.NewListeners(nil)
		o.Observe(l)
		o.Observe(l)
		require.False(t, o.WantMessages())
		h.listen(l)
		require.True(t, o.WantMessages())
		o.TellState(a, transporters.StateChange{From: transporters.StateIdle, To: transporters.StateStarting})
		o.TellMessage(a, mcp.Message{Method: "x"})
		o.TellError(a, errors.ErrPeerLost)
		o.AwaitClose(t.Context())
		o.TellDrain(t.Context(), a)
		o.TellDrain(t.Context(), a)
		o.TellMessage(a, mcp.Message{Method: "y"})
		o.TellClose(a, errors.ErrTransportClosed)
		o.TellClose(a, errors.ErrPeerLost)
		o.TellMessage(a, mcp.Message{Method: "z"})
		o.TellError(a, errors.ErrPeerLost)
		o.TellState(a, transporters.StateChange{From: transporters.StateIdle, To: transporters.StateReady})
		o.AwaitClose(t.Context())
		require.Equal(t, []string{
			"a idle-starting", "a message x", "a error peer lost", "a drain", "a message y", "a close transport closed",
		}, h.Settled())
	})
}

// TestACloseIsPrecededByADrain, whoever forgets it.
func TestACloseIsPrecededByADrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o transporters.Observers
		var h heard
		l := transporters.NewListeners(nil)
		o.Observe(l)
		h.listen(l)
		o.TellClose(a, errors.ErrPeerLost)
		require.Equal(t, []string{"a drain", "a close peer lost"}, h.Settled())
	})
}

// TestDisposedListenersAreSilent, also of what has happened already; to dispose
// twice, and from a listener, does no harm.
func TestDisposedListenersAreSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o transporters.Observers
		var h heard
		l := transporters.NewListeners(nil)
		o.Observe(l)
		blocked := make(chan struct{})
		var once *transporters.Handle
		once = l.OnMessage(func(transporters.Source, mcp.Message) {
			h.Add("once")
			<-blocked
			once.Dispose()
		})
		second := l.OnMessage(func(transporters.Source, mcp.Message) { h.Add("second") })
		l.OnMessage(func(transporters.Source, mcp.Message) { h.Add("third") })
		o.TellMessage(a, mcp.Message{})
		o.TellMessage(a, mcp.Message{})
		synctest.Wait()
		second.Dispose()
		second.Dispose()
		close(blocked)
		require.Equal(t, []string{"once", "third", "third"}, h.Settled())
		l.Detach()
		o.TellMessage(a, mcp.Message{})
		o.TellClose(a, errors.ErrPeerLost)
		require.Len(t, h.Settled(), 3)
		require.False(t, o.WantMessages())
	})
}

// TestAPanicOfAListener is logged and told, and keeps neither the other listeners
// nor the close from being told.
func TestAPanicOfAListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var o transporters.Observers
		var h heard
		l := transporters.NewListeners(hclog.New(&hclog.LoggerOptions{Output: &log}))
		o.Observe(l)
		l.OnDrain(func(transporters.Source) { panic("drain") })
		l.OnClose(func(transporters.Source, error) { panic("close") })
		l.OnError(func(transporters.Source, error) { panic("error") })
		h.listen(l)
		o.TellDrain(t.Context(), a)
		o.TellClose(a, errors.ErrPeerLost)
		require.Equal(t, []string{
			`a error mcp server "files": a listener of OnDrain panicked: drain`, "a drain",
			`a error mcp server "files": a listener of OnClose panicked: close`, "a close peer lost",
		}, h.Settled())
		for _, kind := range []string{"OnDrain", "OnClose", "OnError"} {
			assert.Contains(t, log.String(), "listener="+kind)
		}
		assert.Contains(t, log.String(), "TestAPanicOfAListener", "the stack")
	})
}

// TestMessagesAreLeftOutWhereListenersAreBehind, and how many is told.
func TestMessagesAreLeftOutWhereListenersAreBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o transporters.Observers
		l := transporters.NewListeners(nil)
		o.Observe(l)
		blocked, seen := make(chan struct{}), 0
		l.OnMessage(func(transporters.Source, mcp.Message) {
			<-blocked
			seen++
		})
		var told []error
		l.OnError(func(_ transporters.Source, err error) { told = append(told, err) })
		for range 1 + 1024 + 76 {
			o.TellMessage(a, mcp.Message{})
			synctest.Wait()
		}
		close(blocked)
		synctest.Wait()
		require.Equal(t, 1025, seen)
		require.Len(t, told, 1)
		require.ErrorIs(t, told[0], errors.ErrDeliveryDropped)
		require.ErrorContains(t, told[0], "76 messages")
		o.TellMessage(a, mcp.Message{Raw: make([]byte, 9<<20)})
		synctest.Wait()
		require.Equal(t, 1026, seen, "one message alone may be of any size")
	})
}

// TestNobodyWaitsForListenersForEver: 3 seconds from the announcement, or as long
// as the context.
func TestNobodyWaitsForListenersForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o transporters.Observers
		var h heard
		l := transporters.NewListeners(nil)
		o.Observe(l)
		l.OnDrain(func(transporters.Source) { time.Sleep(time.Hour) })
		l.OnClose(func(transporters.Source, error) { time.Sleep(time.Hour); h.Add("closed") })
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		o.TellDrain(ctx, a)
		require.Equal(t, time.Second, time.Since(began))
		o.TellDrain(t.Context(), a)
		require.Equal(t, 3*time.Second, time.Since(began), "counted from the announcement")
		o.TellDrain(t.Context(), a)
		require.Equal(t, 3*time.Second, time.Since(began))
		o.TellClose(a, nil)
		o.AwaitClose(t.Context())
		require.Equal(t, 6*time.Second, time.Since(began))
		require.Empty(t, h.Settled())
		time.Sleep(2 * time.Hour)
		require.Equal(t, []string{"closed"}, h.Settled(), "late, but told")
	})
}

// TestListenersComeAndGoMeanwhile is for the race detector.
func TestListenersComeAndGoMeanwhile(t *testing.T) {
	var o transporters.Observers
	var busy sync.WaitGroup
	for range 8 {
		busy.Go(func() {
			l := transporters.NewListeners(nil)
			o.Observe(l)
			var h heard
			for range 100 {
				handles := h.listen(l)
				o.TellMessage(a, mcp.Message{})
				o.TellError(a, errors.ErrPeerLost)
				for _, handle := range handles {
					handle.Dispose()
				}
			}
			l.Detach()
		})
	}
	busy.Wait()
	o.TellDrain(t.Context(), a)
	o.TellClose(a, nil)
	o.AwaitClose(t.Context())
}
