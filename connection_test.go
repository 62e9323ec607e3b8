package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Everything a connection can do, over both transports and in both eras.
func TestConnectionEndToEnd(t *testing.T) {
	ways := map[string]func(t *testing.T) *mcpclient.Connection{
		"stdio": func(t *testing.T) *mcpclient.Connection { return connect(t, child(t, "demo", nil)) },
		"stdio, legacy": func(t *testing.T) *mcpclient.Connection {
			return connect(t, child(t, "demo", map[string]any{"protocol": "legacy"}))
		},
		"http": func(t *testing.T) *mcpclient.Connection { return connectHTTP(t, mcptest.NewDemoServer(), nil) },
		"http, event streams": func(t *testing.T) *mcpclient.Connection {
			return connectHTTP(t, mcptest.NewDemoServer(mcptest.WithAnswers(mcptest.AnswersEventStream)), nil)
		},
	}
	for _, version := range mcp.LegacyVersions() {
		ways["http, "+string(version)] = func(t *testing.T) *mcpclient.Connection {
			return connectHTTP(t, mcptest.NewDemoServer(mcptest.LegacyOnly(version)), nil)
		}
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) { tryEverything(t, way(t)) })
	}
}

func tryEverything(t *testing.T, connection *mcpclient.Connection) {
	ctx := t.Context()
	info, err := connection.ServerInfo(ctx)
	require.NoError(t, err)
	assert.Equal(t, "demo", info.Implementation.Name)
	assert.NotEmpty(t, info.Version)
	assert.Equal(t, transporters.StateReady, connection.State())
	require.NoError(t, connection.Ping(ctx))

	tools, err := connection.Tools(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{"echo", "add", "slow", "fail", "log"}, tools.Keys())
	resources, err := connection.Resources(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{"demo://greeting", "demo://data.json"}, resources.Keys())
	templates, err := connection.ResourceTemplates(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{"demo://items/{id}"}, templates.Keys())
	prompts, err := connection.Prompts(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{"greet"}, prompts.Keys())

	result, err := connection.CallTool(ctx, "echo", map[string]string{"text": "héllo <&> \u2028"})
	require.NoError(t, err)
	assert.Equal(t, "héllo <&> \u2028", result.Text())

	result, err = connection.CallTool(ctx, "add", struct {
		A int `json:"a"`
		B int `json:"b"`
	}{2, 3})
	require.NoError(t, err)
	sum, err := mcpclient.Decode[struct{ Sum int }](result)
	require.NoError(t, err)
	assert.Equal(t, 5, sum.Sum)

	result, err = connection.CallTool(ctx, "fail", map[string]string{"message": "no luck"})
	require.NoError(t, err, "R151: a tool that failed is a result")
	assert.True(t, result.IsError)
	_, err = mcpclient.Decode[struct{}](result)
	require.ErrorIs(t, err, errors.ErrToolFailed)
	assert.ErrorContains(t, err, "no luck")

	_, err = connection.CallTool(ctx, "nonexistent", nil)
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	require.True(t, ok)
	assert.Equal(t, errors.KindPeer, failure.Kind)
	assert.Equal(t, mcp.CodeInvalidParams, failure.Code)

	read, err := connection.ReadResource(ctx, "demo://items/7")
	require.NoError(t, err)
	require.Len(t, read.Contents, 1)
	assert.Equal(t, "Item 7", read.Contents[0].Text)

	prompt, err := connection.GetPrompt(ctx, "greet", map[string]string{"name": "Ada"})
	require.NoError(t, err)
	require.Len(t, prompt.Messages, 1)
	assert.Contains(t, prompt.Messages[0].Content.Text, "Ada")

	if info.Version != mcp.Version20241105 {
		completed, err := connection.Complete(ctx, mcp.CompleteParams{
			Ref: mcp.PromptReference("greet"), Argument: mcp.CompletionArgument{Name: "name", Value: "A"},
		})
		require.NoError(t, err)
		assert.NotEmpty(t, completed.Values)
	}

	var reports []mcp.Progress
	var events []mcp.Message
	result, err = connection.CallTool(ctx, "slow", map[string]int{"ms": 30, "steps": 3},
		mcpclient.OnProgress(func(p mcp.Progress) { reports = append(reports, p) }),
		mcpclient.OnEvent(func(m mcp.Message) { events = append(events, m) }))
	require.NoError(t, err)
	require.Len(t, reports, 3)
	assert.EqualValues(t, 3, reports[2].Progress)
	require.Len(t, events, 4, "three reports, and the answer at the end")
	assert.JSONEq(t, string(result.Raw()), string(events[3].Result))

	raw, err := connection.Request(ctx, "tools/list", nil, nil)
	require.NoError(t, err)
	assert.Contains(t, string(raw.Raw()), `"echo"`)
	assert.EqualValues(t, 1, connection.Stats().Handshakes)
}

func TestAThousandFirstCallersShareOneHandshake(t *testing.T) {
	for name, server := range map[string]*mcptest.Server{
		"legacy": mcptest.NewDemoServer(mcptest.LegacyOnly()), "modern": mcptest.NewDemoServer(mcptest.ModernOnly()),
	} {
		t.Run(name, func(t *testing.T) {
			connection := connectHTTP(t, server, nil)
			var callers sync.WaitGroup
			var right atomic.Int64
			for i := range 1000 {
				callers.Go(func() {
					result, err := connection.CallTool(context.Background(), "echo", map[string]string{"text": strconv.Itoa(i)})
					if assert.NoError(t, err) && result.Text() == strconv.Itoa(i) {
						right.Add(1)
					}
				})
			}
			callers.Wait()
			assert.EqualValues(t, 1000, right.Load())
			assert.EqualValues(t, 1, connection.Stats().Handshakes)
			assert.LessOrEqual(t, server.Count("initialize"), 1)
			assert.Equal(t, 1, max(server.Count("initialize"), server.Count("server/discover")))
			assert.Equal(t, 1000, server.Count("tools/call"))
			assert.Empty(t, server.Violations())
		})
	}
}

func TestListsWalkEveryPage(t *testing.T) { // R141, P13
	for name, option := range map[string]mcptest.Option{
		"pages of one": mcptest.WithPageSize(1), "pages of two": mcptest.WithPageSize(2),
	} {
		t.Run(name, func(t *testing.T) {
			server := mcptest.NewDemoServer(option, mcptest.WithEmptyCursor())
			connection := connectHTTP(t, server, nil)
			tools, err := connection.Tools(t.Context())
			require.NoError(t, err)
			assert.Equal(t, []string{"echo", "add", "slow", "fail", "log"}, tools.Keys())
			assert.Greater(t, server.Count("tools/list"), 2)
			assert.Empty(t, server.Violations())
		})
	}
}

func TestListsThatNeverEnd(t *testing.T) { // P101
	t.Run("a cursor that does not move", func(t *testing.T) {
		fake := mcptest.NewTransporter(t)
		fake.Expect("tools/list", mcptest.Params(`{}`)).Return(`{"tools":[{"name":"a"}],"nextCursor":""}`)
		fake.Expect("tools/list", mcptest.Params(`{"cursor":""}`)).Return(`{"tools":[{"name":"b"}],"nextCursor":""}`)
		_, err := mcpclient.NewConnection("x", fake).Tools(t.Context())
		require.ErrorIs(t, err, errors.ErrProtocol)
		assert.ErrorContains(t, err, `mcp server "x": tools/list: protocol violation: the cursor of page 2 was given before`)
	})
	t.Run("a cursor that comes back", func(t *testing.T) {
		next := map[string]string{"": "a", "a": "b", "b": "c", "c": "a"}
		calls := 0
		circle := transporters.TransporterFunc(func(_ context.Context, _ string, params any, _ transporters.EventFunc) (mcp.Result, error) {
			calls++
			var asked struct{ Cursor string }
			encoded, err := json.Marshal(params)
			assert.NoError(t, err)
			assert.NoError(t, json.Unmarshal(encoded, &asked))
			return mcp.NewResult(fmt.Appendf(nil, `{"resources":[],"nextCursor":%q}`, next[asked.Cursor])), nil
		})
		_, err := mcpclient.NewConnection("x", circle).Resources(t.Context())
		require.ErrorIs(t, err, errors.ErrProtocol)
		assert.Equal(t, 4, calls)
	})
	t.Run("ever new cursors", func(t *testing.T) {
		calls := 0
		endless := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
			calls++
			return mcp.NewResult(fmt.Appendf(nil, `{"prompts":[],"nextCursor":"%d"}`, calls)), nil
		})
		_, err := mcpclient.NewConnection("x", endless).Prompts(t.Context())
		require.ErrorIs(t, err, errors.ErrProtocol)
		assert.ErrorContains(t, err, "more than 10000 pages")
		assert.Equal(t, 10_000, calls)
	})
}

func TestListsFailAsAWhole(t *testing.T) {
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/list", mcptest.Params(`{}`)).Return(`{"tools":[{"name":"a"}],"nextCursor":"2"}`)
	fake.Expect("tools/list", mcptest.Params(`{"cursor":"2"}`)).Fail(mcp.CodeInvalidParams, "bad cursor", nil)
	tools, err := mcpclient.NewConnection("x", fake).Tools(t.Context())
	require.Error(t, err)
	assert.Zero(t, tools.Len(), "half a list is not returned")
}

func TestListsTellWhatCouldNotBeRead(t *testing.T) {
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/list").Return(`{"tools":[{"name":"a"},{"title":"nameless"},7],"nextCursor":"2"}`)
	fake.Expect("tools/list").Return(`{"tools":[` + "5," + "5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5" + `,{"name":"b"}]}`)
	tools, err := mcpclient.NewConnection("x", fake).Tools(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, tools.Keys())
	require.Len(t, tools.Faults(), 16)
	require.ErrorIs(t, tools.Faults()[0], errors.ErrProtocol)
	assert.Len(t, tools.Only("a").Faults(), 16)
}

func TestAnswersThatAreNotWhatWasAskedFor(t *testing.T) {
	for name, test := range map[string]struct {
		answer, says string
		call         func(*mcpclient.Connection, context.Context) error
	}{
		"no list":             {`{"items":[]}`, `"tools" is missing`, listTools},
		"a list of no kind":   {`{"tools":{}}`, `"tools" must be an array, found an object`, listTools},
		"another result type": {`{"resultType":"input_required","requestState":"s"}`, `resultType "input_required"`, callTool},
		"a type from afar":    {`{"resultType":"\u001b[2Jx"}`, `resultType "\x1b[2Jx"`, callTool},
		"no array of content": {`{"content":"hello"}`, `"content" must be an array`, callTool},
		"no contents":         {`{}`, `"contents" is missing`, readResource},
	} {
		t.Run(name, func(t *testing.T) {
			fake := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
				return mcp.NewResult([]byte(test.answer)), nil
			})
			err := test.call(mcpclient.NewConnection("x", fake), t.Context())
			require.ErrorIs(t, err, errors.ErrProtocol)
			assert.ErrorContains(t, err, test.says)
			failure, ok := errors.AsType[*errors.TransporterRequestError](err)
			require.True(t, ok, "%T", err)
			assert.Equal(t, errors.KindProtocol, failure.Kind)
			assert.Equal(t, "x", failure.Server)
			assert.False(t, errors.SafeToRetry(err))
		})
	}
}

func listTools(c *mcpclient.Connection, ctx context.Context) error {
	_, err := c.Tools(ctx)
	return err
}

func callTool(c *mcpclient.Connection, ctx context.Context) error {
	_, err := c.CallTool(ctx, "t", nil)
	return err
}

func readResource(c *mcpclient.Connection, ctx context.Context) error {
	_, err := c.ReadResource(ctx, "u")
	return err
}

func TestArgumentsThatCannotBeSent(t *testing.T) {
	connection := mcpclient.NewConnection("x", mcptest.NewTransporter(t))
	for name, arguments := range map[string]any{
		"a list":           []int{1},
		"a text":           "a=1",
		"a channel":        make(chan int),
		"a repeated key":   json.RawMessage(`{"a":1,"a":2}`),
		"something broken": json.RawMessage(`{"a":`),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := connection.CallTool(t.Context(), "tool", arguments)
			require.ErrorIs(t, err, errors.ErrInvalidParams)
			assert.True(t, errors.SafeToRetry(err), "nothing was sent")
			assert.ErrorContains(t, err, `mcp server "x": tools/call`)
		})
	}
}

func TestToolArgumentsAreAlwaysAnObject(t *testing.T) {
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/call", mcptest.Params(`{"name":"t","arguments":{}}`)).Times(2)
	fake.Expect("tools/call", mcptest.Params(`{"name":"t","arguments":{"big":12345678901234567890}}`))
	connection := mcpclient.NewConnection("x", fake)
	for _, arguments := range []any{nil, map[string]any{}, json.RawMessage(`{"big":12345678901234567890}`)} {
		_, err := connection.CallTool(t.Context(), "t", arguments)
		require.NoError(t, err)
	}
}

func TestAnErrorOfAnotherTypeIsMadeOneOfOurs(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		kind errors.Kind
		text string
	}{
		"any":            {fs.ErrPermission, errors.KindTransport, `mcp server "x": tools/call: permission denied`},
		"canceled":       {context.Canceled, errors.KindCanceled, `mcp server "x": tools/call: context canceled`},
		"the deadline":   {fmt.Errorf("a: %w", context.DeadlineExceeded), errors.KindTimeout, `mcp server "x": tools/call: a: context deadline exceeded`},
		"ours":           {&errors.TransporterRequestError{Server: "y", Action: "a", Kind: errors.KindPeer, Code: 3}, errors.KindPeer, `mcp server "y": a: server answered with error 3`},
		"ours, in wraps": {fmt.Errorf("b: %w", &errors.TransporterRequestError{Server: "y", Kind: errors.KindAuth}), errors.KindAuth, `b: mcp server "y": authorization`},
	} {
		t.Run(name, func(t *testing.T) {
			fake := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
				return mcp.Result{}, test.err
			})
			client, err := mcpclient.New(nil, mcpclient.WithTransporter("x", fake))
			require.NoError(t, err)
			injected, err := client.Connect("x")
			require.NoError(t, err)
			for _, connection := range []*mcpclient.Connection{injected, mcpclient.NewConnection("x", fake)} {
				_, err := connection.CallTool(t.Context(), "t", nil, mcpclient.WithTimeout(time.Second))
				failure, ok := errors.AsType[*errors.TransporterRequestError](err)
				require.True(t, ok, "%T", err)
				require.ErrorIs(t, err, test.err)
				assert.Equal(t, test.kind, failure.Kind)
				assert.EqualError(t, err, test.text)
				_, err = connection.Request(t.Context(), "tools/call", nil, nil)
				assert.EqualError(t, err, test.text)
			}
		})
	}
}

func TestAConnectionWithoutATransporter(t *testing.T) {
	for name, none := range map[string]transporters.Transporter{"nil": nil, "a nil function": transporters.TransporterFunc(nil)} {
		t.Run(name, func(t *testing.T) {
			connection := mcpclient.NewConnection("x", none)
			_, err := connection.Tools(t.Context())
			require.EqualError(t, err, `mcp server "x": tools/list: the connection was made with a transporter that is nil`)
			assert.True(t, errors.SafeToRetry(err))
			require.NoError(t, connection.Close())
			_, err = mcpclient.New(nil, mcpclient.WithTransporter("x", none))
			require.EqualError(t, err, `the transporter for server "x" is nil`)
		})
	}
}

func TestAnInjectedTransporterHasNoHandshake(t *testing.T) {
	fake := mcptest.NewTransporter(t)
	fake.Expect("ping").Error(errors.ErrPeerLost)
	connection := mcpclient.NewConnection("x", fake)
	info, err := connection.ServerInfo(t.Context())
	require.NoError(t, err)
	assert.Zero(t, info)
	require.ErrorIs(t, connection.Ping(t.Context()), errors.ErrPeerLost)
	assert.Equal(t, transporters.StateReady, connection.State())
	stats := connection.Stats()
	assert.EqualValues(t, []uint64{1, 1, 0}, []uint64{stats.Requests, stats.Failures, uint64(stats.InFlight)})
	require.NoError(t, connection.Shutdown(t.Context()))
	_, err = connection.ServerInfo(t.Context())
	require.ErrorIs(t, err, errors.ErrTransportClosed)
}

func TestEventsMayMakeCalls(t *testing.T) {
	connection := connectHTTP(t, mcptest.NewDemoServer(), nil)
	var echoed []string
	_, err := connection.CallTool(t.Context(), "slow", map[string]int{"ms": 20, "steps": 2},
		mcpclient.OnProgress(func(p mcp.Progress) {
			result, err := connection.CallTool(t.Context(), "echo", map[string]string{"text": fmt.Sprint(p.Progress)})
			if assert.NoError(t, err) {
				echoed = append(echoed, result.Text())
			}
		}))
	require.NoError(t, err)
	assert.True(t, slices.Equal([]string{"1", "2"}, echoed), echoed)
}
