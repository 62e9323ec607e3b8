package interop

import (
	"context"
	"regexp"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Cells returns the whole matrix, in the order of the report.
func Cells() []Cell {
	var cells []Cell
	for _, group := range [][]Cell{everythingCells(), referenceCells(), exampleCells(), otherCells(), peer2026Cells(), proxyCells(), goSDKCells(), mcpGoCells()} {
		cells = append(cells, group...)
	}
	return cells
}

// otherCells are servers on other frameworks, and a large one from a vendor.
func otherCells() []Cell {
	fast := func(more ...Feature) []Feature {
		return append([]Feature{
			lists(atLeast{tools: 3, resources: 1, prompts: 1}, "add"), calls("tool", "add", arguments{"a": 2, "b": 3}, "5"),
			isError("fail", nil, "always fails"), progresses("count", arguments{"to": 4}, 4), reads("test://info", "contents of"),
			prompts("greet", map[string]string{"name": "Ada"}, "Ada"), logs("count", arguments{"to": 3}, 3), pings(),
		}, more...)
	}
	// There is no browser: a call has to be a result that says so.
	browser := []Feature{lists(atLeast{tools: 20}, "browser_navigate"), isError("browser_click", nil, "rror"), pings()}
	return []Cell{
		{"fastmcp", "stdio", mcp.Version20251125, nodeStdio(fastMCPScript), nil, fast()},
		{"fastmcp", "http", mcp.Version20251125, nodeHTTP("http", "/mcp", fastMCPScript, "http"), nil, fast()},
		{"playwright", "stdio", mcp.Version20251125, nodeStdio(playwrightScript, "--headless", "--isolated"), nil, browser},
		{"playwright", "http", mcp.Version20251125, nodeHTTP("http", "/mcp", playwrightScript, "--headless", "--isolated", "--port", "3130"), nil, browser},
		{"playwright", "sse", mcp.Version20251125, nodeHTTP("sse", "/sse", playwrightScript, "--headless", "--isolated", "--port", "3130"), nil, browser},
	}
}

// peer2026Cells are the server on the TypeScript SDK, version 2, in both eras.
func peer2026Cells() []Cell {
	basics := func(era string) []Feature {
		return []Feature{
			lists(atLeast{tools: 10, resources: 2, templates: 1, prompts: 1}, "add", "ask"),
			calls("era", "era", nil, era),
			structured("add", arguments{"a": 2, "b": 3}, "sum", 5),
			isError("boom", nil, "boom"),
			unknownTool(),
			reads("counter://value", ""),
			readsBlob("blob://bytes", []byte{0, 1, 2, 255}),
			readsAs("template", "greeting://ann", "hi ann"),
			missing("counter://none"),
			prompts("hello", map[string]string{"who": "Ada"}, "hello Ada"),
			completes(mcp.ResourceTemplateReference("greeting://{name}"), "name", "a", "ann"),
			pings(),
		}
	}
	streams := []Feature{
		progresses("countdown", arguments{"n": 4, "delayMs": 20}, 4),
		logs("countdown", arguments{"n": 3, "delayMs": 20}, 3),
		cancels("countdown", arguments{"n": 400, "delayMs": 20}, "countdown aborted after"),
	}
	rounds := []Feature{
		elicits("input-required", "ask", nil, 1, "hello "+userName),
		elicits("input-all", "ask_all", nil, 2, rootURI),
		elicits("input-state", "two_step", arguments{"env": "test"}, 2, "deployed test by "+userName+"/"+userName),
		endless("forever"),
	}
	mirror := []Feature{mirrors("routed", "region", "us-west1", "Region")}
	listens := []Feature{updates("counter://value", "flip", nil), toolsChanged("flip")}
	modern := func(more ...[]Feature) []Feature { return join(basics("modern"), more...) }
	// It announces subscriptions to the legacy era as well, but does not serve them.
	legacy := join(basics("legacy"), streams, []Feature{toolsChanged("flip")})
	start := func(options ...string) starter {
		return nodeHTTP("http", "/mcp", peer2026Script, append([]string{"--http", "3210"}, options...)...)
	}
	cells := []Cell{
		{"peer2026", "stdio", mcp.Version20260728, nodeStdio(peer2026Script), nil, modern(streams, rounds, listens)},
		{"peer2026", "http", mcp.Version20260728, start(), nil, modern(mirror, streams, rounds, listens)},
		{"peer2026", "http-json", mcp.Version20260728, start("--json"), nil, modern(mirror, rounds)},
		{"peer2026", "http-modern-only", mcp.Version20260728, start("--modern-only"), nil, modern(mirror, streams, rounds, listens)},
		{"peer2026", "stdio", mcp.Version20251125, nodeStdio(peer2026Script), map[string]any{"protocol": "legacy"}, legacy},
		{"peer2026", "http", mcp.Version20251125, start(), map[string]any{"protocol": "legacy"}, join(basics("legacy"), streams)},
	}
	for _, version := range []mcp.Version{mcp.Version20250618, mcp.Version20250326, mcp.Version20241105} {
		cells = append(cells, Cell{"peer2026", "stdio", version, nodeStdio(peer2026Script), pin(version), basics("legacy")})
	}
	return cells
}

// proxyCells are the two proxies that put a stdio server on HTTP.
func proxyCells() []Cell {
	everything := []Feature{
		lists(atLeast{tools: 10, resources: 5, prompts: 4}, "echo"),
		calls("tool", "get-sum", arguments{"a": 2, "b": 3}, "5"),
		has("resource-link", "get-resource-links", arguments{"count": 3}, mcp.ContentResourceLink),
		structured("get-structured-content", arguments{"location": "Chicago"}, "temperature", 36),
		prompts("args-prompt", map[string]string{"city": "Paris"}, "Paris"),
		parallel("echo", "message"),
		progresses("trigger-long-running-operation", arguments{"duration": 0.4, "steps": 4}, 1),
		pings(),
	}
	peer := []Feature{
		lists(atLeast{tools: 10, resources: 2, prompts: 1}, "add"),
		calls("era", "era", nil, "modern"),
		structured("add", arguments{"a": 2, "b": 3}, "sum", 5),
		progresses("countdown", arguments{"n": 4, "delayMs": 20}, 1),
		elicits("input-state", "two_step", arguments{"env": "test"}, 2, "deployed test by "+userName+"/"+userName),
		pings(),
	}
	legacy := map[string]any{"protocol": "legacy"}
	proxy := func(kind, path string) starter {
		return nodeHTTP(kind, path, mcpProxyScript, "--port", "3151", "--", "node", "{peers}/"+everythingScript)
	}
	gateway := func(script string, options ...string) starter {
		return nodeHTTP("http", "/mcp", gatewayScript, append([]string{"--stdio", "node {peers}/" + script, "--outputTransport", "streamableHttp", "--port", "3141"}, options...)...)
	}
	return []Cell{
		{"mcp-proxy", "http", mcp.Version20260728, proxy("http", "/mcp"), nil, everything},
		{"mcp-proxy", "http", mcp.Version20251125, proxy("http", "/mcp"), legacy, everything},
		{"mcp-proxy", "sse", mcp.Version20251125, proxy("sse", "/sse"), nil, everything},
		{"gateway-everything", "http-stateful", mcp.Version20251125, gateway(everythingScript, "--stateful"), nil, everything},
		{"gateway-everything", "http", mcp.Version20251125, gateway(everythingScript), nil, everything},
		{"gateway-peer2026", "http", mcp.Version20260728, gateway(peer2026Script), nil, peer},
	}
}

// goSDKCells are servers on the official Go SDK: ours, and its own for the
// conformance suite.
func goSDKCells() []Cell {
	small := []Feature{
		lists(atLeast{tools: 3, resources: 1, templates: 1, prompts: 1}, "add"), structured("add", arguments{"a": 2, "b": 3}, "sum", 5),
		isError("fail", nil, "always fails"), reads("test://info", "contents of"), missing("other://info"),
		prompts("greet", map[string]string{"name": "Ada"}, "hello to Ada"), pings(),
	}
	reporting := join(small, []Feature{progresses("count", arguments{"to": 5}, 5)})
	large := []Feature{
		lists(atLeast{tools: 20, resources: 3, templates: 1, prompts: 4}, "test_simple_text"),
		calls("tool", "test_simple_text", nil, "simple text"),
		has("image", "test_multiple_content_types", nil, mcp.ContentText, mcp.ContentImage, mcp.ContentResource),
		has("audio", "test_audio_content", nil, mcp.ContentAudio),
		isError("test_error_handling", nil, "intentionally"),
		readsBlob("test://static-binary", nil),
		readsAs("template", "test://template/7/data", "Data for ID: 7"),
		progresses("test_tool_with_progress", nil, 3),
		prompts("test_prompt_with_arguments", map[string]string{"arg1": "one", "arg2": "two"}, "arg2='two'"),
		toolsChanged("test_trigger_tool_change"),
		updates("test://watched-resource", "", nil),
		pings(),
	}
	modern := join(large, []Feature{
		logs("test_tool_with_logging", nil, 3),
		elicits("input-required", "test_input_required_result_elicitation", nil, 1, "Hello, "+userName),
		samples("input-sampling", "test_input_required_result_sampling", nil),
		listsRoots("input-roots", "test_input_required_result_list_roots"),
		elicits("input-state", "test_input_required_result_multi_round", nil, 2, userName),
	})
	legacy := join(large, []Feature{
		request("set-level", mcp.MethodSetLevel, map[string]any{"level": "debug"}),
		logs("test_tool_with_logging", nil, 3),
		elicits("elicitation", "test_elicitation", arguments{"message": "who?"}, 1, userName),
		samples("sampling", "test_sampling", arguments{"prompt": "hello"}),
	})
	sdk := func(options ...string) starter {
		return func(ctx context.Context, w *Workshop) (*Server, error) {
			command := append([]string{w.Program("gosdkserver"), "-http", "127.0.0.1:0"}, options...)
			return w.http(ctx, "http", command, nil, goPort(), "", "/")
		}
	}
	everything := func(stateless string) starter {
		return func(ctx context.Context, w *Workshop) (*Server, error) {
			port, err := freePort()
			if err != nil {
				return nil, err
			}
			command := []string{w.Program("everything-server"), "-http", "127.0.0.1:" + port, "-stateless=" + stateless}
			return w.http(ctx, "http", command, nil, nil, port, "/")
		}
	}
	protocolLegacy := map[string]any{"protocol": "legacy"}
	cells := []Cell{
		{"gosdk", "stdio", mcp.Version20260728, program("gosdkserver"), nil, reporting},
		{"gosdk", "stdio", mcp.Version20251125, program("gosdkserver"), protocolLegacy, reporting},
		{"gosdk", "http", mcp.Version20260728, sdk(), nil, reporting},
		{"gosdk", "http-json", mcp.Version20260728, sdk("-json"), nil, small},
		{"gosdk", "http", mcp.Version20251125, sdk(), protocolLegacy, reporting},
		{"gosdk", "http-stateful", mcp.Version20251125, sdk("-stateful"), nil, reporting},
		{"gosdk", "http-stateful-json", mcp.Version20251125, sdk("-stateful", "-json"), nil, small},
		{"gosdk-everything", "stdio", mcp.Version20260728, program("everything-server"), nil, modern},
		{"gosdk-everything", "http", mcp.Version20260728, everything("true"), nil, join(modern, []Feature{mirrors("test_x_mcp_header", "region", "us-west1", "Region")})},
		{"gosdk-everything", "stdio", mcp.Version20251125, program("everything-server"), protocolLegacy, legacy},
		{"gosdk-everything", "http-stateful", mcp.Version20251125, everything("false"), nil, join(legacy, []Feature{streamLost("test_reconnection")})},
	}
	for _, version := range []mcp.Version{mcp.Version20250618, mcp.Version20250326, mcp.Version20241105} {
		cells = append(cells,
			Cell{"gosdk", "stdio", version, program("gosdkserver"), pin(version), reporting},
			Cell{"gosdk", "http-stateful", version, sdk("-stateful"), pin(version), reporting})
	}
	return cells
}

// mcpGoCells are servers on mcp-go: its own example, and ours over HTTP.
func mcpGoCells() []Cell {
	example := []Feature{
		lists(atLeast{tools: 6, resources: 101, templates: 1, prompts: 2}, "add"),
		calls("tool", "add", arguments{"a": 2, "b": 3}, "is 5"),
		has("image", "getTinyImage", nil, mcp.ContentImage),
		has("resource-link", "get_resource_link", nil, mcp.ContentResourceLink),
		reads("test://static/resource", "sample resource"),
		readsBlob("test://static/resource/2", []byte("Binary content for resource 2")),
		prompts("complex_prompt", map[string]string{"temperature": "1", "style": "formal"}, "temperature=1"),
		completes(mcp.PromptReference("complex_prompt"), "style", "for", "formal"),
		progresses("longRunningOperation", arguments{"duration": 0.4, "steps": 4}, 3),
		parallel("echo", "message"), pings(),
	}
	small := []Feature{
		lists(atLeast{tools: 3, resources: 1, prompts: 1}, "add"), structured("add", arguments{"a": 2, "b": 3}, "sum", 5),
		isError("fail", nil, "always fails"), progresses("count", arguments{"to": 5}, 1), reads("test://info", "contents of"),
		prompts("greet", map[string]string{"name": "Ada"}, "hello to Ada"), pings(),
	}
	overHTTP := func(ctx context.Context, w *Workshop) (*Server, error) {
		return w.http(ctx, "http", []string{w.Program("mcpgoserver")}, nil, goPort(), "", "/mcp")
	}
	legacy := map[string]any{"protocol": "legacy"}
	return []Cell{
		{"mcp-go-everything", "stdio", mcp.Version20260728, program("everything"), nil, example},
		{"mcp-go-everything", "stdio", mcp.Version20251125, program("everything"), legacy, example},
		{"mcp-go", "http", mcp.Version20260728, overHTTP, nil, small},
		{"mcp-go", "http", mcp.Version20251125, overHTTP, legacy, small},
	}
}

// program has the client start one of the built programs.
func program(name string) starter {
	return func(_ context.Context, w *Workshop) (*Server, error) {
		return w.stdio([]string{w.Program(name)}, nil), nil
	}
}

// goPort is the line in which our Go servers tell their port.
func goPort() *regexp.Regexp { return regexp.MustCompile(`^listening on 127\.0\.0\.1:(\d+)`) }

// join returns all features in a new slice.
func join(first []Feature, more ...[]Feature) []Feature {
	all := append([]Feature(nil), first...)
	for _, features := range more {
		all = append(all, features...)
	}
	return all
}
