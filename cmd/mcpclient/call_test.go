package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// returnsArguments is a server whose tool returns what it was given.
func returnsArguments(t *testing.T, schema string) (configuration string) {
	t.Helper()
	server := mcptest.NewServer()
	server.AddTool(mcp.Tool{Name: "take", InputSchema: json.RawMessage(schema)}, func(_ context.Context, call *mcptest.Call) (any, error) {
		return string(call.Arguments), nil
	})
	return serveHTTP(t, server)
}

func TestArgumentsReachTheServer(t *testing.T) {
	file := returnsArguments(t, `{"type":"object","properties":{"text":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},
		"at":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x"]},"on":{"type":"boolean"}}}`)
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), []byte("from a file\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.json"), []byte(`{"x": 1}`), 0o600))
	for name, test := range map[string]struct {
		stdin     string
		arguments []string
		want      string
	}{
		"typed":                {"", []string{"text=1", "on=true", "tags=a", "tags=b", "at.x=1.5", "at.y=2"}, `{"text":"1","on":true,"tags":["a","b"],"at":{"x":1.5,"y":2}}`},
		"files":                {"", []string{"text=@" + folder + "/a.txt", "at:=@" + folder + "/a.json"}, `{"text":"from a file\n","at":{"x":1}}`},
		"text from stdin":      {"typed", []string{"text=@-"}, `{"text":"typed"}`},
		"all from stdin":       {`{"text":"a","on":false}`, []string{"-", "on=true"}, `{"text":"a","on":true}`},
		"all from --args":      {"", []string{"--args", `{"text":"a"}`, "tags[]=x"}, `{"text":"a","tags":["x"]}`},
		"nothing":              {"", nil, `{}`},
		"unchecked":            {"", []string{"at.y=1", "--no-check"}, `{"at":{"y":1}}`},
		"an unknown one":       {"", []string{"frobnicate=1", "-q"}, `{"frobnicate":"1"}`},
		"an @ that is no file": {"", []string{"text=@@me"}, `{"text":"@me"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := runWith(t, t.Context(), test.stdin, append([]string{"--config", file, "call", "web", "take"}, test.arguments...)...)
			require.Equal(t, exitOK, got.code, got.stderr)
			assert.JSONEq(t, test.want, got.stdout)
			assert.Empty(t, got.stderr)
		})
	}
	for name, test := range map[string]struct {
		arguments []string
		want      string
	}{
		"missing within":  {[]string{"at.y=1"}, "\n  at.x: is missing (a number)\n"},
		"misspelt":        {[]string{"txt=a"}, "\n  txt: there is no such argument; did you mean \"text\"?\n"},
		"stdin and args":  {[]string{"-", "--args", "{}"}, "given by --args and by -"},
		"no object":       {[]string{"-"}, "stdin wants a JSON object; found null"},
		"stdin twice":     {[]string{"text=@-", "at:=@-"}, "stdin is asked for twice"},
		"a missing file":  {[]string{"text=@/no/such"}, "argument text: open /no/such"},
		"force without":   {[]string{"--force"}, "--force is about --out"},
		"what can not be": {[]string{"at.x=1", "at.x.y=2", "--no-check"}, "cannot be put into x"},
	} {
		t.Run(name, func(t *testing.T) {
			got := runWith(t, t.Context(), "null", append([]string{"--config", file, "call", "web", "take"}, test.arguments...)...)
			assert.Equal(t, exitUsage, got.code)
			assert.Contains(t, got.stderr, test.want)
			assert.Empty(t, got.stdout, "nothing was sent")
		})
	}
	assert.Contains(t, run(t, "--config", file, "call", "web", "take", "frobnicate=1").stderr, "mcpclient: warning: frobnicate: there is no such argument\n")
}

func TestSeveralServersAreCalledSideBySide(t *testing.T) {
	one, two := mcptest.NewDemoServer(), mcptest.NewServer()
	file := filepath.Join(t.TempDir(), "mcp.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "servers: {one: {type: http, url: %q}, two: {type: http, url: %q}, 'a,b': {type: http, url: %q}}",
		mcptest.StartHTTP(t, one), mcptest.StartHTTP(t, two), mcptest.StartHTTP(t, mcptest.NewDemoServer())), 0o600))
	got := run(t, "--config", file, "call", "one,one,a,b", "echo", "text=x")
	assert.Equal(t, exitUsage, got.code, "neither a nor b is configured")
	assert.Equal(t, outcome{0, "x\n", ""}, run(t, "--config", file, "call", "a,b", "echo", "text=x"), "a server of that very name")

	got = run(t, "--config", file, "call", "one,two", "echo", "text=x")
	assert.Equal(t, exitRefused, got.code)
	assert.Equal(t, "one:\nx\ntwo:\n", got.stdout)
	assert.Contains(t, got.stderr, "mcpclient: mcp server \"two\": tools/call: ")
	assert.Contains(t, got.stderr, "mcpclient: 1 of 2 calls failed\n")

	got = run(t, "--config", file, "call", "one,two", "echo", "text=x", "--json")
	var lines []calledLine
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &lines))
	require.Len(t, lines, 2)
	assert.Equal(t, "x", lines[0].Result.Text())
	assert.Equal(t, "peer", lines[1].Error.Kind)
	assert.Equal(t, exitRefused, lines[1].Error.ExitCode)

	got = run(t, "--config", file, "tools", "one,two", "--json")
	assert.Equal(t, exitOK, got.code, got.stderr)
	var listings []struct {
		Server string
		Tools  []mcp.Tool
	}
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &listings))
	require.Len(t, listings, 2)
	assert.Len(t, listings[0].Tools, 5)
	assert.Empty(t, listings[1].Tools)
	assert.True(t, strings.HasPrefix(run(t, "--config", file, "tools", "--all").stdout, "one\techo\ttext\t"))
	assert.Contains(t, run(t, "--config", file, "resources", "--all").stdout, "one\tdemo://greeting\tresource\t")
	assert.Contains(t, run(t, "--config", file, "prompts", "--all").stdout, "a,b\tgreet\tname\t")
}

func TestFailuresAreJSONWhereJSONIsWanted(t *testing.T) {
	decode := func(got outcome) failureLine {
		t.Helper()
		var line struct{ Error failureLine }
		require.NoError(t, json.Unmarshal([]byte(got.stderr), &line), got.stderr)
		assert.Equal(t, got.code, line.Error.ExitCode)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), "one line")
		return line.Error
	}
	refused := decode(run(t, "call", "demo", "nope", "--json"))
	assert.Equal(t, "peer", refused.Kind)
	assert.Equal(t, "demo", refused.Server)
	assert.Equal(t, "tools/call", refused.Action)
	assert.Equal(t, mcp.CodeInvalidParams, refused.Code)
	assert.Equal(t, exitUsage, decode(run(t, "call", "demo", "add", "--json")).ExitCode)
	assert.Equal(t, exitUsage, decode(run(t, "tools", "nobody", "--json")).ExitCode)
	assert.Equal(t, exitTimeout, decode(run(t, "call", "demo", "slow", "--json", "--timeout", "50ms")).ExitCode)
}

func TestContentIsSaved(t *testing.T) {
	server := mcptest.NewServer()
	server.AddTool(mcp.Tool{Name: "draw"}, func(context.Context, *mcptest.Call) (any, error) {
		return json.RawMessage(`{"content":[{"type":"text","text":"here"},{"type":"image","mimeType":"image/png","data":"AAEC"},{"type":"audio","mimeType":"audio/wav","data":"AAE="},
			{"type":"resource","resource":{"uri":"file:///../../etc/evil.sh","mimeType":"application/zip","blob":"AA=="}}]}`), nil
	})
	server.AddTool(mcp.Tool{Name: "broken"}, func(context.Context, *mcptest.Call) (any, error) {
		return json.RawMessage(`{"content":[{"type":"image","mimeType":"image/png","data":"%%%"}]}`), nil
	})
	server.AddResource(mcp.Resource{URI: "x://a/notes", Name: "notes"}, func(context.Context, string) (any, error) { return "some text", nil })
	file := serveHTTP(t, server)
	t.Chdir(t.TempDir())

	got := run(t, "--config", file, "call", "web", "draw", "--out", "pictures/")
	assert.Equal(t, outcome{0, "here\n[image image/png, 3 bytes, saved as pictures/draw.png]\n[audio audio/wav, 2 bytes, saved as pictures/draw.wav]\n" +
		"[file:///../../etc/evil.sh: application/zip, 1 bytes, saved as pictures/evil.sh.zip]\n", ""}, got)
	saved, err := os.ReadFile("pictures/draw.png")
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 1, 2}, saved)

	got = run(t, "--config", file, "call", "web", "draw", "--out", "pictures", "--json")
	assert.Contains(t, got.stdout, `"data": "AAEC"`)
	assert.Contains(t, got.stderr, "image image/png, 3 bytes, saved as pictures/draw-2.png]\n", "nothing is overwritten")

	got = run(t, "--config", file, "call", "web", "draw", "--out", "pictures/draw.png")
	assert.Equal(t, exitFailure, got.code)
	assert.Contains(t, got.stderr, "pictures/draw.png is there already (--force overwrites it)")
	assert.Equal(t, exitOK, run(t, "--config", file, "call", "web", "draw", "--out", "pictures/draw.png", "--force").code)

	assert.Equal(t, outcome{0, "[x://a/notes: , 9 bytes, saved as notes.bin]\n", ""}, run(t, "--config", file, "read", "web", "x://a/notes", "--out", "."))
	got = run(t, "--config", file, "call", "web", "broken", "--out", ".")
	assert.Equal(t, exitFailure, got.code)
	assert.Contains(t, got.stderr, "image cannot be saved: ")
	assert.Equal(t, "[image image/png, not base64]\n", run(t, "--config", file, "call", "web", "broken").stdout)
	assert.Contains(t, run(t, "call", "demo", "echo", "text=x", "--out", ".").stderr, "mcpclient: warning: there was nothing to save\n")
}
