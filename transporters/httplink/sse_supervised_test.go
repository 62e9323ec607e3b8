package httplink_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// C41, B72: as the factory builds it, on demand: the cut fails the open call,
// the next call opens another stream and initializes it.
func TestSSEUnderSupervision(t *testing.T) {
	var streams, handshakes, cuts atomic.Int32
	push := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			streams.Add(1)
			w.Header().Set("Content-Type", "text/event-stream")
			for text := "event: endpoint\ndata: /messages"; text != ""; {
				_, _ = io.WriteString(w, text+"\n\n")
				w.(http.Flusher).Flush()
				select {
				case text = <-push:
				case <-r.Context().Done():
					return
				}
			}
			return
		}
		w.WriteHeader(http.StatusAccepted)
		body, _ := io.ReadAll(r.Body)
		m, _ := jsonrpc.Scan(body)
		answer := func(result string) { push <- fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%s,%s}", m.ID, result) }
		switch {
		case m.Method == mcp.MethodInitialize:
			handshakes.Add(1)
			answer(`"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`)
		case m.Method == mcp.MethodCallTool:
			cuts.Add(1)
			push <- ""
		case m.Kind() == mcp.KindRequest:
			answer(`"result":{"tools":[]}`)
		}
	}))
	defer server.Close()
	dial := func(context.Context) (transporters.Link, error) {
		return httplink.NewSSE("old", httplink.Config{BaseURL: server.URL}), nil
	}
	link := supervise.New("old", nil, dial, supervise.WithTraits(httplink.SSETraits()))
	s := session.New("old", session.Settings{Protocol: session.ProtocolLegacy}, link)
	defer s.Close()

	_, err := s.Request(t.Context(), mcp.MethodListTools, nil, nil)
	require.NoError(t, err)
	_, err = s.Request(t.Context(), mcp.MethodCallTool, map[string]any{"name": "cut"}, nil)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	assert.False(t, errors.SafeToRetry(err))
	_, err = s.Request(t.Context(), mcp.MethodListTools, nil, nil)
	require.NoError(t, err)
	assert.EqualValues(t, 2, streams.Load())
	assert.EqualValues(t, 2, handshakes.Load())
	assert.EqualValues(t, 1, cuts.Load(), "the cut call was sent once")
}
