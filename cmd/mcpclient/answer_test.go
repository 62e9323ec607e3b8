package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// asks is a server whose tool asks its client for something, in the way of its
// era, and returns the answer.
func asks(t *testing.T, era mcptest.Option, method, params string) (configuration string) {
	t.Helper()
	server := mcptest.NewServer(era)
	server.AddTool(mcp.Tool{Name: "ask"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		if call.Version != mcp.Version20260728 {
			answer, err := call.Request(method, json.RawMessage(params))
			return string(answer), err
		}
		var given struct {
			InputResponses map[string]json.RawMessage `json:"inputResponses"`
		}
		if err := json.Unmarshal(call.Params, &given); err != nil {
			return nil, err
		}
		if answer, found := given.InputResponses["q"]; found {
			return string(answer), nil
		}
		return json.RawMessage(`{"resultType":"input_required","inputRequests":{"q":{"method":"` + method + `","params":` + params + `}}}`), nil
	})
	return serveHTTP(t, server)
}

func TestServersQuestionsAreAnsweredAtTheTerminal(t *testing.T) {
	const form = `{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`
	for name, era := range map[string]mcptest.Option{"modern": mcptest.ModernOnly(), "legacy": mcptest.LegacyOnly()} {
		t.Run(name, func(t *testing.T) {
			file := asks(t, era, "elicitation/create", form)
			for _, test := range []struct{ typed, want string }{
				{"yes\nAda\nyes\n", `"action":"accept"`},
				{"no\n", `"action":"decline"`},
				{"", `"action":"cancel"`},
			} {
				code, screen := onTerminalTyping(t, test.typed, "--config", file, "--color", "never", "call", "web", "ask")
				assert.Equal(t, exitOK, code, screen.text())
				assert.Contains(t, screen.text(), `The server "web" asks you:`)
				assert.Contains(t, screen.text(), test.want)
			}
			page := asks(t, era, "elicitation/create", `{"mode":"url","message":"Log in","url":"https://example.com/x","elicitationId":"1"}`)
			code, screen := onTerminalTyping(t, "yes\n", "--config", page, "--color", "never", "call", "web", "ask")
			assert.Equal(t, exitOK, code, screen.text())
			assert.Contains(t, screen.text(), "  at example.com\n  https://example.com/x\n")
			assert.Contains(t, screen.text(), `"action":"accept"`)
		})
	}
}

// In a pipe nobody can answer: it is not announced (R055), and what happens then
// is an error of the server, or of the protocol.
func TestServersQuestionsInAPipe(t *testing.T) {
	for name, test := range map[string]struct {
		era  mcptest.Option
		code int
	}{"modern": {mcptest.ModernOnly(), exitUnreachable}, "legacy": {mcptest.LegacyOnly(), exitRefused}} {
		t.Run(name, func(t *testing.T) {
			file := asks(t, test.era, "elicitation/create", `{"message":"Who?","requestedSchema":{"type":"object","properties":{}}}`)
			got := runWith(t, t.Context(), "yes\nyes\n", "--config", file, "call", "web", "ask")
			assert.Equal(t, test.code, got.code, got)
			assert.NotContains(t, got.stderr+got.stdout, "asks you")
			assert.Contains(t, got.stderr, "; the server wants to ask something, which needs a terminal\n")
		})
	}
}

func TestRootsAreTold(t *testing.T) {
	folder := t.TempDir()
	for name, era := range map[string]mcptest.Option{"modern": mcptest.ModernOnly(), "legacy": mcptest.LegacyOnly()} {
		t.Run(name, func(t *testing.T) {
			got := run(t, "--config", asks(t, era, "roots/list", `{}`), "call", "web", "ask", "--root", folder)
			require.Equal(t, exitOK, got.code, got.stderr)
			assert.JSONEq(t, `{"roots":[{"uri":"file://`+filepath.ToSlash(folder)+`","name":"`+filepath.Base(folder)+`"}]}`, got.stdout)
		})
	}
	assert.Contains(t, run(t, "call", "demo", "echo", "text=x", "--root", "/no/such/folder").stderr, "--root: stat /no/such/folder")
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	got := run(t, "call", "demo", "echo", "text=x", "--root", file)
	assert.Equal(t, exitUsage, got.code)
	assert.True(t, strings.HasPrefix(got.stderr, "mcpclient: --root "+file+" is no folder\n"), got.stderr)
}
