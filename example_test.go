package mcpclient_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// A backend loads its configuration, reports what is wrong with it, and calls a
// tool.
func Example() {
	cfg, err := config.Load("mcp.yaml")
	if err != nil {
		log.Fatal(err)
	}
	client, err := mcpclient.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	for _, problem := range client.Problems() {
		log.Print(problem)
	}
	github, err := client.Connect("github")
	if err != nil {
		log.Fatal(err)
	}
	result, err := github.CallTool(context.Background(), "create_issue", map[string]string{"title": "It breaks"},
		mcpclient.OnProgress(func(p mcp.Progress) { fmt.Fprintln(os.Stderr, p.Message) }))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text())
}

// In a test a fake takes the place of the server, in five lines.
func ExampleNewConnection() {
	fake := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.NewResult([]byte(`{"content":[{"type":"text","text":"sunny"}]}`)), nil
	})
	weather := mcpclient.NewConnection("weather", fake)
	result, err := weather.CallTool(context.Background(), "forecast", nil)

	fmt.Println(result.Text(), err)
	// Output: sunny <nil>
}

// WithTransporter does the same to a client, so that what is under test still
// asks for its connection by name.
func ExampleWithTransporter() {
	fake := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.NewResult([]byte(`{"tools":[{"name":"forecast"}]}`)), nil
	})
	client, err := mcpclient.New(nil, mcpclient.WithTransporter("weather", fake))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	weather, err := client.Connect("weather")
	if err != nil {
		log.Fatal(err)
	}
	tools, err := weather.Tools(context.Background())
	fmt.Println(tools.Keys(), err)
	// Output: [forecast] <nil>
}

// Structured content is decoded into a type of one's own.
func ExampleDecode() {
	fake := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.NewResult([]byte(`{"content":[],"structuredContent":{"celsius":21}}`)), nil
	})
	result, err := mcpclient.NewConnection("weather", fake).CallTool(context.Background(), "temperature", nil)
	if err != nil {
		log.Fatal(err)
	}
	temperature, err := mcpclient.Decode[struct{ Celsius float64 }](result)
	fmt.Println(temperature.Celsius, err)
	// Output: 21 <nil>
}

// Collections are filtered without asking the server again.
func ExampleCollection() {
	tools := mcpclient.NewCollection([]mcp.Tool{{Name: "read"}, {Name: "write"}, {Name: "delete"}}, mcp.Tool.Key)
	for tool := range tools.Except("delete").Values() {
		fmt.Println(tool.Name)
	}
	titles := mcpclient.Map(tools.Only("delete"), mcp.Tool.DisplayName)
	fmt.Println(titles.Keys())
	// Output:
	// read
	// write
	// [delete]
}

// Calls for one user never share a session with those for another.
func ExampleWithToken() {
	fake := transporters.TransporterFunc(func(ctx context.Context, _ string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
		fmt.Println(transporters.CallOptionsOf(ctx).Token)
		return mcp.NewResult([]byte(`{}`)), nil
	})
	drive := mcpclient.NewConnection("drive", fake)
	ctx := mcpclient.WithToken(context.Background(), "the-users-token")
	_, _ = drive.CallTool(ctx, "list_files", nil)
	// Output: the-users-token
}
