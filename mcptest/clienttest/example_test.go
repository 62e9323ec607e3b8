package clienttest_test

import (
	"context"
	"fmt"

	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/mcptest/clienttest"
)

// Three kinds of test doubles behind one client, made as a program makes it.
func ExampleNew() {
	t := &fake{} // the *testing.T of a test
	script := mcptest.NewTransporter(t)
	script.Expect("tools/call").Return(`{"content":[{"type":"text","text":"scripted"}]}`)
	client := clienttest.New(t, clienttest.Servers{
		"script": script,
		"server": mcptest.NewDemoServer(),
		"tuned": clienttest.Configured{
			Server: mcptest.NewDemoServer(), HTTP: true, Keys: map[string]any{"tools": map[string]any{"deny": []string{"echo"}}},
		},
	})
	for _, name := range client.Servers() {
		result, err := clienttest.Connect(t, client, name).CallTool(context.Background(), "echo", map[string]any{"text": "echoed"})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(result.Text())
	}
	fmt.Print(t.end())
	// Output:
	// echoed
	// mcp server "tuned": tools/call: tool "echo" matches "echo" of tools.deny: denied by configuration
	// scripted
}
