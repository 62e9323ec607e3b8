package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/doctor"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func TestComplete(t *testing.T) {
	assert.Equal(t, outcome{0, "Ada\nAlan\n", ""}, run(t, "complete", "demo", "greet", "name=a"))
	var result struct {
		Completion struct{ Values []string }
	}
	require.NoError(t, json.Unmarshal([]byte(run(t, "complete", "demo", "greet", "name=G", "other=x", "--json").stdout), &result))
	assert.Equal(t, []string{"Grace"}, result.Completion.Values)
	assert.Equal(t, exitUsage, run(t, "complete", "demo", "greet").code)
	assert.Equal(t, exitUsage, run(t, "complete", "demo", "greet", "name").code)

	p := &program{stdin: strings.NewReader("")}
	request, err := p.completion("x://{id}", []string{"id=1", "a=b"})
	require.NoError(t, err)
	assert.Equal(t, "ref/resource", request.Ref.Type)
	assert.Equal(t, map[string]string{"a": "b"}, request.Context.Arguments)
}

func TestPing(t *testing.T) {
	for _, era := range []mcptest.Option{mcptest.ModernOnly(), mcptest.LegacyOnly()} {
		file := serveHTTP(t, mcptest.NewDemoServer(era))
		got := run(t, "--config", file, "ping", "web", "-n", "2", "--interval", "0.001")
		assert.Equal(t, exitOK, got.code, got.stderr)
		assert.Regexp(t, `^web: 1: [\d.]+ ms\nweb: 2: [\d.]+ ms\n$`, got.stdout)
		got = run(t, "--config", file, "ping", "web", "-n", "1", "--json")
		var line pingLine
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &line))
		assert.Equal(t, 1, line.Ping)
		assert.Positive(t, line.Seconds)
	}
	assert.Equal(t, exitUsage, run(t, "ping", "demo", "-n", "0").code)
	assert.Equal(t, exitTimeout, run(t, "ping", "demo", "-n", "100", "--interval", "10", "--timeout", "0.5").code)
}

func TestDoctor(t *testing.T) {
	got := run(t, "doctor")
	assert.Equal(t, exitOK, got.code, got)
	assert.True(t, strings.HasPrefix(got.stdout, "\tconfiguration\tok\tbuilt-in.yaml: 1 server\t\ndemo\tconfiguration\tok\tno faults\t\ndemo\tprogram\tok\t"), got.stdout)

	file := filepath.Join(t.TempDir(), "mcp.yaml")
	require.NoError(t, os.WriteFile(file, []byte("bogus: 1\nservers:\n  good: {type: http, url: '"+mcptest.StartHTTP(t, mcptest.NewDemoServer())+"'}\n"+
		"  gone: {type: stdio, command: [no-such-program]}\n  wrong: {type: http}\n"), 0o600))
	got = run(t, "--config", file, "doctor", "--json")
	assert.Equal(t, exitFailure, got.code)
	assert.Contains(t, got.stderr, "2 of 3 servers cannot be used as configured")
	var report doctorReport
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &report))
	assert.False(t, report.OK)
	assert.Equal(t, doctor.Failed, report.Configuration[0].Status)
	require.Len(t, report.Servers, 3)
	assert.False(t, doctor.IsAnyFailed(report.Servers[0].Checks), "the good one is good whatever the others are")
	assert.True(t, doctor.IsAnyFailed(report.Servers[1].Checks))

	code, screen := onTerminal(t, "--config", file, "doctor", "gone")
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, screen.text(), "\n\x1b[1mgone\x1b[0m\n  \x1b[32mok  \x1b[0m  configuration")
	assert.Contains(t, screen.text(), "  \x1b[31mFAIL\x1b[0m  program            no-such-program is in no folder of the PATH")
	assert.Contains(t, screen.text(), "\n        \x1b[33m-> install no-such-program")

	got = run(t, "--config", file, "doctor", "goood")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, `unknown server "goood"; configured: good, gone, wrong; did you mean "good"?`)
	assert.Equal(t, exitFailure, run(t, "--config", file, "doctor", "good").code, "for the fault of the file")
	assert.Equal(t, exitTimeout, run(t, "doctor", "--timeout", "1ms").code)
}

func TestEveryCommandThatServersSeeHasJSON(t *testing.T) {
	for _, arguments := range [][]string{
		{"servers"}, {"tools", "demo"}, {"tools", "demo", "echo"}, {"tools", "--all"}, {"resources", "demo"}, {"resources", "--all"}, {"prompts", "demo"}, {"prompts", "--all"},
		{"call", "demo", "echo", "text=x"}, {"read", "demo", "demo://greeting"}, {"prompt", "demo", "greet", "name=x"},
		{"complete", "demo", "greet", "name="}, {"ping", "demo", "-n", "1"}, {"test", "demo"}, {"doctor"}, {"version"},
	} {
		got := run(t, append(arguments, "--json")...)
		assert.Equal(t, exitOK, got.code, arguments)
		assert.True(t, json.Valid([]byte(got.stdout)), "%v: %s", arguments, got.stdout)
	}
}

func TestColoursFollowTheFlag(t *testing.T) {
	assert.Contains(t, run(t, "--color", "always", "tools", "demo", "echo").stdout, "\x1b[1mecho\x1b[0m")
	assert.NotContains(t, run(t, "tools", "demo", "echo").stdout, "\x1b")
	_, screen := onTerminal(t, "tools", "demo")
	assert.True(t, strings.HasPrefix(screen.text(), "\x1b[1mNAME\x1b[0m  \x1b[1mARGUMENTS\x1b[0m        \x1b[1mDESCRIPTION\x1b[0m\n\x1b[36mecho\x1b[0m "), screen.text())
	_, screen = onTerminal(t, "--color", "never", "tools", "demo")
	assert.NotContains(t, screen.text(), "\x1b")
	assert.Equal(t, exitUsage, run(t, "--color", "sometimes", "servers").code)
	_, screen = onTerminal(t, "--config", serveHTTP(t, mcptest.NewServer(mcptest.WithoutCapability("tools"))), "tools", "web")
	assert.Equal(t, "no tools: the server does not offer them\n", screen.text())
}

func TestExitCodesAreDocumented(t *testing.T) {
	help := run(t, "help", "exit-codes").stdout
	for _, code := range exitCodes() {
		assert.Contains(t, help, "  "+code[0]+"  "+code[1]+"\n")
	}
}

func TestResourcesOnATerminal(t *testing.T) { // P103
	server := mcptest.NewServer()
	server.AddResource(mcp.Resource{URI: "x://text", Name: "text"}, func(context.Context, string) (any, error) { return "red\x1b[31m\n", nil })
	server.AddResource(mcp.Resource{URI: "x://data", Name: "data"}, func(context.Context, string) (any, error) {
		return json.RawMessage(`{"contents":[{"uri":"x://data","mimeType":"image/png","blob":"AAEC"}]}`), nil
	})
	file := serveHTTP(t, server)
	_, screen := onTerminal(t, "--config", file, "read", "web", "x://text")
	assert.Equal(t, "red\\x1b[31m\n", screen.text())
	_, screen = onTerminal(t, "--config", file, "read", "web", "x://data")
	assert.Equal(t, "[x://data: image/png, 3 bytes]\n", screen.text())
	assert.Equal(t, "\x00\x01\x02", run(t, "--config", file, "read", "web", "x://data").stdout, "to a pipe contents are exact")
}

func TestExitCodesOfSignals(t *testing.T) {
	for received, want := range map[os.Signal]int{os.Interrupt: exitInterrupted, syscall.SIGTERM: exitTerminated} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(interrupted{received})
		got := runWith(t, ctx, "", "tools", "demo")
		assert.Equal(t, want, got.code)
		assert.Equal(t, "mcpclient: interrupted\n", got.stderr)
	}
}
