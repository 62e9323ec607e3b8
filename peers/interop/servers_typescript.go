package interop

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// The scripts of the servers from npm, below the folder peers.
const (
	everythingScript = "servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
	filesystemScript = "servers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
	memoryScript     = "servers/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
	thinkingScript   = "matrix/node_modules/@modelcontextprotocol/server-sequential-thinking/dist/index.js"
	examplesFolder   = "matrix/node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/"
	playwrightScript = "matrix/node_modules/@playwright/mcp/cli.js"
	fastMCPScript    = "matrix/fastmcp.mjs"
	peer2026Script   = "servers2026/peer2026.mjs"
	mcpProxyScript   = "matrix/node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs"
	gatewayScript    = "matrix/node_modules/supergateway/dist/index.js"
)

// nodePort is the line in which loopback.cjs tells the port.
func nodePort() *regexp.Regexp { return regexp.MustCompile(`\[loopback\] listening on (\d+)`) }

// starter starts a server for a cell.
type starter func(ctx context.Context, w *Workshop) (*Server, error)

// nodeStdio has the client start a script.
func nodeStdio(script string, arguments ...string) starter {
	return func(_ context.Context, w *Workshop) (*Server, error) {
		return w.stdio(w.Node(script, arguments...), nil), nil
	}
}

// nodeHTTP starts a script that serves HTTP. {peers} in its arguments is the
// folder peers.
func nodeHTTP(kind, path, script string, arguments ...string) starter {
	return func(ctx context.Context, w *Workshop) (*Server, error) {
		command := w.Node(script, arguments...)
		for i := range command {
			command[i] = strings.ReplaceAll(command[i], "{peers}", w.Peers)
		}
		return w.http(ctx, kind, command, []string{"PEERS_PORT=0"}, nodePort(), "", path)
	}
}

// pin is the setting for a revision.
func pin(version mcp.Version) map[string]any { return map[string]any{"protocol": string(version)} }

// everythingCells are the reference server over all it has.
func everythingCells() []Cell {
	basics := []Feature{
		lists(atLeast{tools: 10, resources: 5, templates: 2, prompts: 4}, "echo", "get-sum"),
		calls("tool", "get-sum", arguments{"a": 2, "b": 3}, "5"),
		isError("get-sum", arguments{"a": "two"}, "a"),
		unknownTool(),
		has("image", "get-tiny-image", nil, mcp.ContentText, mcp.ContentImage),
		has("embedded-resource", "get-resource-reference", arguments{"resourceType": "Text", "resourceId": 1}, mcp.ContentResource),
		reads("demo://resource/dynamic/text/2", "Resource 2"),
		readsBlob("demo://resource/dynamic/blob/1", nil),
		missing("demo://resource/none"),
		prompts("args-prompt", map[string]string{"city": "Paris"}, "Paris"),
		completes(mcp.PromptReference("completable-prompt"), "department", "Eng", "Engineering"),
		progresses("trigger-long-running-operation", arguments{"duration": 0.4, "steps": 4}, 3),
		cancels("trigger-long-running-operation", arguments{"duration": 20, "steps": 200}, ""),
		deadline("trigger-long-running-operation", arguments{"duration": 20, "steps": 2}),
		parallel("echo", "message"),
		request("set-level", mcp.MethodSetLevel, map[string]any{"level": "debug"}),
		pings(),
	}
	newest := append(basics[:len(basics):len(basics)],
		structured("get-structured-content", arguments{"location": "Chicago"}, "temperature", 36),
		has("resource-link", "get-resource-links", arguments{"count": 3}, mcp.ContentResourceLink),
		logs("toggle-simulated-logging", nil, 1),
		samples("sampling", "trigger-sampling-request", arguments{"prompt": "hello"}),
		elicits("elicitation", "trigger-elicitation-request", nil, 1, userName),
		elicits("url-elicitation", "trigger-url-elicitation", arguments{"url": "https://example.com/confirm"}, 1, "accept"),
		listsRoots("roots", "get-roots-list"),
		updates("demo://resource/dynamic/text/1", "toggle-subscriber-updates", nil),
		task("simulate-research-query", arguments{"topic": "protocols"}, "protocols"),
	)
	cells := []Cell{
		{"everything", "stdio", mcp.Version20251125, nodeStdio(everythingScript), nil, newest},
		{"everything", "http", mcp.Version20251125, nodeHTTP("http", "/mcp", everythingScript, "streamableHttp"), nil, newest},
		{"everything", "sse", mcp.Version20251125, nodeHTTP("sse", "/sse", everythingScript, "sse"), nil, newest},
	}
	for _, version := range []mcp.Version{mcp.Version20250618, mcp.Version20250326, mcp.Version20241105} {
		cells = append(cells,
			Cell{"everything", "stdio", version, nodeStdio(everythingScript), pin(version), basics},
			Cell{"everything", "http", version, nodeHTTP("http", "/mcp", everythingScript, "streamableHttp"), pin(version), basics})
	}
	return cells
}

// referenceCells are the other servers of the reference collection.
func referenceCells() []Cell {
	filesystem := func(_ context.Context, w *Workshop) (*Server, error) {
		folder, err := w.directory("files")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(folder, "hello.txt"), []byte("hello from a file"), 0o600); err != nil {
			return nil, err
		}
		return w.stdio(append(w.Node(filesystemScript), folder), nil), nil
	}
	memory := func(_ context.Context, w *Workshop) (*Server, error) {
		return w.stdio(w.Node(memoryScript), map[string]string{"MEMORY_FILE_PATH": w.File("memory.json")}), nil
	}
	thought := arguments{"thought": "one step", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}
	entities := arguments{"entities": []any{map[string]any{"name": "Ada", "entityType": "person", "observations": []string{"writes programs"}}}}
	return []Cell{
		{"filesystem", "stdio", mcp.Version20251125, filesystem, nil, []Feature{
			lists(atLeast{tools: 14}, "read_text_file", "list_directory"),
			calls("tool", "list_allowed_directories", nil, "files"),
			readsFile(),
			isError("read_text_file", arguments{"path": "/"}, "denied"),
			pings(),
		}},
		{"memory", "stdio", mcp.Version20251125, memory, nil, []Feature{
			lists(atLeast{tools: 9}, "create_entities", "read_graph"),
			calls("tool", "create_entities", entities, "Ada"),
			calls("tool-again", "read_graph", nil, "writes programs"),
			pings(),
		}},
		{"sequential-thinking", "stdio", mcp.Version20251125, nodeStdio(thinkingScript), nil, []Feature{
			lists(atLeast{tools: 1}, "sequentialthinking"),
			structured("sequentialthinking", thought, "totalThoughts", 1),
			pings(),
		}},
	}
}

// readsFile reads the one file that the filesystem server was given.
func readsFile() Feature {
	return Feature{"tool-path", func(ctx context.Context, v *Visit) error {
		command := v.Server.Section["command"].([]string)
		path := filepath.Join(command[len(command)-1], "hello.txt")
		result, err := v.CallTool(ctx, "read_text_file", arguments{"path": path})
		if err != nil {
			return err
		}
		return says(result, "hello from a file")
	}}
}

// exampleCells are the example servers of the TypeScript SDK, version 1.
func exampleCells() []Cell {
	example := func(name string) starter { return nodeHTTP("http", "/mcp", examplesFolder+name+".js") }
	stream := calls("tool", "start-notification-stream", arguments{"interval": 10, "count": 3}, "periodic")
	return []Cell{
		{"sdk-json", "http", mcp.Version20251125, example("jsonResponseStreamableHttp"), nil, []Feature{
			lists(atLeast{tools: 2}, "greet"), calls("tool", "greet", arguments{"name": "Ada"}, "Hello, Ada"), parallel("greet", "name"), unknownTool(), pings(),
		}},
		{"sdk-stateless", "http", mcp.Version20251125, example("simpleStatelessStreamableHttp"), nil, []Feature{
			lists(atLeast{tools: 1, resources: 1, prompts: 1}), stream, reads("https://example.com/greetings/default", "Hello"),
			prompts("greeting-template", map[string]string{"name": "Ada"}, "Ada"), pings(),
		}},
		{"sdk-stateful", "http", mcp.Version20251125, example("simpleStreamableHttp"), nil, []Feature{
			lists(atLeast{tools: 4, resources: 3, prompts: 1}), calls("tool", "greet", arguments{"name": "Ada"}, "Hello, Ada"),
			has("resource-link", "list-files", nil, mcp.ContentResourceLink), parallel("greet", "name"),
			elicits("elicitation", "collect-user-info", arguments{"infoType": "feedback"}, 1, "Thank you"),
			task("delay", arguments{"duration": 100}, "100"), pings(),
		}},
		{"sdk-oauth", "http-direct", NoRevision, startOAuth, map[string]any{"auth": map[string]any{}}, []Feature{challenge(), authorized("greet"), principals("greet"), logsOut("greet")}},
		{"sdk-polling", "http", mcp.Version20251125, example("ssePollingExample"), nil, []Feature{
			lists(atLeast{tools: 1}, "long-task"), calls("resume", "long-task", nil, "completed successfully"), pings(),
		}},
		{"sdk-standalone-get", "http", mcp.Version20251125, example("standaloneSseWithGetStreamableHttp"), nil, []Feature{
			listsResources(1), resourcesChanged(), pings(),
		}},
		{"sdk-compatible", "http", mcp.Version20251125, example("sseAndStreamableHttpCompatibleServer"), nil, []Feature{lists(atLeast{tools: 1}), stream, pings()}},
		{"sdk-compatible", "sse", mcp.Version20251125, nodeHTTP("sse", "/sse", examplesFolder+"sseAndStreamableHttpCompatibleServer.js"), nil, []Feature{lists(atLeast{tools: 1}), stream, pings()}},
		{"sdk-sse", "sse", mcp.Version20251125, nodeHTTP("sse", "/mcp", examplesFolder+"simpleSseServer.js"), nil, []Feature{
			lists(atLeast{tools: 1}), calls("tool", "start-notification-stream", arguments{"interval": 10, "count": 3}, "Completed"), pings(),
		}},
		{"sdk-elicitation", "http", mcp.Version20251125, example("elicitationFormExample"), nil, []Feature{
			lists(atLeast{tools: 3}, "register_user"), standingStream(), elicits("elicitation", "register_user", nil, 1, "Registration successful"), pings(),
		}},
		{"sdk-task", "http", mcp.Version20251125, example("simpleTaskInteractive"), nil, []Feature{
			lists(atLeast{tools: 2}, "confirm_delete"), task("confirm_delete", arguments{"filename": "notes.txt"}, "notes.txt"), pings(),
		}},
	}
}

// startOAuth starts the example that is an authorization server as well. Its
// URLs are part of what it says, so its ports are fixed before, and no proxy
// stands in front of it.
func startOAuth(ctx context.Context, w *Workshop) (*Server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	authorization, err := freePort()
	if err != nil {
		return nil, err
	}
	server, err := w.http(ctx, "http", w.Node(examplesFolder+"simpleStreamableHttp.js", "--oauth", "--oauth-strict"),
		[]string{"MCP_PORT=" + port, "MCP_AUTH_PORT=" + authorization}, nil, port, "/mcp")
	if err != nil {
		return nil, err
	}
	server.Section["base_url"] = "http://localhost:" + port + "/mcp"
	return server, nil
}
