package mcptest_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestScriptedLinkAnswers(t *testing.T) {
	link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	link.On("server/discover").Fail(-32601, "Method not found", `{"a":9007199254740993}`)
	link.On("initialize").Return(`{"protocolVersion":"2025-11-25"}`)
	link.On("tools/call").Where(mcptest.ParamsWith(`{"name":"a"}`)).Return(`{"n":1}`)
	link.On("tools/call").Where(mcptest.ParamsWith(`{"name":"b"}`)).Return(map[string]int{"n": 2})
	link.On("ping").Always()
	c := newLinkClient(t, link)

	failure := c.failure("server/discover", `{}`)
	require.Equal(t, -32601, failure.Code)
	require.JSONEq(t, `{"a":9007199254740993}`, string(failure.Data))
	require.JSONEq(t, `{"protocolVersion":"2025-11-25"}`, c.result("initialize", `{}`))
	c.notify("notifications/initialized", `{}`)
	require.JSONEq(t, `{"n":2}`, c.result("tools/call", `{"name":"b"}`))
	require.JSONEq(t, `{"n":1}`, c.result("tools/call", `{"name":"a"}`))
	require.JSONEq(t, `{}`, c.result("ping", `{}`))
	require.JSONEq(t, `{}`, c.result("ping", `{}`))

	require.Equal(t, 2, link.Count("ping"))
	methods := []string{}
	for _, received := range link.Received() {
		methods = append(methods, received.Method)
	}
	require.Equal(t, []string{"server/discover", "initialize", "notifications/initialized", "tools/call", "tools/call", "ping", "ping"}, methods)
	require.Equal(t, "b", link.Received()[3].Name)
}

func TestScriptedLinkHTTPReplies(t *testing.T) {
	link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
	link.On("initialize").Return(`{}`).Header(mcp.HeaderSessionID, "s1")
	link.On("tools/list").Status(400).Body("Bad Request: No valid session ID provided")
	link.On("tools/call").Status(400).Fail(-32022, "no", `{"supported":["2027-01-01"]}`)
	link.On("prompts/list").Status(202)
	link.On("notifications/initialized").Status(404)
	c := newLinkClient(t, link)

	reply, _ := c.request("initialize", `{}`)
	require.Equal(t, http.StatusOK, reply.Status)
	require.Equal(t, "s1", reply.Header.Get(mcp.HeaderSessionID))
	reply, _ = c.request("tools/list", `{}`)
	require.Equal(t, transporters.Reply{Status: 400, Body: []byte("Bad Request: No valid session ID provided")}, reply)
	reply, _ = c.request("tools/call", `{}`)
	require.Equal(t, 400, reply.Status)
	require.Equal(t, -32022, reply.Message.Failure().Code)
	reply, _ = c.request("prompts/list", `{}`)
	require.Equal(t, transporters.Reply{Status: 202}, reply)
	err := link.Send(t.Context(), c.outbound("notifications/initialized", `{}`, 0))
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	require.True(t, ok)
	require.Equal(t, 404, failure.Status)

	require.NoError(t, link.Terminate(t.Context(), http.Header{mcp.HeaderSessionID: {"s1"}}))
	require.Equal(t, []http.Header{{mcp.HeaderSessionID: {"s1"}}}, link.Terminated())
	link.SetVersion(mcp.Version20250326)
	require.Equal(t, mcp.Version20250326, link.Version())
}

func TestScriptedLinkRoutesByItsTraits(t *testing.T) {
	const params = `{"_meta":{"progressToken":7}}`
	script := func(link *mcptest.ScriptedLink) {
		link.On("tools/call").
			Progress(1, 2, "half").
			Notify("notifications/message", `{"level":"info","data":1}`).
			Request(`"srv-1"`, "ping", nil).
			Return(nil)
	}
	t.Run("stdio: only progress belongs to the exchange", func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		script(link)
		c := newLinkClient(t, link)
		_, sink := c.request("tools/call", params)
		require.Len(t, sink.delivered, 1)
		require.JSONEq(t, `{"progressToken":7,"progress":1,"total":2,"message":"half"}`, string(sink.delivered[0].Params))
		require.Equal(t, "notifications/message", c.next().Method)
		require.Equal(t, mcp.StringID("srv-1"), c.next().ID)
		require.EqualValues(t, 2, sink.arrived.Load(), "progress and answer")
	})
	t.Run("HTTP: all on the response does", func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
		script(link)
		c := newLinkClient(t, link)
		_, sink := c.request("tools/call", params)
		require.Len(t, sink.delivered, 3)
		require.Equal(t, "notifications/message", c.next().Method)
		require.Equal(t, "ping", c.next().Method)
	})
}

func TestScriptedLinkSilenceAndDeath(t *testing.T) {
	link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	link.On("server/discover").Silence()
	link.On("tools/list").Silence()
	link.On("initialize").Die(errors.New("exit status 1"))
	c := newLinkClient(t, link)

	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	time.AfterFunc(time.Millisecond, func() { cancel(cause) })
	_, _, err := c.exchange(ctx, "server/discover", `{}`)
	require.ErrorIs(t, err, cause)
	require.Equal(t, []mcp.ID{mcp.NumberID(1)}, link.Abandoned())

	waiting := make(chan error, 1)
	go func() {
		_, _, err := c.exchange(t.Context(), "tools/list", `{}`)
		waiting <- err
	}()
	link.Await("tools/list", 1)
	_, _, err = c.exchange(t.Context(), "initialize", `{}`)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.ErrorContains(t, err, "exit status 1")
	require.ErrorIs(t, <-waiting, errors.ErrPeerLost)
	require.ErrorContains(t, link.Err(), "exit status 1")
	_, _, err = c.exchange(t.Context(), "ping", `{}`)
	require.ErrorIs(t, err, errors.ErrNotSent)
}

func TestScriptedLinkLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		ready := make(chan struct{})
		link.On("server/discover").After(ready).Delay(time.Hour).Return(`{"late":true}`)
		link.On("initialize").Error(errors.ErrNotSent)
		c := newLinkClient(t, link)
		answered := make(chan transporters.Reply, 1)
		go func() {
			reply, _ := c.request("server/discover", `{}`)
			answered <- reply
		}()
		synctest.Wait()
		require.Empty(t, answered)
		_, sink, err := c.exchange(t.Context(), "initialize", `{}`)
		require.ErrorIs(t, err, errors.ErrNotSent)
		require.Zero(t, sink.accepted.Load(), "what was not sent was not accepted")
		began := time.Now()
		close(ready)
		require.JSONEq(t, `{"late":true}`, string((<-answered).Message.Result))
		require.Equal(t, time.Hour, time.Since(began))
	})
}

func TestScriptedLinkStart(t *testing.T) {
	link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	link.FailStart(errors.ErrStartFailed)
	require.ErrorIs(t, link.Start(t.Context(), nil), errors.ErrStartFailed)
	require.NoError(t, link.Close(t.Context()))
	require.ErrorIs(t, link.Start(t.Context(), nil), errors.ErrTransportClosed)
}

func TestScriptedLinkComplains(t *testing.T) {
	tests := []struct {
		name string
		act  func(*testing.T, *linkClient, *mcptest.ScriptedLink)
		want string
	}{
		{"unexpected", func(t *testing.T, c *linkClient, link *mcptest.ScriptedLink) {
			link.On("tools/call").Where(mcptest.ParamsWith(`{"name":"a"}`)).Always()
			_, _, err := c.exchange(t.Context(), "tools/call", `{"name":"b"}`)
			require.ErrorIs(t, err, errors.ErrProtocol)
		}, `unexpected "tools/call" with params {"name":"b"}` + "\n\t" + `"tools/call" where params with {"name":"a"}: params.name: want "a", got "b"`},
		{"used up", func(_ *testing.T, c *linkClient, link *mcptest.ScriptedLink) {
			link.On("ping")
			c.result("ping", `{}`)
			_, _, _ = c.exchange(context.Background(), "ping", `{}`)
		}, `"ping": used up`},
		{"unmet", func(_ *testing.T, _ *linkClient, link *mcptest.ScriptedLink) {
			link.On("ping").Times(2)
		}, `"ping": came 0 times, expected 2`},
		{"another id", func(t *testing.T, c *linkClient, link *mcptest.ScriptedLink) {
			link.On("ping")
			out := c.outbound("ping", `{}`, 1)
			out.ID = 2
			_, err := link.Exchange(t.Context(), out, &recorder{})
			require.NoError(t, err)
		}, "frame's id is 1, Outbound.ID 2"},
		{"another method", func(t *testing.T, c *linkClient, link *mcptest.ScriptedLink) {
			out := c.outbound("notifications/x", `{}`, 0)
			out.Method = "notifications/y"
			require.NoError(t, link.Send(t.Context(), out))
		}, `frame's method is "notifications/x", Outbound.Method "notifications/y"`},
		{"another token", func(t *testing.T, c *linkClient, link *mcptest.ScriptedLink) {
			link.On("ping")
			out := c.outbound("ping", `{"_meta":{"progressToken":1}}`, 1)
			out.Token = 0
			_, err := link.Exchange(t.Context(), out, &recorder{})
			require.NoError(t, err)
		}, `frame's progress token is "1", Outbound.Token 0`},
		{"several lines", func(t *testing.T, _ *linkClient, link *mcptest.ScriptedLink) {
			out := &transporters.Outbound{Frame: []byte("{\"jsonrpc\":\"2.0\",\n\"method\":\"a\"}"), Method: "a"}
			require.NoError(t, link.Send(t.Context(), out))
		}, "frame spans several lines (R059)"},
		{"no message", func(t *testing.T, _ *linkClient, link *mcptest.ScriptedLink) {
			require.Error(t, link.Send(t.Context(), &transporters.Outbound{Frame: []byte("{}")}))
		}, "frame is no JSON-RPC message"},
		{"progress without token", func(_ *testing.T, c *linkClient, link *mcptest.ScriptedLink) {
			link.On("ping").Progress(1, 2, "")
			c.result("ping", `{}`)
		}, `"ping": the request has no progress token`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake := &fakeTB{}
			link := mcptest.NewScriptedLink(fake, mcptest.StdioTraits())
			test.act(t, newLinkClient(t, link), link)
			failures := fake.end()
			require.Len(t, failures, 1)
			require.Contains(t, failures[0], test.want)
			require.Contains(t, failures[0], "stdio script: ")
		})
	}
}
