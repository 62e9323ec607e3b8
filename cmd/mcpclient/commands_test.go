package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func TestCommandsOnTheDemoServer(t *testing.T) {
	for name, test := range map[string]struct {
		arguments []string
		code      int
		stdout    string // exactly, if it ends with a line end; else a part
		stderr    string // a part
	}{
		"servers": {[]string{"servers"}, 0, "demo\tstdio\tok\n", ""},
		"tools":   {[]string{"tools", "demo"}, 0, "echo\ttext\tReturns the text it was given.\nadd\ta b\t", ""},
		"resources": {[]string{"resources", "demo"}, 0, "demo://greeting\tresource\tGreeting\ttext/plain\t\n" +
			"demo://data.json\tresource\tData\tapplication/json\t\n" +
			"demo://items/{id}\ttemplate\tItem\ttext/plain\t\n", ""},
		"prompts":                        {[]string{"prompts", "demo"}, 0, "greet\tname\tAsks for a greeting.\n", ""},
		"call":                           {[]string{"call", "demo", "echo", "text=hello"}, 0, "hello\n", ""},
		"a value may have an =":          {[]string{"call", "demo", "echo", "text=a=b"}, 0, "a=b\n", ""},
		"numbers by the schema":          {[]string{"call", "demo", "add", "a=2", "b=3.5"}, 0, "{\"sum\":5.5}\n", ""},
		"strings stay strings":           {[]string{"call", "demo", "echo", "text=42"}, 0, "42\n", ""},
		"raw JSON":                       {[]string{"call", "demo", "add", "a:=2", "b:=-3"}, 0, "{\"sum\":-1}\n", ""},
		"--args":                         {[]string{"call", "demo", "add", "--args", `{"a":2,"b":3}`}, 0, "{\"sum\":5}\n", ""},
		"--args with something on top":   {[]string{"call", "demo", "add", "--args", `{"a":2,"b":3}`, "b=10"}, 0, "{\"sum\":12}\n", ""},
		"a wrong type for the schema":    {[]string{"call", "demo", "add", "a=two", "b=3"}, 2, "", "nothing was sent: the arguments do not fit the tool \"add\" of server \"demo\":\n  a: must be a number; found \"two\"\n"},
		"a tool that fails":              {[]string{"call", "demo", "fail", "message=no luck"}, 1, "no luck\n", "the tool reported an error"},
		"a tool that is not there":       {[]string{"call", "demo", "nope", "x=1"}, 3, "", "Unknown tool: nope"},
		"progress":                       {[]string{"call", "demo", "slow", "ms=20", "steps=2", "--verbose"}, 0, "took 20 ms in 2 steps\n", "slow: 2 of 2: step 2 of 2"},
		"no progress unless asked for":   {[]string{"call", "demo", "slow", "ms=20", "steps=2"}, 0, "took 20 ms in 2 steps\n", ""},
		"read":                           {[]string{"read", "demo", "demo://items/7"}, 0, "Item 7", ""},
		"read what is not there":         {[]string{"read", "demo", "demo://nope"}, 3, "", "resources/read: server answered with error"},
		"prompt":                         {[]string{"prompt", "demo", "greet", "name=Ada"}, 0, "user:\nPlease greet Ada in one sentence.\n", ""},
		"prompt with JSON":               {[]string{"prompt", "demo", "greet", "name:=1"}, 2, "", "but arguments of prompts are strings"},
		"test one":                       {[]string{"test", "demo"}, 0, "demo\tok\t2026-07-28\tdemo ", ""},
		"test all":                       {[]string{"test", "--all"}, 0, "demo\tok\t", ""},
		"test an unknown one":            {[]string{"test", "demo", "dmo"}, 2, "", "mcpclient: unknown server \"dmo\"; configured: demo; did you mean \"demo\"?\n"},
		"test several":                   {[]string{"test", "demo", "demo"}, 0, "demo\tok\t", ""},
		"one tool":                       {[]string{"tools", "demo", "slow"}, 0, "slow: Slow\nsays of itself: read-only\n\nTakes its time and reports progress.\n\nArguments:\n  ms (integer, default 1000): How long, in milliseconds\n  steps (integer, default 4): How many progress reports\n", ""},
		"a tool with a choice":           {[]string{"tools", "demo", "log"}, 0, "  level (one of \"debug\" \"info\" ", ""},
		"one tool as JSON":               {[]string{"tools", "demo", "add", "--json"}, 0, `"outputSchema": {`, ""},
		"one tool that is not there":     {[]string{"tools", "demo", "ecco"}, 2, "", `server "demo" lists no tool "ecco"; did you mean "echo"?`},
		"a misspelt tool":                {[]string{"call", "demo", "ecco", "text=x"}, 3, "", "Unknown tool: ecco; server \"demo\" lists no tool \"ecco\"; did you mean \"echo\"?\n"},
		"a tool like no other":           {[]string{"call", "demo", "frobnicate"}, 3, "", `server "demo" lists no tool "frobnicate"; see 'mcpclient tools demo'`},
		"a misspelt argument":            {[]string{"call", "demo", "echo", "txt=x"}, 2, "", "\n  txt: there is no such argument; did you mean \"text\"?\n  text: is missing (a string)\n"},
		"--version":                      {[]string{"--version"}, 0, "MCP 2026-07-28, 2025-11-25", ""},
		"a timeout in seconds":           {[]string{"--timeout", "0.05", "call", "demo", "slow", "ms=60000"}, 5, "", "not done within --timeout 50ms"},
		"a timeout that is none":         {[]string{"--timeout", "soon", "servers"}, 2, "", "invalid argument \"soon\" for \"--timeout\" flag: wanted: a duration such as 30s or 1m30s, or a number of seconds\n"},
		"a timeout beyond all bounds":    {[]string{"--timeout", "1e300", "servers"}, 2, "", "longer than this program can wait"},
		"help tells of several files":    {[]string{"servers", "--help"}, 0, "may be given several times", ""},
		"help names types":               {[]string{"tools", "--help"}, 0, "--timeout duration ", ""},
		"test nothing":                   {[]string{"test"}, 2, "", "test takes the names of servers, or --all"},
		"test one and all":               {[]string{"test", "demo", "--all"}, 2, "", "test takes the names of servers, or --all"},
		"version":                        {[]string{"version"}, 0, "MCP 2026-07-28, 2025-11-25", ""},
		"help":                           {[]string{"--help"}, 0, "Exit codes: 0 success", ""},
		"nothing":                        {nil, 0, "Available Commands:", ""},
		"an unknown command":             {[]string{"tolls"}, 2, "", `unknown command "tolls"; did you mean tools?`},
		"an unknown flag":                {[]string{"tools", "demo", "--jsn"}, 2, "", "unknown flag: --jsn"},
		"too few arguments":              {[]string{"tools"}, 2, "", "tools takes the name of a server, and of a tool to show, or --all; found 0"},
		"too many arguments":             {[]string{"version", "x"}, 2, "", "version takes no arguments; found 1"},
		"an argument without =":          {[]string{"call", "demo", "echo", "hello"}, 2, "", `argument "hello" is neither key=value nor key:=json`},
		"an argument without key":        {[]string{"call", "demo", "echo", "=x"}, 2, "", `argument "=x" has no key`},
		"an argument given twice":        {[]string{"call", "demo", "echo", "text=a", "text:=1"}, 2, "", `text: is given 2 times, and is no array`},
		"bad JSON":                       {[]string{"call", "demo", "echo", "text:=a"}, 2, "", "argument text:= wants JSON; found a"},
		"bad --args":                     {[]string{"call", "demo", "echo", "--args", "[1]"}, 2, "", "--args wants a JSON object; found an array\n"},
		"broken --args":                  {[]string{"call", "demo", "echo", "--args", "{"}, 2, "", "--args wants a JSON object, and this is not JSON: "},
		"a timeout":                      {[]string{"--timeout", "50ms", "call", "demo", "slow", "ms=60000"}, 5, "", "not done within --timeout 50ms"},
		"a negative timeout":             {[]string{"--timeout", "-1s", "tools", "demo"}, 2, "", `invalid argument "-1s" for "--timeout" flag: it must not be negative`},
		"an unknown server":              {[]string{"tools", "prod"}, 2, "", `unknown server "prod"; configured: demo`},
		"a file that is not there":       {[]string{"--config", "nowhere.yaml", "servers"}, 2, "", "nowhere.yaml"},
		"a JSON value for a JSON result": {[]string{"--json", "version"}, 0, `"protocols": [`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(t, test.arguments...)
			assert.Equal(t, test.code, got.code, got.stderr)
			if strings.HasSuffix(test.stdout, "\n") {
				assert.Equal(t, test.stdout, got.stdout)
			} else {
				assert.Contains(t, got.stdout, test.stdout)
			}
			if test.stderr == "" {
				assert.Empty(t, got.stderr)
			}
			assert.Contains(t, got.stderr, test.stderr)
			if strings.Contains(got.stderr, "--help'.") {
				assert.Equal(t, exitUsage, test.code, "a hint for wrong usage only")
			}
		})
	}
}

func TestArgumentsFromStdin(t *testing.T) {
	got := runWith(t, t.Context(), `{"a": 1, "b": 2}`, "call", "demo", "add", "--args", "-")
	assert.Equal(t, outcome{0, "{\"sum\":3}\n", ""}, got)
}

func TestJSONOutput(t *testing.T) {
	decode := func(got outcome) (value any) {
		t.Helper()
		require.Zero(t, got.code, got.stderr)
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &value), got.stdout)
		return value
	}
	assert.Equal(t, map[string]any{"servers": []any{map[string]any{"name": "demo", "type": "stdio"}}, "faults": []any{}},
		decode(run(t, "servers", "--json")))

	tools := decode(run(t, "tools", "demo", "--json")).([]any)
	require.Len(t, tools, 5)
	assert.Contains(t, tools[0], "inputSchema", "what the server sent is all there")

	resources := decode(run(t, "resources", "demo", "--json")).(map[string]any)
	assert.Len(t, resources["resources"], 2)
	assert.Len(t, resources["resourceTemplates"], 1)

	result := decode(run(t, "call", "demo", "add", "a=1", "b=2", "--json")).(map[string]any)
	assert.Equal(t, map[string]any{"sum": 3.0}, result["structuredContent"])

	read := decode(run(t, "read", "demo", "demo://greeting", "--json")).(map[string]any)
	assert.Len(t, read["contents"], 1)

	tests := decode(run(t, "test", "--all", "--json")).([]any)
	require.Len(t, tests, 1)
	assert.Equal(t, true, tests[0].(map[string]any)["ok"])
	assert.Equal(t, "modern", tests[0].(map[string]any)["era"])

	failed := run(t, "call", "demo", "fail", "--json")
	assert.Equal(t, exitFailure, failed.code, "an error of the tool is told by the exit code too")
	assert.Contains(t, failed.stdout, `"isError": true`)
}

func TestConfigurationFiles(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	assert.Contains(t, run(t, "servers").stdout, "demo", "nothing there: the built-in one")

	write("mcp.json", `{"servers": {"from-json": {"type": "stdio", "command": ["x"]}}}`)
	assert.Contains(t, run(t, "servers").stdout, "from-json")

	write("mcp.yaml", "bogus: 1\nservers:\n  good: {type: stdio, command: [x]}\n  bad: {type: stdio, comand: [x]}\n")
	got := run(t, "servers")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "mcpclient: the configuration has 3 faults\n")
	assert.Contains(t, got.stderr, "warning: mcp.yaml is used; mcp.json is there too, and not read")
	assert.Equal(t, "good\tstdio\tok\nbad\tstdio\t2 faults\n", got.stdout)
	assert.Contains(t, got.stderr, `did you mean "command"?`)
	assert.Contains(t, got.stderr, "unknown top-level key")
	var report serversReport
	require.NoError(t, json.Unmarshal([]byte(run(t, "servers", "--json").stdout), &report))
	require.Len(t, report.Faults, 1)
	assert.Contains(t, report.Faults[0], "bogus: unknown top-level key")
	require.Len(t, report.Servers, 2)
	assert.Empty(t, report.Servers[0].Faults)
	assert.Len(t, report.Servers[1].Faults, 2)
	assert.Contains(t, run(t, "servers", "--verbose").stderr, "mcpclient: the configuration is mcp.yaml\n")

	got = run(t, "tools", "demo")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, `unknown server "demo"; configured: good, bad; the built-in demo is there only where no configuration is: mcp.yaml is used`)

	got = run(t, "tools", "good")
	assert.Equal(t, exitUnreachable, got.code)
	assert.Contains(t, got.stderr, "warning: mcp.yaml:1:1: bogus: unknown top-level key")
	assert.NotContains(t, got.stderr, "comand", "another server's faults are not this one's")
	got = run(t, "tools", "bad")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "comand: unknown key")

	write("over.yaml", "servers: {good: {args: [y]}, more: {type: http, url: 'http://127.0.0.1:1/'}}\n")
	got = run(t, "servers", "--config", "mcp.yaml", "--config", "over.yaml")
	assert.Contains(t, got.stdout, "more\thttp\tok", "files are layers")

	got = run(t, "test", "--all", "--config", "mcp.yaml", "--config", "over.yaml", "--json")
	assert.Equal(t, exitFailure, got.code, "one that is configured wrongly is a failure")
	var tests []testLine
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &tests))
	require.Len(t, tests, 3)
	for i, name := range []string{"good", "bad", "more"} {
		assert.Equal(t, name, tests[i].Server)
		assert.False(t, tests[i].OK)
		assert.NotEmpty(t, tests[i].Error)
	}
	assert.Contains(t, got.stderr, "3 of 3 servers failed")
}

func TestFaultsAndExitCodes(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	demo := fmt.Sprintf("{type: stdio, command: [%q, demo-server]}", self)
	for name, test := range map[string]struct {
		configuration string
		arguments     []string
		code          int
		stdout        string
		stderr        string
	}{
		"all is well":                 {"servers: {a: " + demo + "}", []string{"test", "--all"}, 0, "a\tok\t", ""},
		"a fault outside any server":  {"bogus: 1\nservers: {a: " + demo + "}", []string{"test", "a"}, 1, "a\tok\t", "mcpclient: the configuration has faults outside its servers\n"},
		"a fault among the defaults":  {"defaults: {bogus: 1}\nservers: {a: " + demo + "}", []string{"test", "--all"}, 1, "a\tok\t", "defaults.bogus: unknown key"},
		"no servers to test":          {"servers: {}", []string{"test", "--all"}, 1, "", "mcpclient: no server is configured\n"},
		"no servers to list":          {"servers: {}", []string{"servers"}, 0, "", ""},
		"strict, and what is wrong":   {"strict: true\nservers: {a: {type: stdio}}", []string{"servers"}, 2, "a\tstdio\t1 fault\n", "command: the key is required"},
		"strict, and a call":          {"strict: true\nservers: {a: {type: stdio}, b: " + demo + "}", []string{"tools", "b"}, 2, "", "command: the key is required"},
		"a store that is not there":   {"store: etcd\nservers: {a: " + demo + "}", []string{"servers"}, 2, "a\tstdio\tok\n", "store.type: "},
		"reasons stand after a table": {"servers: {a: {type: stdio, command: [no-such-program]}}", []string{"test", "a"}, 1, "a\tFAILED\t", "mcpclient: mcp server \"a\": server failed to start: command no-such-program: not found in the PATH"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "mcp.yaml")
			require.NoError(t, os.WriteFile(file, []byte(test.configuration), 0o600))
			got := run(t, append([]string{"--config", file}, test.arguments...)...)
			assert.Equal(t, test.code, got.code, got.stderr)
			assert.Contains(t, got.stdout, test.stdout)
			assert.Contains(t, got.stderr, test.stderr)
		})
	}
}

// serveHTTP writes a configuration with one server and returns its name.
func serveHTTP(t *testing.T, server *mcptest.Server) (configuration string) {
	t.Helper()
	url := mcptest.StartHTTP(t, server)
	configuration = filepath.Join(t.TempDir(), "mcp.toml")
	require.NoError(t, os.WriteFile(configuration, []byte("[servers.web]\ntype = \"http\"\nbase_url = \""+url+"\"\n"), 0o600))
	return configuration
}

func TestPeerTextIsMadeFitForTerminals(t *testing.T) { // P103
	server := mcptest.NewServer(mcptest.WithImplementation(mcp.Implementation{Name: "evil\x1b]0;x\x07", Version: "1"}))
	hostile := "red\x1b[31m \u202eover\x9b2J\x7f"
	server.AddTool(mcp.Tool{Name: "paint", Description: hostile + "\nsecond line"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		call.Progress(1, 2, hostile)
		return hostile + "\nnext\tline", nil
	})
	server.AddPrompt(mcp.Prompt{Name: "p", Description: hostile}, func(context.Context, map[string]string) (any, error) { return hostile, nil })
	server.AddResource(mcp.Resource{URI: "x://y", Name: hostile}, func(context.Context, string) (any, error) { return hostile, nil })
	server.AddTool(mcp.Tool{Name: "error"}, func(context.Context, *mcptest.Call) (any, error) {
		return nil, &mcp.Error{Code: 5, Message: hostile}
	})
	file := serveHTTP(t, server)
	for _, arguments := range [][]string{
		{"tools", "web"},
		{"tools", "web", "--json"},
		{"prompts", "web"},
		{"resources", "web"},
		{"resources", "web", "--json"},
		{"call", "web", "paint", "--verbose"},
		{"call", "web", "paint", "--json"},
		{"call", "web", "error"},
		{"prompt", "web", "p"},
		{"test", "web"},
		{"read", "web", "x://y\x1b[0m"},
	} {
		t.Run(strings.Join(arguments[:1], " "), func(t *testing.T) {
			got := run(t, append([]string{"--config", file}, arguments...)...)
			for _, output := range []string{got.stdout, got.stderr} {
				for _, r := range output {
					assert.False(t, terminal.IsUnprintable(r), "%q in %q", r, output)
				}
			}
		})
	}
	got := run(t, "--config", file, "call", "web", "paint")
	assert.Equal(t, "red\\x1b[31m \\u202eover\\ufffd2J\\x7f\nnext\tline\n", strings.ReplaceAll(got.stdout, "\ufffd", "\\ufffd"), "lines stay lines")

	var result struct{ Content []mcp.Content }
	got = run(t, "--config", file, "call", "web", "paint", "--json")
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &result))
	assert.Equal(t, strings.ToValidUTF8(hostile, "\ufffd")+"\nnext\tline", result.Content[0].Text, "JSON escapes change no value")

	got = run(t, "--config", file, "read", "web", "x://y")
	assert.Equal(t, strings.ToValidUTF8(hostile, "\ufffd"), got.stdout, "to a pipe contents are exact")
}

func TestVerboseShowsWhatServersLog(t *testing.T) {
	for _, era := range []mcptest.Option{mcptest.ModernOnly(), mcptest.LegacyOnly()} {
		file := serveHTTP(t, mcptest.NewDemoServer(era))
		arguments := []string{"--config", file, "call", "web", "log", "level=warning", "message=look out\x1b[2J"}
		got := run(t, append(arguments, "--verbose")...)
		assert.Equal(t, "logged\n", got.stdout)
		assert.Contains(t, got.stderr, `server log [warning] log: look out\x1b[2J`+"\n")
		assert.Empty(t, run(t, arguments...).stderr)
	}
}

func TestContentThatIsNoText(t *testing.T) {
	server := mcptest.NewServer()
	blocks := func(raw string) mcptest.ToolHandler {
		return func(context.Context, *mcptest.Call) (any, error) { return json.RawMessage(raw), nil }
	}
	for name, raw := range map[string]string{
		"image":      `{"content":[{"type":"image","mimeType":"image/png","data":"AAEC"}]}`,
		"link":       `{"content":[{"type":"resource_link","name":"log","uri":"file:///log"}]}`,
		"text":       `{"content":[{"type":"resource","resource":{"uri":"a://b","text":"inside"}}]}`,
		"blob":       `{"content":[{"type":"resource","resource":{"uri":"a://b","mimeType":"x/y","blob":"AAE="}}]}`,
		"future":     `{"content":[{"type":"hologram","depth":3}]}`,
		"structured": `{"content":[],"structuredContent":{"a":[1]}}`,
		"empty":      `{"content":[]}`,
	} {
		server.AddTool(mcp.Tool{Name: name}, blocks(raw))
	}
	file := serveHTTP(t, server)
	for name, want := range map[string]string{
		"image":      "[image image/png, 3 bytes]\n",
		"link":       "[resource log: file:///log]\n",
		"text":       "inside\n",
		"blob":       "[a://b: x/y, 2 bytes]\n",
		"future":     "{\n  \"type\": \"hologram\",\n  \"depth\": 3\n}\n",
		"structured": "{\n  \"a\": [\n    1\n  ]\n}\n",
		"empty":      "",
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, outcome{0, want, ""}, run(t, "--config", file, "call", "web", name))
		})
	}
}

func TestAServerWithNothing(t *testing.T) {
	file := serveHTTP(t, mcptest.NewServer())
	for command, want := range map[string]string{"tools": "", "prompts": "", "resources": ""} {
		assert.Equal(t, outcome{0, want, ""}, run(t, "--config", file, command, "web"))
	}
	assert.Equal(t, "[]\n", run(t, "--config", file, "tools", "web", "--json").stdout)
}

func TestAServerThatDoesNotOffer(t *testing.T) {
	file := serveHTTP(t, mcptest.NewServer(mcptest.WithoutCapability("tools", "prompts", "resources")))
	for command, empty := range map[string]string{
		"tools": "[]\n", "prompts": "[]\n", "resources": "{\n  \"resourceTemplates\": [],\n  \"resources\": []\n}\n",
	} {
		assert.Equal(t, outcome{0, "", ""}, run(t, "--config", file, command, "web"))
		assert.Equal(t, outcome{0, empty, ""}, run(t, "--config", file, command, "web", "--json"))
	}
}

func TestAServerWithoutToolsCannotBeAskedForTheirTypes(t *testing.T) {
	file := serveHTTP(t, mcptest.NewServer(mcptest.WithoutCapability("tools")))
	got := run(t, "--config", file, "call", "web", "x", "a=1")
	assert.Equal(t, exitRefused, got.code)
	assert.Contains(t, got.stderr, "tools/call: ", "the call is made all the same, and its failure is what counts")
}

func TestAListTellsWhatItLeavesOut(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	answer := `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"title":"nameless"},{"name":"named"}],"resultType":"complete"}}`
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&request))
		w.Header().Set("Content-Type", "application/json")
		if request.Method == "server/discover" {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`, request.ID)
			return
		}
		_, _ = fmt.Fprintf(w, answer, request.ID)
	}))
	defer web.Close()
	require.NoError(t, os.WriteFile("mcp.yml", []byte("servers: {web: {type: http, url: '"+web.URL+"'}}"), 0o600))
	got := run(t, "tools", "web")
	assert.Equal(t, "named\t\tnamed\n", got.stdout)
	assert.Contains(t, got.stderr, "mcpclient: warning: left out: protocol violation: tools[0] has no name")
}
