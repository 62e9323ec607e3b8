package mcptest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestTransporterReturns(t *testing.T) {
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/call", mcptest.Params(`{"name":"a","arguments":{"n":1}}`)).Return(`{"content":[]}`)
	fake.Expect("tools/call", mcptest.ParamsWith(map[string]any{"name": "b"})).Answer(
		func(_ context.Context, call mcptest.Received) (any, error) {
			return map[string]string{"called": call.Name}, nil
		})
	fake.Expect("ping").Times(2)
	fake.Expect("weird").Return(`null`)

	result, err := fake.Request(t.Context(), "tools/call", map[string]any{"name": "b", "arguments": map[string]any{}}, nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"called":"b"}`, string(result.Raw()))
	result, err = fake.Request(t.Context(), "tools/call", map[string]any{"name": "a", "arguments": map[string]any{"n": 1}}, nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"content":[]}`, string(result.Raw()))
	for range 2 {
		result, err = fake.Request(t.Context(), "ping", nil, nil)
		require.NoError(t, err)
		require.JSONEq(t, `{}`, string(result.Raw()))
	}
	result, err = fake.Request(t.Context(), "weird", nil, nil)
	require.NoError(t, err)
	require.True(t, result.IsEnvelope())
	require.Equal(t, "b", fake.Calls()[0].Name)
	require.Len(t, fake.Calls(), 5)
}

func TestTransporterEvents(t *testing.T) {
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/call").
		Progress(1, 2, "half").
		Events(mcptest.ParseMessage(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`)).
		Return(`{}`)
	var reports []mcp.Progress
	ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) {
		o.OnProgress = func(p mcp.Progress) { reports = append(reports, p) }
	})
	var kinds []string
	_, err := fake.Request(ctx, "tools/call", nil, func(m mcp.Message) { kinds = append(kinds, m.Method) })
	require.NoError(t, err)
	require.Equal(t, []string{"notifications/progress", "notifications/message", ""}, kinds, "the answer comes last")
	require.Equal(t, []mcp.Progress{{Progress: 1, Total: 2, Message: "half"}}, reports)
}

func TestTransporterErrors(t *testing.T) {
	refused := errors.New("connection refused")
	own := &errors.TransporterRequestError{Server: "mine", Kind: errors.KindAuth}
	tests := []struct {
		name   string
		script func(*mcptest.Expectation)
		want   errors.TransporterRequestError
	}{
		{"answer", func(e *mcptest.Expectation) { e.Fail(-32602, "no such tool", `{"a":1}`) }, errors.TransporterRequestError{
			Server: "scripted", Action: "tools/call", ID: "1", Kind: errors.KindPeer, Delivery: errors.DeliveryAnswered,
			Code: -32602, Message: "no such tool", Data: []byte(`{"a":1}`),
		}},
		{"any error", func(e *mcptest.Expectation) { e.Error(refused) }, errors.TransporterRequestError{
			Server: "scripted", Action: "tools/call", ID: "1", Kind: errors.KindTransport, Err: refused,
		}},
		{"own error", func(e *mcptest.Expectation) { e.Error(own) }, *own},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake := mcptest.NewTransporter(t)
			test.script(fake.Expect("tools/call"))
			_, err := fake.Request(t.Context(), "tools/call", nil, nil)
			failure, ok := errors.AsType[*errors.TransporterRequestError](err)
			require.True(t, ok)
			require.Equal(t, test.want, *failure)
		})
	}
	t.Run("params that are no object", func(t *testing.T) {
		_, err := mcptest.NewTransporter(t).Request(t.Context(), "tools/call", []int{1}, nil)
		require.ErrorIs(t, err, errors.ErrInvalidParams)
	})
}

func TestTransporterWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := mcptest.NewTransporter(t)
		ready := make(chan struct{})
		fake.Expect("slow").After(ready).Delay(time.Minute).Return(`{}`)
		fake.Expect("silent").Silence()
		go func() {
			fake.Await("slow", 1)
			close(ready)
		}()
		began := time.Now()
		_, err := fake.Request(t.Context(), "slow", nil, nil)
		require.NoError(t, err)
		require.Equal(t, time.Minute, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = fake.Request(ctx, "silent", nil, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		failure, _ := errors.AsType[*errors.TransporterRequestError](err)
		require.Equal(t, errors.KindTimeout, failure.Kind)
	})
}

func TestTransporterComplains(t *testing.T) {
	fake := &fakeTB{}
	transporter := mcptest.NewTransporter(fake)
	transporter.Expect("tools/call", mcptest.Params(`{"name":"a"}`))
	transporter.Expect("tools/list").Times(2)
	_, err := transporter.Request(t.Context(), "tools/call", map[string]any{"name": "b"}, nil)
	require.ErrorContains(t, err, `want "a", got "b"`)
	require.Equal(t, []string{
		`scripted transporter: unexpected call of "tools/call" with params {"name":"b"}` +
			"\n\texpected \"tools/call\" with params {\"name\":\"a\"}: params.name: want \"a\", got \"b\"" +
			"\n\texpected \"tools/list\": another action",
		`scripted transporter: expected "tools/call" with params {"name":"a"}: called 0 times, expected 1`,
		`scripted transporter: expected "tools/list": called 0 times, expected 2`,
	}, fake.end())
	_, err = transporter.Request(t.Context(), "tools/call", nil, nil)
	require.Error(t, err)
	require.Len(t, fake.failures, 3, "nothing is reported after the test's end")
}

func TestMatchers(t *testing.T) {
	tests := []struct {
		name    string
		matcher mcptest.Matcher
		params  string
		want    string
	}{
		{"equal in another order", mcptest.Params(`{"a":1,"b":[true,null]}`), `{"b":[true,null],"a":1}`, ""},
		{"_meta is left out", mcptest.Params(`{"a":1}`), `{"a":1,"_meta":{"x":1}}`, ""},
		{"_meta compared where given", mcptest.Params(`{"_meta":{"x":2}}`), `{"_meta":{"x":1}}`, "params._meta.x: want 2, got 1"},
		{"no params", mcptest.Params(nil), ``, ""},
		{"more members", mcptest.Params(`{"a":1}`), `{"a":1,"b":2}`, "params.b: want nothing, got 2"},
		{"every digit counts", mcptest.Params(`{"a":9007199254740993}`), `{"a":9007199254740992}`, "params.a: want 9007199254740993, got 9007199254740992"},
		{"element", mcptest.Params(`{"a":[1,2]}`), `{"a":[1,3]}`, "params.a[1]: want 2, got 3"},
		{"length", mcptest.Params(`{"a":[1]}`), `{"a":[1,3]}`, "params.a: want [1], got [1,3]"},
		{"contains", mcptest.ParamsWith(`{"a":{"b":1}}`), `{"a":{"b":1,"c":2},"d":3}`, ""},
		{"does not contain", mcptest.ParamsWith(`{"a":{"b":1}}`), `{"a":{}}`, "params.a.b: want 1, got nothing"},
		{"function", mcptest.ParamsFunc("is short", func(p []byte) bool { return len(p) < 3 }), `{"a":{}}`, "not so: is short"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake := &fakeTB{}
			transporter := mcptest.NewTransporter(fake)
			transporter.Expect("x", test.matcher)
			var params any
			if test.params != "" {
				params = []byte(test.params)
			}
			_, err := transporter.Request(t.Context(), "x", params, nil)
			if test.want == "" {
				require.NoError(t, err)
				require.Empty(t, fake.end())
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}
