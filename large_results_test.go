package mcpclient_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// TestLargeResultsStayWhatTheyAre: over every transport, texts and bytes of large
// results, asked for in any order by many, are the same long after other calls.
func TestLargeResultsStayWhatTheyAre(t *testing.T) {
	text := strings.Repeat("{\"path\": \"src/main.go\"}\nThe quick brown fox\tjumps over the lazy dog.\n", 2<<10)
	cfg, err := config.FromServers(map[string]any{
		"http":   map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, mcptest.NewDemoServer())},
		"legacy": map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, mcptest.NewDemoServer(mcptest.LegacyOnly()))},
		"stdio":  child(t, "demo", nil),
	})
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	defer client.Close()
	for _, server := range []string{"http", "legacy", "stdio"} {
		t.Run(server, func(t *testing.T) {
			connection, err := client.Connect(server)
			require.NoError(t, err)
			var kept [8]struct {
				result *mcp.CallToolResult
				text   string
				raw    json.RawMessage
			}
			var all sync.WaitGroup
			for i := range kept {
				all.Go(func() {
					for range 3 {
						result, err := connection.CallTool(t.Context(), "echo", map[string]any{"text": text})
						if !assert.NoError(t, err) {
							return
						}
						kept[i].result = result
						if i%2 == 0 {
							kept[i].text, kept[i].raw = result.Text(), result.Raw()
						} else {
							kept[i].raw, kept[i].text = result.Raw(), result.Text()
						}
					}
				})
			}
			all.Wait()
			for i := range kept {
				require.True(t, kept[i].text == text)
				require.True(t, kept[i].result.Text() == text)
				var fromWire struct{ Content []struct{ Text string } }
				require.NoError(t, json.Unmarshal(kept[i].raw, &fromWire))
				require.True(t, fromWire.Content[0].Text == text)
				blocks := slices.Collect(kept[i].result.Content())
				require.Len(t, blocks, 1)
				require.True(t, blocks[0].Text == text)
			}
		})
	}
}
