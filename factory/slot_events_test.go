package factory

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/toldtest"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// words is what was told, in order.
type words struct{ toldtest.Words }

func (w *words) listen(l *transporters.Listeners) {
	l.OnDrain(func(from transporters.Source) { w.Add("drain %s", from.Principal) })
	l.OnClose(func(from transporters.Source, reason error) {
		w.Add("close %s %t", from.Principal, errors.Is(reason, errors.ErrTransportClosed))
	})
}

// newSessionSlot returns a slot of sessions over scripted links.
func newSessionSlot(t *testing.T, limit int, script func(*mcptest.ScriptedLink)) *Slot {
	t.Helper()
	ids := &session.IDs{}
	return NewSlot("files", Blueprint{Open: func(caller Caller) (transporters.Base, error) {
		link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
		link.On("server/discover").Always().Return(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)
		link.On("tools/list").Always().Return(`{"tools":[]}`)
		script(link)
		return session.New("files", session.Settings{}, link, session.WithPrincipal(caller.Principal), session.WithIDs(ids)), nil
	}}, limit)
}

func listTools(t *testing.T, slot *Slot, principal string) {
	t.Helper()
	_, err := slot.Request(as(t.Context(), principal), "tools/list", nil, nil)
	require.NoError(t, err)
}

// TestASlotTellsOfEveryBase, of those that were there before and those that come
// later, with the principal; also of one that gives way.
func TestASlotTellsOfEveryBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot := newSessionSlot(t, 2, func(*mcptest.ScriptedLink) {})
		listTools(t, slot, "ann")
		var w words
		w.listen(slot.Listeners())
		require.Same(t, slot.Listeners(), slot.Listeners())
		slot.Observe(slot.Listeners())
		slot.Listeners().OnState(func(from transporters.Source, change transporters.StateChange) {
			if change.To == transporters.StateReady {
				w.Add("ready %s", from.Principal)
			}
		})
		listTools(t, slot, "bob")
		listTools(t, slot, "bob")
		require.Equal(t, []string{"ready bob"}, w.Settled())
		listTools(t, slot, "cid")
		require.ElementsMatch(t, []string{"ready bob", "drain ann", "close ann true", "ready cid"}, w.Settled())
		require.NoError(t, slot.Close())
		require.NoError(t, slot.Close())
		require.ElementsMatch(t, []string{"drain bob", "close bob true", "drain cid", "close cid true"}, w.Settled()[4:])
	})
}

// TestASlotThatWasNeverUsed tells drain and close by itself, once.
func TestASlotThatWasNeverUsed(t *testing.T) {
	for name, end := range map[string]func(*Slot) error{
		"close":    (*Slot).Close,
		"shutdown": func(s *Slot) error { return s.Shutdown(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slot, _ := newSlot(t, 0)
				var w words
				w.listen(slot.Listeners())
				require.NoError(t, end(slot))
				require.NoError(t, slot.Close())
				require.Equal(t, []string{"drain ", "close  true"}, w.Settled())
			})
		})
	}
}

// TestASlotDrainsBeforeItRefuses: a listener may still call through the slot, for
// any principal, and close it, which returns at once; a second Close returns when
// the first has settled.
func TestASlotDrainsBeforeItRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot := newSessionSlot(t, 0, func(link *mcptest.ScriptedLink) {
			link.On("tools/call").Always().Delay(time.Second).Return(`{}`)
		})
		listTools(t, slot, "ann")
		listTools(t, slot, "bob")
		var w words
		slot.Listeners().OnDrain(func(from transporters.Source) {
			_, err := slot.Request(as(t.Context(), from.Principal), "tools/call", map[string]any{"name": "a"}, nil)
			began := time.Now()
			_ = slot.Close()
			w.Add("drain: %v, closed after %v", err, time.Since(began))
		})
		w.listen(slot.Listeners())
		began := time.Now()
		var closers sync.WaitGroup
		for i := range 3 {
			closers.Go(func() {
				time.Sleep(time.Duration(i) * 700 * time.Millisecond)
				assert.NoError(t, slot.Close())
				assert.Equal(t, 2*time.Second, time.Since(began))
			})
		}
		closers.Wait()
		told := w.Settled()
		require.Len(t, told, 6)
		require.Equal(t, "drain: <nil>, closed after 0s", told[0])
		require.Equal(t, "drain: <nil>, closed after 0s", told[2])
		require.ElementsMatch(t, []string{"close ann true", "close bob true"}, told[4:])
	})
}

// TestAbortThroughASlot finds the base, and Start the principal.
func TestAbortThroughASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot := newSessionSlot(t, 0, func(link *mcptest.ScriptedLink) { link.On("tools/call").Always().Silence() })
		defer slot.Close()
		require.Equal(t, transporters.StateIdle, slot.State())
		require.NoError(t, slot.Start(as(t.Context(), "ann")))
		synctest.Wait()
		require.Equal(t, transporters.StateReady, slot.State())
		var w words
		for _, principal := range []string{"ann", "bob"} {
			go func() {
				_, err := slot.Request(as(t.Context(), principal), "tools/call", map[string]any{"name": "a"}, nil)
				failure, _ := errors.AsType[*errors.TransporterRequestError](err)
				w.Add("%s %s %t", principal, failure.ID, errors.Is(err, errors.ErrAborted))
			}()
			synctest.Wait()
		}
		slot.Abort(mcp.NumberID(4))
		require.Equal(t, []string{"bob 4 true"}, w.Settled())
		slot.Abort(mcp.NumberID(2))
		require.Equal(t, []string{"bob 4 true", "ann 2 true"}, w.Settled())
	})
}

// TestPingAsksTheLiveliest, and opens a base only where there is none.
func TestPingAsksTheLiveliest(t *testing.T) {
	slot, o := newSlot(t, 0)
	for i, state := range []transporters.State{transporters.StateIdle, transporters.StateReady, transporters.StateExhausted} {
		_, err := slot.Request(as(t.Context(), fmt.Sprint(i)), "x", nil, nil)
		require.NoError(t, err)
		o.all()[i].current.Store(int32(state))
	}
	require.NoError(t, slot.Ping(t.Context()))
	var asked []uint64
	for _, base := range o.all() {
		asked = append(asked, base.requests.Load())
	}
	require.Equal(t, []uint64{1, 2, 1}, asked)
	empty, o := newSlot(t, 0)
	require.NoError(t, empty.Ping(as(t.Context(), "ann")))
	require.Equal(t, "ann", o.all()[0].caller.Principal)
	require.NoError(t, empty.Start(as(t.Context(), "ann")), "one that cannot be started")
	empty.Abort(mcp.NumberID(1))
	require.NoError(t, empty.Close())
	require.ErrorIs(t, empty.Ping(t.Context()), errors.ErrTransportClosed)
	require.ErrorIs(t, empty.Start(t.Context()), errors.ErrTransportClosed)
}
