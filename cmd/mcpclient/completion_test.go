package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// complete returns what a shell would be offered for the last word.
func complete(t *testing.T, cache string, words ...string) []string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := &program{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, executable: os.Executable, lookupEnv: noVariables,
		cacheDir: func() (string, error) { return cache, nil }}
	require.Zero(t, p.run(t.Context(), append([]string{"__complete"}, words...)), stderr.String())
	offered, directive, found := strings.Cut(stdout.String(), ":")
	if at := strings.LastIndex(stdout.String(), ":"); at >= 0 {
		offered, directive, found = stdout.String()[:at], stdout.String()[at+1:], true
	}
	require.True(t, found, directive)
	return strings.Split(strings.TrimSuffix(offered, "\n"), "\n")
}

func TestCompletion(t *testing.T) {
	cache := t.TempDir()
	for _, test := range []struct {
		words []string
		want  []string
	}{
		{[]string{"tools", ""}, []string{"demo\tstdio"}},
		{[]string{"call", "d"}, []string{"demo\tstdio"}},
		{[]string{"call", "x"}, []string{""}},
		{[]string{"test", "demo", ""}, []string{""}},
		{[]string{"call", "demo", "s"}, []string{"slow\tTakes its time and reports progress."}},
		{[]string{"tools", "demo", "ec"}, []string{"echo\tReturns the text it was given."}},
		{[]string{"call", "demo", "slow", ""}, []string{"ms=\tHow long, in milliseconds", "steps=\tHow many progress reports"}},
		{[]string{"call", "demo", "slow", "ms=5", ""}, []string{"steps=\tHow many progress reports"}},
		{[]string{"call", "demo", "slow", "ms:=5", "s"}, []string{"steps=\tHow many progress reports"}},
		{[]string{"call", "demo", "log", "level=e"}, []string{"level=error", "level=emergency"}},
		{[]string{"call", "demo", "nope", ""}, []string{""}},
		{[]string{"prompt", "demo", ""}, []string{"greet\tAsks for a greeting."}},
		{[]string{"prompt", "demo", "greet", ""}, []string{"name=\tWhom to greet"}},
		{[]string{"prompt", "demo", "greet", "name=A"}, []string{"name=Ada", "name=Alan"}},
		{[]string{"complete", "demo", "demo"}, []string{"demo://items/{id}\titem"}},
		{[]string{"read", "demo", "demo://d"}, []string{"demo://data.json\tdata"}},
		{[]string{"watch", ""}, []string{"demo\tstdio"}},
		{[]string{"doctor", ""}, []string{"demo\tstdio"}},
		{[]string{"config", "explain", ""}, []string{"demo\tstdio"}},
		{[]string{"servers", "--color", ""}, []string{"auto", "always", "never"}},
	} {
		assert.Equal(t, test.want, complete(t, cache, test.words...), test.words)
	}
	assert.Contains(t, complete(t, cache, ""), "doctor\tFind out what is wrong with servers, and what would help")
}

// A shell may expand what it is offered: nothing that means something to it gets
// there, and nothing that a terminal would obey (P103).
func TestCompletionOffersNothingThatAShellCouldExpand(t *testing.T) {
	server := mcptest.NewServer()
	schema, err := json.Marshal(map[string]any{"properties": map[string]any{
		"good": map[string]any{"description": "a `b` $(c) \"d\" 'e' \\f\x1b[31m\tg"}, "$(touch x)": map[string]any{}, "choice": map[string]any{"enum": []string{"fine", "`bad`", "a b", "x;y"}},
	}})
	require.NoError(t, err)
	for _, name := range []string{"$(reboot)", "`id`", "a b", "a;b", "a|b", "a\nb", "-rf", "a\\b", "'a'", "~root", "*", "a\x1bb"} {
		server.AddTool(mcp.Tool{Name: name}, func(context.Context, *mcptest.Call) (any, error) { return "", nil })
	}
	server.AddTool(mcp.Tool{Name: "fine/tool-1.x", InputSchema: schema}, func(context.Context, *mcptest.Call) (any, error) { return "", nil })
	file, cache := serveHTTP(t, server), t.TempDir()
	assert.Equal(t, []string{"fine/tool-1.x"}, complete(t, cache, "--config", file, "call", "web", ""))
	assert.Equal(t, []string{"choice=", "good=\ta b (c) d e f x1b 31m tg"}, complete(t, cache, "--config", file, "call", "web", "fine/tool-1.x", ""))
	assert.Equal(t, []string{"choice=fine"}, complete(t, cache, "--config", file, "call", "web", "fine/tool-1.x", "choice="))
}

func TestCompletionAsksAServerOnce(t *testing.T) {
	server := mcptest.NewDemoServer()
	file, cache := serveHTTP(t, server), t.TempDir()
	for range 3 {
		assert.Len(t, complete(t, cache, "--config", file, "call", "web", ""), 5)
		assert.Len(t, complete(t, cache, "--config", file, "prompt", "web", ""), 1)
	}
	assert.Equal(t, 1, server.Count(mcp.MethodListTools))

	files, err := filepath.Glob(filepath.Join(cache, "mcpclient", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	info, err := os.Stat(files[0])
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	old := readCatalog(files[0])
	old.Written = time.Now().Add(-time.Hour)
	writeCatalog(files[0], old)
	complete(t, cache, "--config", file, "call", "web", "")
	assert.Equal(t, 2, server.Count(mcp.MethodListTools), "an old one is made anew")
	writeCatalog(files[0], old)
	server.Close()
	assert.Len(t, complete(t, cache, "--config", file, "call", "web", ""), 5, "an old one is better than none")

	require.NoError(t, os.WriteFile(files[0], []byte("{"), 0o600))
	assert.Equal(t, []string{""}, complete(t, cache, "--config", file, "call", "web", ""))
	assert.Equal(t, []string{""}, complete(t, filepath.Join(files[0], "no-folder"), "--config", file, "call", "web", ""))
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := run(t, "completion", shell)
		assert.Equal(t, exitOK, got.code)
		assert.Contains(t, got.stdout, "__complete")
	}
}
