package peers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func TestEverythingOverStdio(t *testing.T) {
	program := nodeServer(t, everythingProgram)
	useEverything(t, newClient(t, map[string]any{"type": "stdio", "command": []string{"node", program}}))
}

func TestEverythingOverHTTP(t *testing.T) {
	url := startEverything(t, freePort(t))
	useEverything(t, newClient(t, map[string]any{"type": "http", "base_url": url.url}))
}

// everything is server-everything over streamable HTTP.
type everything struct {
	*process
	url string
}

func startEverything(t *testing.T, port string) everything {
	program := nodeServer(t, everythingProgram)
	p, _ := startProcess(t, "listening on port", []string{"PORT=" + port}, "node", "--require", "./loopback.cjs", program, "streamableHttp")
	return everything{p, "http://127.0.0.1:" + port + "/mcp"}
}

func useEverything(t *testing.T, peer *mcpclient.Connection) {
	ctx := t.Context()
	tools, err := peer.Tools(ctx)
	require.NoError(t, err)
	require.GreaterOrEqual(t, tools.Len(), 10)
	_, ok := tools.Get("get-sum")
	require.True(t, ok)

	result, err := peer.CallTool(ctx, "get-sum", map[string]any{"a": 2, "b": 3})
	require.NoError(t, err)
	require.Contains(t, result.Text(), "5")

	var reports int
	result, err = peer.CallTool(ctx, "trigger-long-running-operation", map[string]any{"duration": 0.4, "steps": 4},
		mcpclient.OnProgress(func(mcp.Progress) { reports++ }))
	require.NoError(t, err)
	require.False(t, result.IsError)
	require.Positive(t, reports)

	resources, err := peer.Resources(ctx)
	require.NoError(t, err)
	require.Positive(t, resources.Len())
	for uri := range resources.All() {
		read, err := peer.ReadResource(ctx, uri)
		require.NoError(t, err)
		require.NotEmpty(t, read.Contents)
		break
	}
	templates, err := peer.ResourceTemplates(ctx)
	require.NoError(t, err)
	require.Positive(t, templates.Len())
	prompts, err := peer.Prompts(ctx)
	require.NoError(t, err)
	require.Positive(t, prompts.Len())
	require.NoError(t, peer.Ping(ctx))
}

// TestEverythingRestartedBetweenCalls: the session is gone with the process,
// and the next call does one new handshake and is answered (R101, ruling 2).
func TestEverythingRestartedBetweenCalls(t *testing.T) {
	port := freePort(t)
	server := startEverything(t, port)
	peer := newClient(t, map[string]any{"type": "http", "base_url": server.url})
	for restarts := range 3 {
		result, err := peer.CallTool(t.Context(), "echo", map[string]any{"message": "hello"})
		require.NoError(t, err)
		require.Contains(t, result.Text(), "hello")
		require.EqualValues(t, restarts+1, peer.Stats().Handshakes)
		require.EqualValues(t, restarts, peer.Stats().SessionsLost)
		server.kill()
		server = startEverything(t, port)
	}
}

func TestFilesystemOverStdio(t *testing.T) {
	program := nodeServer(t, filesystemProgram)
	directory, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	file := filepath.Join(directory, "hello.txt")
	require.NoError(t, os.WriteFile(file, []byte("hello from a file"), 0o600))
	peer := newClient(t, map[string]any{"type": "stdio", "command": []string{"node", program, directory}})

	tools, err := peer.Tools(t.Context())
	require.NoError(t, err)
	require.Positive(t, tools.Only("read_text_file", "list_directory").Len())
	result, err := peer.CallTool(t.Context(), "read_text_file", map[string]any{"path": file})
	require.NoError(t, err)
	require.Contains(t, result.Text(), "hello from a file")
	result, err = peer.CallTool(t.Context(), "read_text_file", map[string]any{"path": "/"})
	require.NoError(t, err)
	require.True(t, result.IsError, "a path outside the allowed directory")
}

func TestMemoryOverStdio(t *testing.T) {
	program := nodeServer(t, memoryProgram)
	file := filepath.Join(t.TempDir(), "memory.json")
	peer := newClient(t, map[string]any{
		"type": "stdio", "command": []string{"node", program},
		"env": map[string]any{"MEMORY_FILE_PATH": file},
	})
	_, err := peer.CallTool(t.Context(), "create_entities", map[string]any{
		"entities": []any{map[string]any{"name": "Ada", "entityType": "person", "observations": []string{"writes programs"}}},
	})
	require.NoError(t, err)
	result, err := peer.CallTool(t.Context(), "read_graph", nil)
	require.NoError(t, err)
	require.Contains(t, result.Text(), "writes programs")
}
