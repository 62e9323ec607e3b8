package mcpclient_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// Callbacks that run on a goroutine of ours may panic without ending the program:
// nobody else could catch it. (Those of a call run on the caller's, whose panic is
// the caller's.)

// TestASubscriptionsHandlerMayPanic: the next notification comes all the same, and
// OnError tells.
func TestASubscriptionsHandlerMayPanic(t *testing.T) {
	for name, options := range map[string][]mcptest.Option{"modern": nil, "legacy": {mcptest.LegacyOnly()}} {
		t.Run(name, func(t *testing.T) {
			server := mcptest.NewDemoServer(options...)
			defer server.Close()
			connection := session.New("demo", session.Settings{}, server.Link())
			defer func() { require.NoError(t, connection.Close()) }()
			told := make(chan error, 10)
			connection.OnError(func(_ mcpclient.Source, err error) { told <- err })
			heard := make(chan struct{}, 10)
			subscription, err := connection.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {
				heard <- struct{}{}
				panic("mine")
			})
			require.NoError(t, err)
			for i := range 2 {
				server.AddTool(mcp.Tool{Name: fmt.Sprint("new", i)}, nil)
				<-heard
				assert.EqualError(t, <-told, `mcp server "demo": a callback panicked: mine`)
			}
			require.NoError(t, subscription.Close())
		})
	}
}

// TestWatchesCallbackMayPanic: the next change is told all the same.
func TestWatchesCallbackMayPanic(t *testing.T) {
	client, cfg, path := watched(t)
	told := make(chan struct{}, 1)
	_, err := client.Watch(t.Context(), cfg, hurried(), func(mcpclient.Change, error) {
		told <- struct{}{}
		panic("mine")
	})
	require.NoError(t, err)
	for _, text := range []string{"servers: {}\n", oneServer} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		<-told
	}
}

// TestAnInteractionMayPanic: the call that waits for the user fails.
func TestAnInteractionMayPanic(t *testing.T) {
	world := protected(t)
	_, files := authorizing(t, world, " {}", mcpclient.WithInteraction(func(context.Context, auth.AuthorizationRequest) (url.Values, error) {
		panic("mine")
	}))
	_, err := files.Tools(t.Context())
	require.ErrorContains(t, err, "a callback panicked: mine")
}

// TestMiddlewareMayPanic, in the handshake, which no caller's goroutine makes, and in
// calls.
func TestMiddlewareMayPanic(t *testing.T) {
	for name, from := range map[string]int32{"the handshake": 0, "a call": 1} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			client := resty.New().OnBeforeRequest(func(*resty.Client, *resty.Request) error {
				if requests.Add(1) == from+1 {
					panic("mine")
				}
				return nil
			})
			connection := connectHTTP(t, mcptest.NewDemoServer(), map[string]any{"connect_backoff": "1ms"}, mcpclient.WithRestyClient(client))
			_, err := connection.Tools(t.Context())
			require.ErrorContains(t, err, "a callback panicked while the request was sent: mine")
			require.Eventually(t, func() bool {
				_, err = connection.Tools(t.Context())
				return err == nil
			}, 10*time.Second, time.Millisecond, "the next one goes through")
		})
	}
}

// TestAMetaHookMayPanic: the panic is the caller's, or an error.
func TestAMetaHookMayPanic(t *testing.T) {
	connection := connectHTTP(t, mcptest.NewDemoServer(), nil, mcpclient.WithMetaHook(func(context.Context) map[string]any { panic("mine") }))
	func() {
		defer func() { _ = recover() }()
		_, err := connection.Tools(t.Context())
		assert.Error(t, err)
	}()
}

// TestAMemberMayPanic: the others are listed.
func TestAMemberMayPanic(t *testing.T) {
	group, err := mcpclient.NewGroup([]mcpclient.Member{
		{Name: "one", Server: &fakeTools{name: "one", tools: []string{"a"}}},
		{Name: "two", Server: panicking{}},
	})
	require.NoError(t, err)
	listing, err := group.Tools(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"one__a"}, listing.Keys())
	require.Len(t, listing.Failures, 1)
	assert.ErrorContains(t, listing.Failures[0], `server "two": its listing panicked: mine`)
}

// panicking is a member that can nothing.
type panicking struct{}

func (panicking) Tools(context.Context, ...mcpclient.CallOption) (mcpclient.Collection[mcp.Tool], error) {
	panic("mine")
}

func (panicking) CallTool(context.Context, string, any, ...mcpclient.CallOption) (*mcp.CallToolResult, error) {
	panic("mine")
}
