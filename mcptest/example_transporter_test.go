package mcptest_test

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Each ending of a call, and what its caller gets.
func ExampleExpectation() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/call").Fail(mcp.CodeInvalidParams, "no such city", nil)
	fake.Expect("tools/call").Error(errors.ErrAuthRequired)
	fake.Expect("tools/call").Die(errors.New("out of memory"))
	fake.Expect("tools/call").Silence()
	fake.Expect("tools/call").Answer(func(_ context.Context, call mcptest.Received) (any, error) {
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": "asked for " + call.Name}}}, nil
	})

	for range 3 {
		_, err := weather{fake}.in(context.Background(), "Bern")
		fmt.Println(err)
	}
	impatient, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := weather{fake}.in(impatient, "Bern")
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	fmt.Println(weather{fake}.in(context.Background(), "Bern"))
	// Output:
	// mcp server "scripted": tools/call: server answered with error -32602: no such city
	// mcp server "scripted": tools/call: authorization required
	// mcp server "scripted": tools/call: peer lost: out of memory
	// true
	// asked for weather <nil>
}

// What happens before a call ends.
func ExampleExpectation_Progress() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	fake := mcptest.NewTransporter(t)
	ready := make(chan struct{})
	fake.Expect("tools/call").
		Progress(1, 2, "asking").
		After(ready). // waits until the test says so
		Delay(time.Millisecond).
		Events(mcptest.ParseMessage(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"asked"}}`)).
		Progress(2, 2, "done")

	ctx := transporters.WithCallOptions(context.Background(), func(o *transporters.CallOptions) {
		o.OnProgress = func(p mcp.Progress) {
			fmt.Println(p.Message)
			if p.Progress == 1 {
				close(ready)
			}
		}
	})
	_, err := fake.Request(ctx, "tools/call", nil, func(m mcp.Message) { fmt.Println(m.Method) })
	fmt.Println(err)
	// Output:
	// notifications/progress
	// asking
	// notifications/message
	// notifications/progress
	// done
	//
	// <nil>
}

// Expectations match by params, which are compared as JSON values.
func ExampleTransporter_Expect() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/list").Always()
	fake.Expect("tools/call", mcptest.Params(`{"name":"weather","arguments":{"city":"Bern"}}`)).Times(2).
		Return(`{"content":[{"type":"text","text":"sunny"}]}`)
	short := mcptest.ParamsFunc("short params", func(params []byte) bool { return len(bytes.TrimSpace(params)) < 60 })
	fake.Expect("tools/call", mcptest.ParamsWith(`{"name":"weather"}`), short).
		Return(`{"content":[{"type":"text","text":"rain"}]}`)

	for _, city := range []string{"Bern", "Oslo", "Bern"} {
		fmt.Println(weather{fake}.in(context.Background(), city))
	}
	fake.Await("tools/call", 3) // where the code under test calls on its own
	fmt.Println(len(fake.Calls()), string(fake.Calls()[1].Params))
	// Output:
	// sunny <nil>
	// rain <nil>
	// sunny <nil>
	// 3 {"arguments":{"city":"Oslo"},"name":"weather"}
}

// A call that nobody expected fails the test, and says how it differs.
func ExampleTransporter() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/call", mcptest.ParamsWith(`{"arguments":{"city":"Bern","days":2}}`)).Always()

	_, err := weather{fake}.in(context.Background(), "Oslo")
	fmt.Println(err != nil)
	// Output:
	// scripted transporter: unexpected call of "tools/call" with params {"arguments":{"city":"Oslo"},"name":"weather"}
	// 	expected "tools/call" with params with {"arguments":{"city":"Bern","days":2}}: params.arguments.city: want "Bern", got "Oslo"
	// 		params.arguments.days: want 2, got nothing
	// true
}
