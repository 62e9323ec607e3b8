package mcptest_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

func ExampleNewTransporter() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/call", mcptest.ParamsWith(`{"arguments":{"city":"Bern"}}`)).
		Return(`{"content":[{"type":"text","text":"sunny"}]}`)

	text, err := weather{fake}.in(context.Background(), "Bern")
	fmt.Println(text, err)
	// Output: sunny <nil>
}

func ExampleServer_AddTool() {
	server := mcptest.NewServer()
	defer server.Close()
	server.AddTool(mcp.Tool{Name: "weather"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		var arguments struct{ City string }
		if err := call.Decode(&arguments); err != nil {
			return nil, err
		}
		return "rain in " + arguments.City, nil
	})

	s := session.New("weather", session.Settings{}, server.Link())
	defer func() { _ = s.Close() }()
	fmt.Println(weather{s}.in(context.Background(), "Oslo"))
	fmt.Println(server.Count("tools/call"), server.Violations())
	// Output:
	// rain in Oslo <nil>
	// 1 []
}

func ExampleScriptedLink() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	link.On("server/discover").Fail(mcp.CodeMethodNotFound, "Method not found", nil)
	link.On("initialize").Return(`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"old","version":"1"}}`)

	s := session.New("old", session.Settings{}, link)
	defer func() { _ = s.Close() }()
	info, err := s.ServerInfo(context.Background())
	fmt.Println(info.Version, info.Implementation.Name, err)
	// Output: 2025-06-18 old <nil>
}

func ExampleServer_ServeStdio() {
	server := mcptest.NewDemoServer()
	defer server.Close()
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	var out bytes.Buffer
	if err := server.ServeStdio(context.Background(), in, &out); err != nil {
		fmt.Println(err)
	}
	fmt.Print(out.String())
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}
