package mcptest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func TestMemoryLinkLegacy(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	c := newLinkClient(t, server.Link())

	c.handshake()
	require.JSONEq(t, `{"content":[{"type":"text","text":"hi"}]}`,
		c.result(mcp.MethodCallTool, `{"name":"echo","arguments":{"text":"hi"}}`))
	require.JSONEq(t, `{}`, c.result(mcp.MethodPing, `{}`))
	require.Equal(t, mcp.CodeMethodNotFound, c.failure(mcp.MethodListen, `{}`).Code, "R139: eras do not mix")
	require.Equal(t, 1, server.Count(mcp.MethodInitialize))
	require.Empty(t, server.Violations())
}

func TestMemoryLinkModern(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	c := newLinkClient(t, server.Link())

	require.Contains(t, c.result(mcp.MethodDiscover, `{`+modernMeta+`}`), `"supportedVersions":["2026-07-28","2025-11-25"`)
	require.JSONEq(t, `{"content":[{"type":"text","text":"{\"sum\":5}"}],"structuredContent":{"sum":5},"resultType":"complete",
		"_meta":{"io.modelcontextprotocol/serverInfo":`+serverInfo(t)+`}}`,
		c.result(mcp.MethodCallTool, `{"name":"add","arguments":{"a":2,"b":3},`+modernMeta+`}`))
	require.Equal(t, mcp.CodeMethodNotFound, c.failure(mcp.MethodPing, `{`+modernMeta+`}`).Code)
	require.Equal(t, mcp.CodeUnsupportedProtocolVersion, c.failure(mcp.MethodInitialize, initializeParams).Code,
		"P37: the process is bound to the era of the first request it accepted")
	require.Empty(t, server.Violations())
}

func TestMemoryLinkProgressBelongsToItsExchange(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	c := newLinkClient(t, server.Link())
	c.handshake()

	_, sink := c.request(mcp.MethodCallTool, `{"name":"slow","arguments":{"ms":3,"steps":3},"_meta":{"progressToken":77}}`)
	require.Len(t, sink.delivered, 3)
	for i, m := range sink.delivered {
		progress, ok := mcp.ProgressOf(m.Params)
		require.True(t, ok)
		require.Equal(t, mcp.Progress{Progress: float64(i + 1), Total: 3, Message: fmt.Sprintf("step %d of 3", i+1)}, progress)
	}
	require.EqualValues(t, 1, sink.accepted.Load())
	require.EqualValues(t, 4, sink.arrived.Load())

	c.request(mcp.MethodCallTool, `{"name":"log","arguments":{"message":"hello"}}`)
	require.Contains(t, string(c.next().Params), "hello", "a log message belongs to no exchange of a pipe")
}

func TestMemoryLinkConcurrentCalls(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	c := newLinkClient(t, server.Link())
	c.handshake()

	var calls sync.WaitGroup
	for i := range 200 {
		calls.Go(func() {
			reply, _, err := c.exchange(t.Context(), mcp.MethodCallTool, fmt.Sprintf(`{"name":"echo","arguments":{"text":"%d"}}`, i))
			if err != nil || string(reply.Message.Result) != fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, i) {
				t.Errorf("call %d: %v %s", i, err, reply.Message.Raw)
			}
		})
	}
	calls.Wait()
	require.Equal(t, 200, server.Count(mcp.MethodCallTool))
}

func TestMemoryLinkEnds(t *testing.T) {
	blocked := `{"name":"slow","arguments":{"ms":60000,"steps":1}}`
	tests := []struct {
		name string
		end  func(*mcptest.Server, *linkClient)
		want error
	}{
		{"killed", func(s *mcptest.Server, _ *linkClient) { s.Kill(errors.New("exit status 3")) }, errors.ErrPeerLost},
		{"closed", func(_ *mcptest.Server, c *linkClient) { _ = c.link.Close(context.Background()) }, errors.ErrTransportClosed},
		{"server closed", func(s *mcptest.Server, _ *linkClient) { s.Close() }, errors.ErrPeerLost},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := mcptest.NewDemoServer()
			defer server.Close()
			c := newLinkClient(t, server.Link())
			c.handshake()
			failed := make(chan error, 1)
			go func() {
				_, _, err := c.exchange(context.Background(), mcp.MethodCallTool, blocked)
				failed <- err
			}()
			server.Await(t, mcp.MethodCallTool, 1)
			test.end(server, c)
			require.ErrorIs(t, <-failed, test.want)
			<-c.link.Done()
			require.ErrorIs(t, c.link.Err(), test.want)
			_, _, err := c.exchange(t.Context(), mcp.MethodPing, `{}`)
			require.ErrorIs(t, err, errors.ErrNotSent, "a spent link sends nothing")
		})
	}
}

func TestMemoryLinkCancelling(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	c := newLinkClient(t, server.Link())
	c.handshake()

	ctx, cancel := context.WithCancelCause(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, _, err := c.exchange(ctx, mcp.MethodCallTool, `{"name":"slow","arguments":{"ms":60000,"steps":1}}`)
		failed <- err
	}()
	server.Await(t, mcp.MethodCallTool, 1)
	cause := errors.New("enough")
	cancel(cause)
	require.ErrorIs(t, <-failed, cause)
	require.Empty(t, server.Cancelled(), "the link tells the peer nothing by itself")
	c.notify(mcp.NotificationCancelled, `{"requestId":2}`)
	require.Equal(t, []mcp.ID{mcp.NumberID(2)}, server.Cancelled())
	c.notify(mcp.NotificationCancelled, `{"requestId":999}`)
	require.Empty(t, server.Violations(), "R122: an unknown id is ignored")
}

func serverInfo(t *testing.T) string {
	t.Helper()
	about := mcp.ClientInfo()
	return `{"name":"demo","title":"Demo server","version":"` + about.Version + `"}`
}
