// Command gosdkserver is a small MCP server on the official Go SDK. Over stdio
// and over stateless HTTP it speaks every revision, with -stateful only the
// legacy ones, with sessions.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	address := flag.String("http", "", "serve streamable HTTP on this loopback address instead of stdio")
	stateful := flag.Bool("stateful", false, "keep sessions, speaking legacy revisions only")
	jsonAnswers := flag.Bool("json", false, "answer with JSON instead of event streams")
	flag.Parse()

	server := newServer()
	if *address == "" {
		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Printf("serving stdio: %v", err)
		}
		return
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	// The tests read this line to learn the port.
	fmt.Printf("listening on %s\n", listener.Addr())
	handler := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: !*stateful, JSONResponse: *jsonAnswers})
	log.Fatal(http.Serve(listener, handler))
}

type addArguments struct {
	A int `json:"a"`
	B int `json:"b"`
}

type addResult struct {
	Sum int `json:"sum"`
}

type countArguments struct {
	To int `json:"to"`
}

func newServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "gosdkserver", Version: "1.0.0"}, &mcp.ServerOptions{Instructions: "for tests"})
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "adds two numbers"}, add)
	mcp.AddTool(server, &mcp.Tool{Name: "count", Description: "reports progress up to a number"}, count)
	mcp.AddTool(server, &mcp.Tool{Name: "fail", Description: "always fails"}, fail)
	server.AddResource(&mcp.Resource{Name: "info", MIMEType: "text/plain", URI: "test://info"}, readInfo)
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "item", URITemplate: "test://item/{id}"}, readInfo)
	server.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "name"}}}, greet)
	return server
}

func add(_ context.Context, _ *mcp.CallToolRequest, in addArguments) (*mcp.CallToolResult, addResult, error) {
	return nil, addResult{in.A + in.B}, nil
}

func count(ctx context.Context, request *mcp.CallToolRequest, in countArguments) (*mcp.CallToolResult, any, error) {
	for i := 1; i <= in.To; i++ {
		if token := request.Params.GetProgressToken(); token != nil {
			err := request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(i), Total: float64(in.To),
			})
			if err != nil { // with -json there is no stream to report on
				log.Printf("reporting progress: %v", err)
			}
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(in.To)}}}, nil, nil
}

func fail(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
	return nil, nil, fmt.Errorf("this tool always fails")
}

func readInfo(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: request.Params.URI, MIMEType: "text/plain", Text: "contents of " + request.Params.URI},
	}}, nil
}

func greet(_ context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: "Say hello to " + request.Params.Arguments["name"]}},
	}}, nil
}
