package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// weather is a fake written by hand: no generator, no server, one method each.
type weather struct{}

func (weather) Tools(context.Context, ...mcpclient.CallOption) (mcpclient.Collection[mcp.Tool], error) {
	return mcpclient.NewCollection([]mcp.Tool{{
		Name: "forecast", Description: "Tomorrow's weather",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`),
	}}, mcp.Tool.Key), nil
}

func (weather) CallTool(_ context.Context, name string, arguments any, _ ...mcpclient.CallOption) (*mcp.CallToolResult, error) {
	return mcp.NewTextResult(fmt.Sprintf("%s of %s: sunny", name, arguments)), nil
}

// Greeting is code that needs a server, and says what of it: anything that calls
// tools.
func Greeting(ctx context.Context, tools mcpclient.ToolCaller) (string, error) {
	result, err := tools.CallTool(ctx, "forecast", "Oslo")
	if err != nil {
		return "", err
	}
	return "Good morning! " + result.Text(), nil
}

// In the program a *Connection is passed, in its tests a type of one method.
func ExampleToolCaller() {
	greeting, err := Greeting(context.Background(), weather{})
	fmt.Println(greeting, err)
	// Output: Good morning! forecast of Oslo: sunny <nil>
}

// Many servers as one: the names fit function calls, a call goes where its name
// came from, and a server that is down costs its own tools only. Client.Group makes
// one of all servers of a client.
func ExampleNewGroup() {
	group, err := mcpclient.NewGroup([]mcpclient.Member{
		{Name: "oslo", Server: weather{}},
		{Name: "tokyo", Server: weather{}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := group.Tools(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, failure := range tools.Failures {
		fmt.Println("left out:", failure)
	}
	fmt.Println(tools.Keys())
	result, err := group.CallTool(context.Background(), "tokyo__forecast", "Tokyo")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text())
	// Output:
	// [oslo__forecast tokyo__forecast]
	// forecast of Tokyo: sunny
}

// The tools of a group go into a request to a model, and what the model calls goes
// back into the group.
func ExampleOpenAITools() {
	group, err := mcpclient.NewGroup([]mcpclient.Member{{Name: "oslo", Server: weather{}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := group.Tools(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	request := map[string]any{"model": "any", "tools": mcpclient.OpenAITools(tools.Collection)}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(request)

	// What comes back: {"name": "oslo__forecast", "arguments": "{\"city\":\"Oslo\"}"}
	result, err := group.CallTool(context.Background(), "oslo__forecast", json.RawMessage(`{"city":"Oslo"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text())
	// Output:
	// {
	//   "model": "any",
	//   "tools": [
	//     {
	//       "type": "function",
	//       "function": {
	//         "name": "oslo__forecast",
	//         "description": "Tomorrow's weather",
	//         "parameters": {
	//           "type": "object",
	//           "properties": {
	//             "city": {
	//               "type": "string"
	//             }
	//           }
	//         }
	//       }
	//     }
	//   ]
	// }
	// forecast of {"city":"Oslo"}: sunny
}
