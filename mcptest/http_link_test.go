package mcptest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestHTTPLinkLegacy(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	c := newLinkClient(t, server.HTTPLink())
	c.header = jsonHeader()
	c.handshake()

	reply, sink := c.request(mcp.MethodCallTool, `{"name":"slow","arguments":{"ms":1,"steps":2},"_meta":{"progressToken":5}}`)
	require.Equal(t, 200, reply.Status)
	require.Len(t, sink.delivered, 2)
	c.request(mcp.MethodCallTool, `{"name":"log","arguments":{"message":"x"}}`)
	require.Equal(t, mcp.NotificationMessage, c.next().Method)

	server.ForgetSessions()
	reply, _ = c.request(mcp.MethodPing, `{}`)
	require.Equal(t, 404, reply.Status)
	require.Equal(t, -32001, reply.Message.Failure().Code, "P20: an error without id belongs to its POST")
	c.header = jsonHeader()
	c.handshake()
	require.Equal(t, 1, server.Sessions())
	require.NoError(t, c.link.(transporters.Terminator).Terminate(t.Context(), c.header))
	require.Zero(t, server.Sessions())
	require.Empty(t, server.Violations())
}

func TestHTTPLinkCancels(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	c := newLinkClient(t, server.HTTPLink())
	c.header = jsonHeader()
	c.header.Set(mcp.HeaderProtocolVersion, "2026-07-28")
	c.header.Set(mcp.HeaderMethod, mcp.MethodCallTool)
	c.header.Set(mcp.HeaderName, "slow")
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, _, err := c.exchange(ctx, mcp.MethodCallTool, `{"name":"slow","arguments":{"ms":60000},`+modernMeta+`}`)
		failed <- err
	}()
	server.Await(t, mcp.MethodCallTool, 1)
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
	require.Eventually(t, func() bool { return len(server.Cancelled()) == 1 }, 5*time.Second, time.Millisecond, "R090")
	require.Equal(t, mcp.NumberID(1), server.Cancelled()[0])
}

func TestHTTPLinkStatuses(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	defer server.Close()
	c := newLinkClient(t, server.HTTPLink())
	c.header = jsonHeader()
	c.header.Set(mcp.HeaderProtocolVersion, "2026-07-28")
	reply, _ := c.request(mcp.MethodDiscover, `{`+modernMeta+`}`)
	require.Equal(t, 400, reply.Status)
	require.True(t, reply.Message.IsZero())
	require.Contains(t, string(reply.Body), "Unsupported protocol version")

	c.header = jsonHeader()
	err := c.link.Send(t.Context(), c.outbound(mcp.NotificationInitialized, `{}`, 0))
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	require.True(t, ok)
	require.Equal(t, 400, failure.Status)
	require.NoError(t, c.link.Close(t.Context()))
	_, _, err = c.exchange(t.Context(), mcp.MethodPing, `{}`)
	require.ErrorIs(t, err, errors.ErrTransportClosed)
}
