package mcpclient_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/pool"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// TestWhatIsInUseIsPrinted: whatever verb or logger, next to calls of many
// principals that open and close sessions; nothing of it is read without a lock,
// which only the race detector, or a crash, can tell.
func TestWhatIsInUseIsPrinted(t *testing.T) {
	world := protected(t)
	client, files := authorizing(t, world, "\nredirect_url: https://app.example.com/callback", agreeing(world))
	server := mcptest.NewDemoServer()
	t.Cleanup(server.Close)
	alone := session.New("alone", session.Settings{}, server.Link())
	t.Cleanup(func() { require.NoError(t, alone.Close()) })
	subscription, err := alone.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
	require.NoError(t, err)
	group := client.Group()
	printed := map[string]any{
		`MCP client of files`:                              client,
		`connection to MCP server "files", ready`:          files,
		`group of MCP servers files`:                       group,
		`authorizer for server "files"`:                    files.Authorizer(),
		`credentials of principal "u0" for server "files"`: files.Authorizer().Principal("u0"),
		`session with MCP server "alone", ready`:           alone,
		`subscription to MCP server "alone"`:               subscription,
	}
	_, err = files.Tools(t.Context())
	require.NoError(t, err)
	var calls sync.WaitGroup
	for i := range 4 {
		calls.Go(func() {
			ctx := mcpclient.WithPrincipal(context.Background(), fmt.Sprint("u", i))
			for range 3 {
				_, err := files.Tools(ctx)
				assert.NoError(t, err)
				_, err = alone.Request(ctx, "tools/list", nil, nil)
				assert.NoError(t, err)
				_, err = group.Tools(ctx)
				assert.NoError(t, err)
			}
		})
	}
	for want, value := range printed {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			assert.Equal(t, want, fmt.Sprintf(verb, value))
			assert.Contains(t, fmt.Sprintf(verb, struct{ Inner any }{value}), want)
		}
		var line bytes.Buffer
		slog.New(slog.NewTextHandler(&line, nil)).Info("x", "value", value)
		assert.Contains(t, line.String(), fmt.Sprintf("%.10s", want))
	}
	calls.Wait()
}

// TestNothingIsPrinted: a nil pointer is no reason to panic.
func TestNothingIsPrinted(t *testing.T) {
	for _, none := range []any{
		(*mcpclient.Client)(nil), (*mcpclient.Connection)(nil), (*mcpclient.Group)(nil), (*auth.Authorizer)(nil),
		(*auth.Principal)(nil), (*session.Session)(nil), (*session.Subscription)(nil), (*factory.Slot)(nil), (*pool.Pool)(nil),
	} {
		assert.Equal(t, "<nil>", fmt.Sprintf("%v", none), "%T", none)
	}
}
