package mcptest_test

import (
	"bufio"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

const listenParams = `{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["x://a"]},` + modernMeta + `}`

func TestListenOverMemory(t *testing.T) {
	server := mcptest.NewServer(mcptest.WithoutCapability("prompts"))
	defer server.Close()
	c := newLinkClient(t, server.Link())
	sink := &recorder{}
	ended := make(chan error, 1)
	go func() {
		reply, err := c.link.Exchange(t.Context(), c.outbound(mcp.MethodListen, listenParams, 40), sink)
		if err == nil {
			c.inbound = append(c.inbound, reply.Message)
		}
		ended <- err
	}()
	require.Eventually(t, func() bool { return server.Listens() == 1 }, 5*time.Second, time.Millisecond)
	server.AddTool(mcp.Tool{Name: "a"}, nil)
	server.AddPrompt(mcp.Prompt{Name: "not offered"}, nil)
	server.AddResource(mcp.Resource{URI: "x://a"}, nil)
	server.ResourceUpdated("x://a")
	server.ResourceUpdated("x://b")
	server.EndListens()
	require.NoError(t, <-ended)

	const tag = `"_meta":{"io.modelcontextprotocol/subscriptionId":40}`
	got := []string{}
	for _, m := range sink.delivered {
		got = append(got, string(m.Raw))
	}
	require.Equal(t, []string{
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x://a"]},` + tag + `}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{` + tag + `}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://a",` + tag + `}}`,
	}, got)
	require.Equal(t, `{"jsonrpc":"2.0","id":40,"result":{`+tag+`,"resultType":"complete"}}`, string(c.inbound[0].Raw))
	require.Zero(t, server.Listens())
	require.Equal(t, mcp.CodeInvalidParams, c.failure(mcp.MethodListen, `{`+modernMeta+`}`).Code, "R219")
}

func TestListenOverHTTPIsAStreamInEveryForm(t *testing.T) {
	server := mcptest.NewServer(mcptest.WithAnswers(mcptest.AnswersJSON))
	c := newHTTPClient(t, server)
	body := `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":` + listenParams + `}`
	ctx, cancel := context.WithCancel(t.Context())
	response := c.open(ctx, "POST", body, modernHeaders(mcp.MethodListen, "")...)
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewReader(response.Body)
	require.Equal(t, "event: message\n", readLine(t, lines))
	require.Contains(t, readLine(t, lines), mcp.NotificationAcknowledged)
	cancel()
	require.Eventually(t, func() bool { return server.Listens() == 0 }, 5*time.Second, time.Millisecond)
	require.Equal(t, []mcp.ID{mcp.StringID("l")}, server.Cancelled())
	require.Empty(t, server.Violations())
}

func TestLegacySubscriptions(t *testing.T) {
	server := mcptest.NewServer()
	defer server.Close()
	c := newLinkClient(t, server.Link())
	c.handshake()
	server.ResourceUpdated("x://a")
	c.result(mcp.MethodSubscribe, `{"uri":"x://a"}`)
	server.ResourceUpdated("x://a")
	require.JSONEq(t, `{"uri":"x://a"}`, string(c.next().Params))
	c.result(mcp.MethodUnsubscribe, `{"uri":"x://a"}`)
	server.ResourceUpdated("x://a")
	server.Notify("notifications/message", `{"level":"info","data":"last"}`)
	require.Contains(t, string(c.next().Params), "last")
	require.Equal(t, mcp.CodeInvalidParams, c.failure(mcp.MethodSubscribe, `{}`).Code)
	require.Equal(t, mcp.CodeMethodNotFound, c.failure(strings.ToUpper(mcp.MethodSubscribe), `{}`).Code)
}
