package pool_test

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
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/pool"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// newSessions returns a pool of sessions over scripted links.
func newSessions(t *testing.T, script func(*mcptest.ScriptedLink), instances int) (*pool.Pool, []*mcptest.ScriptedLink) {
	t.Helper()
	var links []*mcptest.ScriptedLink
	var bases []transporters.Base
	ids := &session.IDs{}
	for range instances {
		link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		link.On("server/discover").Always().Return(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)
		script(link)
		links = append(links, link)
		bases = append(bases, session.New("files", session.Settings{}, link, session.WithIDs(ids)))
	}
	return pool.New("files", pool.Config{MaxInFlight: 1}, bases...), links
}

// TestThePoolDrainsBeforeItRefuses: listeners of every instance are told, may
// still call, and hear of every close; a Close from among them returns at once.
func TestThePoolDrainsBeforeItRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := newSessions(t, func(link *mcptest.ScriptedLink) {
			link.On("tools/list").Always().Delay(time.Second).Return(`{"tools":[]}`)
		}, 3)
		var mu sync.Mutex
		var words []string
		add := func(word string) {
			mu.Lock()
			defer mu.Unlock()
			words = append(words, word)
		}
		l := transporters.NewListeners(nil)
		p.Observe(l)
		l.OnDrain(func(transporters.Source) {
			_, err := p.Request(t.Context(), "tools/list", nil, nil)
			began := time.Now()
			_ = p.Close()
			add(fmt.Sprintf("drain: %v, closed after %v", err, time.Since(began)))
		})
		l.OnClose(func(_ transporters.Source, reason error) {
			add(fmt.Sprintf("close: %v", errors.Is(reason, errors.ErrTransportClosed)))
		})
		began := time.Now()
		var closers sync.WaitGroup
		for range 3 {
			closers.Go(func() {
				assert.NoError(t, p.Close())
				assert.Equal(t, 3*time.Second, time.Since(began), "one listener after the other")
			})
		}
		closers.Wait()
		synctest.Wait()
		require.Equal(t, []string{
			"drain: <nil>, closed after 0s", "drain: <nil>, closed after 0s", "drain: <nil>, closed after 0s",
			"close: true", "close: true", "close: true",
		}, words)
		require.ErrorIs(t, p.Start(), errors.ErrTransportClosed)
		require.ErrorIs(t, p.Ping(t.Context()), errors.ErrTransportClosed)
	})
}

// TestStartConnectsOneInstance, and the state is told of rather than looked at.
func TestStartConnectsOneInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, links := newSessions(t, func(*mcptest.ScriptedLink) {}, 3)
		began := time.Now()
		var waited time.Duration
		var waiting sync.WaitGroup
		waiting.Go(func() {
			assert.NoError(t, transporters.WaitForState(t.Context(), p, transporters.StateReady))
			waited = time.Since(began)
		})
		time.Sleep(1001 * time.Millisecond)
		require.NoError(t, p.Start())
		waiting.Wait()
		require.Equal(t, 1001*time.Millisecond, waited)
		connected := 0
		for _, link := range links {
			connected += link.Count("server/discover")
		}
		require.Equal(t, 1, connected)
		require.NoError(t, p.Close())
	})
}

// TestAbortFindsTheInstance, and Ping takes no place.
func TestAbortFindsTheInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, links := newSessions(t, func(link *mcptest.ScriptedLink) { link.On("tools/call").Silence() }, 2)
		failed := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := p.Request(context.Background(), "tools/call", map[string]any{"name": "a"}, nil)
				failed <- err
			}()
			synctest.Wait()
		}
		require.NoError(t, p.Ping(t.Context()), "all places are taken")
		id := links[1].Received()[len(links[1].Received())-1].ID
		p.Abort(id)
		require.ErrorIs(t, <-failed, errors.ErrAborted)
		p.Abort(mcp.NumberID(99))
		synctest.Wait()
		require.Empty(t, failed)
		require.NoError(t, p.Close())
		require.ErrorIs(t, <-failed, errors.ErrTransportClosed)
	})
}

// TestInstancesThatTellNothingArePassedOver.
func TestInstancesThatTellNothingArePassedOver(t *testing.T) {
	p, fakes := newPool(t, pool.Config{}, 2)
	p.Observe(transporters.NewListeners(nil))
	p.Drain(t.Context())
	p.Abort(mcp.NumberID(1))
	require.NoError(t, p.Start())
	for _, f := range fakes {
		f.serve = answers
	}
	require.NoError(t, p.Ping(t.Context()))
}
