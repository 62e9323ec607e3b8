//go:build linux

package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The name of a tool comes from the server and goes into a header (R077, R078):
// it makes no header of its own, and no second request.
func TestNamesOfToolsInjectNoHeaders(t *testing.T) {
	names := []string{"a\r\nX-Evil: 1", "a\nX-Evil: 1", "\r\n\r\nPOST /evil HTTP/1.1\r\n", "a\x00b", "\tx ", "=?base64?eA==?=", "\u2028\u202e", "é\u0085"}
	var (
		mu     sync.Mutex
		called int
	)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m message
		_ = json.Unmarshal(body, &m)
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, http.MethodPost, r.Method)
		assert.Equal(t, "/", r.URL.Path)
		for name, values := range r.Header {
			assert.NotContains(t, name, "Evil")
			assert.Len(t, values, 1, name)
		}
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "server/discover":
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}`, m.ID)
		case "tools/list":
			var tools []map[string]any
			for _, name := range names {
				tools = append(tools, map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}})
			}
			list, _ := json.Marshal(tools)
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","tools":%s,"ttlMs":0,"cacheScope":"private"}}`, m.ID, list)
		case "tools/call":
			if slices.Contains(names, m.Params.Name) {
				called++
			}
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"again"}]}}`, m.ID)
		default:
			t.Errorf("a request that was not made: %s", body)
		}
	}))
	t.Cleanup(endpoint.Close)
	seen, printed := runVictim(t, "    type: http\n    base_url: "+endpoint.URL+"/\n", true)
	require.Nil(t, seen.List)
	assert.Equal(t, len(names), seen.Tools)
	assert.Equal(t, len(names), called, "each was called under its own name")
	assertNoControls(t, printed)
}
