package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// lineWriter hands on whole lines.
type lineWriter struct {
	mu    sync.Mutex
	rest  []byte
	lines chan string
}

func (w *lineWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, data...)
	for {
		line, rest, found := bytes.Cut(w.rest, []byte("\n"))
		if !found {
			return len(data), nil
		}
		w.lines <- string(line)
		w.rest = rest
	}
}

// watchServer runs watch and returns its lines as they come.
func watchServer(t *testing.T, ctx context.Context, arguments ...string) (next func() string, code func() int) {
	t.Helper()
	out := &lineWriter{lines: make(chan string, 100)}
	var stderr bytes.Buffer
	p := &program{stdin: strings.NewReader(""), stdout: out, stderr: &stderr, executable: os.Executable, lookupEnv: noVariables}
	ended := make(chan int, 1)
	go func() { ended <- p.run(ctx, arguments) }()
	next = func() string {
		t.Helper()
		select {
		case line := <-out.lines:
			return line
		case code := <-ended:
			ended <- code
			select {
			case line := <-out.lines: // written before the end
				return line
			default:
			}
			require.Fail(t, "it ended", "%d: %s", code, stderr.String())
		case <-time.After(20 * time.Second):
			require.Fail(t, "no line came")
		}
		return ""
	}
	return next, func() int { return <-ended }
}

func TestWatch(t *testing.T) {
	for name, era := range map[string]mcptest.Option{"modern": mcptest.ModernOnly(), "legacy": mcptest.LegacyOnly()} {
		t.Run(name, func(t *testing.T) {
			server := mcptest.NewDemoServer(era, mcptest.WithStandaloneStream())
			file := serveHTTP(t, server)
			ctx, cancel := context.WithCancelCause(t.Context())
			next, code := watchServer(t, ctx, "--config", file, "watch", "web", "--tools", "--resource", "demo://greeting", "--json")
			decode := func() (line watchLine) {
				t.Helper()
				require.NoError(t, json.Unmarshal([]byte(next()), &line))
				assert.Equal(t, "web", line.Server)
				_, err := time.Parse(time.RFC3339Nano, line.Time)
				require.NoError(t, err)
				return line
			}
			first := decode()
			assert.Equal(t, "watching", first.Event)
			assert.Equal(t, &mcp.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"demo://greeting"}}, first.Watching)

			// A legacy server has no acknowledgement: it is told until it is heard.
			heard := make(chan struct{})
			var telling sync.WaitGroup
			telling.Go(func() {
				for {
					server.ResourceUpdated("demo://greeting")
					select {
					case <-heard:
						return
					case <-time.After(50 * time.Millisecond):
					}
				}
			})
			updated := decode()
			close(heard)
			telling.Wait()
			assert.Equal(t, "resource_updated", updated.Event)
			assert.Equal(t, "demo://greeting", updated.URI)

			server.AddTool(mcp.Tool{Name: "fresh"}, func(context.Context, *mcptest.Call) (any, error) { return "", nil })
			added := decode()
			for added.Event == "resource_updated" {
				added = decode()
			}
			assert.Equal(t, "tools_list_changed", added.Event)
			assert.Equal(t, difference{Added: []string{"fresh"}}, added.difference)
			require.True(t, server.RemoveTool("echo"))
			assert.Equal(t, difference{Removed: []string{"echo"}}, decode().difference)
			cancel(interrupted{os.Interrupt})
			assert.Equal(t, exitInterrupted, code())
		})
	}
}

func TestWatchInAPipeUntilThereWasEnough(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.ModernOnly())
	next, code := watchServer(t, t.Context(), "--config", serveHTTP(t, server), "watch", "web", "--count", "2")
	assert.True(t, strings.HasSuffix(next(), "\twatching\ttools, prompts, resources"))
	server.AddTool(mcp.Tool{Name: "echo", Description: "other"}, func(context.Context, *mcptest.Call) (any, error) { return "", nil })
	line := next()
	assert.True(t, strings.HasSuffix(line, "\ttools_list_changed\t~echo"), line)
	server.AddResource(mcp.Resource{URI: "x://y", Name: "y"}, func(context.Context, string) (any, error) { return "", nil })
	assert.Contains(t, next(), "\tresources_list_changed\t+x://y")
	assert.Equal(t, exitOK, code())
}

func TestWatchEndsWithTheSubscription(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.ModernOnly())
	next, code := watchServer(t, t.Context(), "--config", serveHTTP(t, server), "watch", "web", "--tools")
	assert.Contains(t, next(), "\twatching\ttools")
	server.EndListens()
	assert.Contains(t, next(), "\tended")
	assert.Equal(t, exitOK, code())
}
