package session_test

import (
	"context"
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
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// told is what listeners were told, in order.
type told struct{ toldtest.Words }

// listen adds listeners for all but messages and states.
func (h *told) listen(s *session.Session) {
	s.OnError(func(_ transporters.Source, err error) { h.Add("error: %v", err) })
	s.OnDrain(func(transporters.Source) { h.Add("drain") })
	s.OnClose(func(_ transporters.Source, reason error) { h.Add("close: %v", reason) })
}

const closed = `close: mcp server "peer": transport closed`

// slowLink takes its time to close.
type slowLink struct {
	*mcptest.ScriptedLink
	closing time.Duration
}

func (l *slowLink) Close(ctx context.Context) error {
	time.Sleep(l.closing)
	return errors.Join(l.ScriptedLink.Close(ctx), errors.New("closed badly"))
}

// TestCloseBeforeTheFirstCall tells drain and close, once each, on every kind of
// link; so does Shutdown.
func TestCloseBeforeTheFirstCall(t *testing.T) {
	for name, link := range map[string]func() transporters.Link{
		"plain":      func() transporters.Link { return mcptest.NewScriptedLink(t, mcptest.HTTPTraits()) },
		"on demand":  func() transporters.Link { return supervise.New("peer", nil, newProcesses(t).dial) },
		"supervised": func() transporters.Link { return supervise.New("peer", &supervise.Config{}, newProcesses(t).dial) },
	} {
		for way, end := range map[string]func(*session.Session) error{
			"close":    (*session.Session).Close,
			"shutdown": func(s *session.Session) error { return s.Shutdown(context.Background()) },
		} {
			t.Run(name+", "+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := session.New("peer", session.Settings{}, link())
					var h told
					h.listen(s)
					require.NoError(t, end(s))
					require.NoError(t, s.Close())
					require.Equal(t, []string{"drain", closed}, h.Settled())
				})
			})
		}
	}
}

// TestADrainListenerMayStillSend: until it has returned nothing has changed for
// anybody, and what was running goes on; then all of it ends.
func TestADrainListenerMayStillSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := legacyLink(t)
		link.On("tools/call").Silence()
		link.On("logging/setLevel").Times(2).Delay(time.Second).Return(`{}`)
		s := session.New("peer", session.Settings{}, link)
		var h told
		h.listen(s)
		s.OnDrain(func(transporters.Source) {
			_, err := s.Request(t.Context(), "logging/setLevel", map[string]any{"level": "info"}, nil)
			h.Add("sent: %v", err)
			h.Add("state: %v, running: %d, terminated: %d", s.State(), s.Stats().InFlight, len(link.Terminated()))
		})
		failed := make(chan error)
		go func() {
			_, err := s.Request(context.Background(), "tools/call", map[string]any{"name": "a"}, nil)
			h.Add("call: %v", errors.Is(err, errors.ErrTransportClosed))
			failed <- err
		}()
		link.Await("tools/call", 1)
		go func() { // others may send as well
			time.Sleep(500 * time.Millisecond)
			_, err := s.Request(context.Background(), "logging/setLevel", map[string]any{"level": "info"}, nil)
			h.Add("other: %v", errors.Is(err, errors.ErrTransportClosed))
		}()
		began := time.Now()
		require.NoError(t, s.Close())
		require.Equal(t, time.Second, time.Since(began))
		<-failed
		require.Equal(t, transporters.StateClosed, s.State())
		all := h.Settled()
		require.Equal(t, []string{"drain", "sent: <nil>", "state: ready, running: 2, terminated: 0"}, all[:3])
		require.ElementsMatch(t, []string{"call: true", "other: true", closed}, all[3:])
		require.Equal(t, 2, link.Count("logging/setLevel"))
	})
}

// TestADrainListenerThatHangs costs 3 seconds; it hears of the close when it comes
// back.
func TestADrainListenerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := session.New("peer", session.Settings{}, modernLink(t))
		_, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		var h told
		s.OnDrain(func(transporters.Source) {
			time.Sleep(time.Hour)
			_, err := s.ServerInfo(t.Context())
			h.Add("drain: %v", errors.Is(err, errors.ErrTransportClosed))
		})
		s.OnClose(func(transporters.Source, error) { h.Add("close") })
		began := time.Now()
		require.NoError(t, s.Close())
		require.Equal(t, 3*time.Second, time.Since(began))
		require.Empty(t, h.Settled())
		time.Sleep(2 * time.Hour)
		require.Equal(t, []string{"drain: true", "close"}, h.Settled())
	})
}

// TestShutdownDrainsFirst: only then it refuses what is new.
func TestShutdownDrainsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		link.On("tools/call").Delay(10 * time.Second).Return(`{}`)
		link.On("tools/list").Return(`{"tools":[]}`)
		s := session.New("peer", session.Settings{}, link)
		var h told
		h.listen(s)
		s.OnDrain(func(transporters.Source) {
			_, err := s.Request(t.Context(), "tools/list", nil, nil)
			h.Add("sent: %v", err)
		})
		go func() {
			_, err := s.Request(context.Background(), "tools/call", map[string]any{"name": "a"}, nil)
			h.Add("call: %v", err)
		}()
		link.Await("tools/call", 1)
		require.NoError(t, s.Shutdown(t.Context()))
		require.Equal(t, []string{"drain", "sent: <nil>"}, h.Settled()[:2])
		require.ElementsMatch(t, []string{"call: <nil>", closed}, h.Settled()[2:])
	})
}

// TestASecondCloseReturnsWhenTheFirstHasSettled, with the same error; one from
// inside a listener returns at once, in whichever phase.
func TestASecondCloseReturnsWhenTheFirstHasSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := session.New("peer", session.Settings{}, &slowLink{modernLink(t), 10 * time.Second})
		_, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		var h told
		reenter := func(where string) {
			began := time.Now()
			err := s.Close()
			h.Add("%s: %v after %v", where, err, time.Since(began))
		}
		s.OnDrain(func(transporters.Source) { reenter("drain"); time.Sleep(time.Second) })
		s.OnClose(func(transporters.Source, error) { reenter("close") })
		began := time.Now()
		var closers sync.WaitGroup
		for i := range 5 {
			closers.Go(func() {
				time.Sleep(time.Duration(i) * 2500 * time.Millisecond)
				assert.EqualError(t, s.Close(), "closed badly")
				assert.Equal(t, 11*time.Second, time.Since(began))
				if i > 0 {
					_, err := s.Request(t.Context(), "tools/list", nil, nil)
					assert.ErrorIs(t, err, errors.ErrTransportClosed)
				}
			})
		}
		closers.Wait()
		require.Equal(t, []string{"drain: <nil> after 0s", "close: <nil> after 0s"}, h.Settled())
	})
}

// TestCloseFromAListener begins the closing, without waiting for itself, whatever
// it is that the listener hears of.
func TestCloseFromAListener(t *testing.T) {
	for name, listen := range map[string]func(*session.Session, func()){
		"message": func(s *session.Session, end func()) {
			s.OnMessage(func(transporters.Source, mcp.Message) { end() })
		},
		"error": func(s *session.Session, end func()) { s.OnError(func(transporters.Source, error) { end() }) },
		"state": func(s *session.Session, end func()) {
			s.OnState(func(transporters.Source, transporters.StateChange) { end() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
				if name == "error" {
					link.On("server/discover").Status(500)
				} else {
					link.On("server/discover").Always().Return(discoverResult)
				}
				s := session.New("peer", session.Settings{}, &slowLink{link, 10 * time.Second})
				var h told
				var once sync.Once
				listen(s, func() {
					once.Do(func() {
						began := time.Now()
						h.Add("%v after %v", s.Close(), time.Since(began))
					})
				})
				s.OnDrain(func(transporters.Source) { h.Add("drain") })
				s.OnClose(func(transporters.Source, error) { h.Add("close") })
				_, _ = s.ServerInfo(t.Context())
				require.Equal(t, []string{"<nil> after 0s", "drain"}, h.Settled())
				require.EqualError(t, s.Close(), "closed badly")
				require.Equal(t, []string{"<nil> after 0s", "drain", "close"}, h.Settled())
			})
		})
	}
}

// TestListenersThatPanic keep neither each other nor the close from being told,
// nor Close from ending.
func TestListenersThatPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := session.New("peer", session.Settings{}, modernLink(t))
		var h told
		s.OnDrain(func(transporters.Source) { panic("drain") })
		s.OnClose(func(transporters.Source, error) { panic("close") })
		s.OnMessage(func(transporters.Source, mcp.Message) { panic("message") })
		h.listen(s)
		_, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		began := time.Now()
		require.NoError(t, s.Close())
		require.Zero(t, time.Since(began))
		require.Equal(t, []string{
			`error: mcp server "peer": a listener of OnMessage panicked: message`,
			`error: mcp server "peer": a listener of OnDrain panicked: drain`, "drain",
			`error: mcp server "peer": a listener of OnClose panicked: close`, closed,
		}, h.Settled())
	})
}
