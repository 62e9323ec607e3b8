// Command mcpgoserver is a small MCP server on mcp-go over streamable HTTP, on
// a loopback port that the system chooses. (Its own example program listens on
// a fixed port of every interface; over stdio the example itself is used.)
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on %s\n", listener.Addr())
	log.Fatal(http.Serve(listener, server.NewStreamableHTTPServer(newServer())))
}

func newServer() *server.MCPServer {
	s := server.NewMCPServer("mcpgoserver", "1.0.0",
		server.WithToolCapabilities(true), server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true), server.WithLogging())
	s.AddTool(mcp.NewTool("add", mcp.WithNumber("a", mcp.Required()), mcp.WithNumber("b", mcp.Required())), add)
	s.AddTool(mcp.NewTool("count", mcp.WithNumber("to", mcp.Required())), count)
	s.AddTool(mcp.NewTool("fail"), fail)
	s.AddResource(mcp.NewResource("test://info", "info", mcp.WithMIMEType("text/plain")), readInfo)
	s.AddPrompt(mcp.NewPrompt("greet", mcp.WithArgument("name")), greet)
	return s
}

func add(_ context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	sum := request.GetFloat("a", 0) + request.GetFloat("b", 0)
	return mcp.NewToolResultStructured(map[string]any{"sum": sum}, fmt.Sprint(sum)), nil
}

func count(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	to := request.GetInt("to", 0)
	for i := 1; i <= to; i++ {
		if request.Params.Meta == nil || request.Params.Meta.ProgressToken == nil {
			break
		}
		err := server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": request.Params.Meta.ProgressToken, "progress": i, "total": to,
		})
		if err != nil {
			log.Printf("reporting progress: %v", err)
		}
	}
	return mcp.NewToolResultText(fmt.Sprint(to)), nil
}

func fail(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultError("this tool always fails"), nil
}

func readInfo(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, MIMEType: "text/plain", Text: "contents of " + request.Params.URI}}, nil
}

func greet(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := mcp.NewTextContent("Say hello to " + request.Params.Arguments["name"])
	return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, text)}), nil
}
