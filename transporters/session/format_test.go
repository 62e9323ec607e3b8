package session_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// What a program prints by mistake shows no secret, and races with nothing.
func TestFormat(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly(), mcptest.WithStandaloneStream())
	t.Cleanup(server.Close)
	s := newSession(t, server.HTTPLink(), nil)
	ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Token = "canary-1" })
	sub, err := s.Listen(ctx, mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
	require.NoError(t, err)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		require.Equal(t, `session with MCP server "peer", ready`, fmt.Sprintf(verb, s))
		require.Equal(t, `subscription to MCP server "peer"`, fmt.Sprintf(verb, sub))
	}
	var none *session.Session
	var nothing *session.Subscription
	require.Equal(t, "<nil> <nil>", fmt.Sprint(none, nothing))
}
