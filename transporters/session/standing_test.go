package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// standingLink is a legacy HTTP link whose standing stream the test decides about.
type standingLink struct {
	*mcptest.ScriptedLink
	listen func(ctx context.Context, tried func()) error
}

func (l *standingLink) Listen(ctx context.Context, _ http.Header, tried func()) error {
	return l.listen(ctx, tried)
}

// Start says that messages come from this link.
func (l *standingLink) Start(ctx context.Context, in func(transporters.Link, mcp.Message)) error {
	return l.ScriptedLink.Start(ctx, func(_ transporters.Link, m mcp.Message) { in(l, m) })
}

// after is a Listen whose first attempt is decided after a while, and that
// returns then, or holds the stream.
func after(pause time.Duration, err error) func(context.Context, func()) error {
	return func(ctx context.Context, tried func()) error {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		tried()
		<-ctx.Done()
		return ctx.Err()
	}
}

// TestFirstCallWaitsForTheStandingStream: a server may ask on it at once (R103),
// so where it can ask for anything the first call waits, but not for long.
func TestFirstCallWaitsForTheStandingStream(t *testing.T) {
	asked := session.Handlers{ElicitForm: accept(nil)}
	told := session.Handlers{Notification: func(string, mcp.Message) {}}
	for name, test := range map[string]struct {
		listen   func(context.Context, func()) error
		handlers session.Handlers
		want     time.Duration
	}{
		"opened":                      {after(100*time.Millisecond, nil), asked, 100 * time.Millisecond},
		"opened at once":              {after(0, nil), asked, 0},
		"not offered":                 {after(20*time.Millisecond, transporters.ErrNotOffered), asked, 20 * time.Millisecond},
		"hangs without headers":       {after(time.Hour, nil), asked, 300 * time.Millisecond},
		"nothing that can be asked":   {after(time.Hour, nil), told, 0},
		"nobody listens":              {after(time.Hour, nil), session.Handlers{}, 0},
		"a handler of an extension":   {after(time.Hour, nil), session.Handlers{Requests: map[string]func(context.Context, string, json.RawMessage) (any, error){"com.example/x": nil}}, 300 * time.Millisecond},
		"roots are asked for as well": {after(time.Hour, nil), session.Handlers{ListRoots: oneRoot}, 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := &standingLink{legacyLink(t), test.listen}
				link.On("tools/list").Times(4).Return(`{"tools":[]}`)
				s := newSession(t, link, nil, session.WithHandlers(test.handlers))
				began := time.Now()
				var calls sync.WaitGroup
				for i := range 3 {
					calls.Go(func() {
						time.Sleep(time.Duration(i) * 10 * time.Millisecond) // the later ones meet a peer that waits
						_, err := s.Request(t.Context(), "tools/list", nil, nil)
						assert.NoError(t, err)
						assert.Equal(t, max(test.want, time.Duration(i)*10*time.Millisecond), time.Since(began))
					})
				}
				calls.Wait()
				again := time.Now()
				_, err := s.Request(t.Context(), "tools/list", nil, nil)
				require.NoError(t, err)
				require.Zero(t, time.Since(again), "only the first calls wait")
				require.EqualValues(t, 1, s.Stats().Handshakes)
			})
		})
	}
}

// TestStandingStreamIsNotWaitedForPastTheEnd: a close ends the wait.
func TestStandingStreamIsNotWaitedForPastTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := &standingLink{legacyLink(t), after(time.Hour, nil)}
		s := newSession(t, link, nil, session.WithHandlers(session.Handlers{ElicitForm: accept(nil)}))
		began := time.Now()
		time.AfterFunc(50*time.Millisecond, func() { _ = s.Close() })
		_, _ = s.ServerInfo(t.Context()) // the handshake was over: both outcomes are right
		require.Equal(t, 50*time.Millisecond, time.Since(began))
	})
}

// TestFirstCallIsAskedOnTheStandingStream: the tool asks as soon as it is called,
// and drops its question if there is no stream for it (R103).
func TestFirstCallIsAskedOnTheStandingStream(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly(), mcptest.WithStandaloneStream())
	t.Cleanup(server.Close)
	server.AddTool(mcp.Tool{Name: "ask"}, func(_ context.Context, c *mcptest.Call) (any, error) {
		answer, err := c.RequestStandalone(mcp.MethodElicit, `{"message":"?","requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":"x"}}}}`)
		return string(answer), err
	})
	address := mcptest.StartHTTP(t, server)
	for range 20 {
		link := httplink.New("peer", httplink.Config{BaseURL: address})
		s := session.New("peer", session.DefaultSettings(), link, session.WithHandlers(session.Handlers{ElicitForm: accept(nil)}))
		result, err := s.Request(within(t, 10*time.Second), mcp.MethodCallTool, map[string]any{"name": "ask"}, nil)
		require.NoError(t, err)
		require.Contains(t, fmt.Sprint(string(result.Raw())), `accept`)
		require.NotContains(t, string(result.Raw()), `"isError":true`)
		require.NoError(t, s.Close())
	}
}
