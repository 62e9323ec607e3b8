package session_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/pause"
	"github.com/mcp-client-go/mcpclient/internal/sleep"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// askingLink asks a user before it sends a method, as one does that authorizes.
type askingLink struct {
	*mcptest.ScriptedLink
	method string
	takes  time.Duration // the user
	before time.Duration // what is not the user's
	asked  atomic.Int32
}

func (l *askingLink) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	if out.Method == l.method && l.asked.Add(1) == 1 {
		if err := sleep.For(ctx, l.before); err != nil {
			return transporters.Reply{}, err
		}
		end := pause.Begin(ctx)
		err := sleep.For(ctx, l.takes)
		end()
		if err != nil {
			return transporters.Reply{}, err
		}
	}
	return l.ScriptedLink.Exchange(ctx, out, sink)
}

// What people take counts against no limit, of the call, of connecting, or of
// others who wait for the same connection.
func TestTimeOfPeopleDoesNotCount(t *testing.T) { // P53
	for name, method := range map[string]string{"in the handshake": "server/discover", "in the call": "tools/call"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := &askingLink{ScriptedLink: modernLink(t), method: method, takes: 30 * time.Minute}
				link.On("tools/call").Return(`{"content":[]}`).Always()
				s := session.New("peer", session.Settings{
					ConnectTimeout: config.Of(10 * time.Second), RequestTimeout: config.Of(5 * time.Second), MaxRequestTimeout: config.Of(20 * time.Second),
				}, link)
				defer s.Close()
				results := make(chan error, 3)
				for range 3 {
					go func() {
						_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "x"}, nil)
						results <- err
					}()
				}
				for range 3 {
					require.NoError(t, <-results)
				}
			})
		})
	}
}

func TestOtherTimeCounts(t *testing.T) {
	for name, test := range map[string]struct {
		method string
		want   error
	}{
		"in the handshake": {"server/discover", errors.ErrConnectTimeout},
		"in the call":      {"tools/call", errors.ErrRequestTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := &askingLink{ScriptedLink: mcptest.NewScriptedLink(t, mcptest.HTTPTraits()), method: test.method, before: time.Minute}
				link.On("server/discover").Return(discoverResult).Always()
				link.On("tools/call").Return(`{"content":[]}`).Always()
				s := session.New("peer", session.Settings{ConnectTimeout: config.Of(10 * time.Second), MaxRequestTimeout: config.Of(20 * time.Second)}, link)
				defer s.Close()
				begun := time.Now()
				_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "x"}, nil)
				require.ErrorIs(t, err, test.want)
				assert.Less(t, time.Since(begun), time.Minute)
			})
		})
	}
	t.Run("the caller's own", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			link := &askingLink{ScriptedLink: modernLink(t), method: "tools/call", takes: time.Hour}
			s := session.New("peer", session.Settings{}, link)
			defer s.Close()
			_, err := s.Request(within(t, time.Minute), "tools/call", map[string]any{"name": "x"}, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
	})
}
