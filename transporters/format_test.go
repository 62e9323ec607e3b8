package transporters_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// What a program prints or logs by mistake shows no secret (R100, P104).
func TestFormatShowsNoSecret(t *testing.T) {
	header := http.Header{"Mcp-Session-Id": {"canary-1"}, "Authorization": {"Bearer canary-2"}}
	options := transporters.CallOptions{Principal: "alice", Token: "canary-3", Header: header, Meta: map[string]any{"x": "canary-4"}}
	out := transporters.Outbound{Frame: []byte("canary-5"), Method: mcp.MethodCallTool, ID: 7, Header: header}
	reply := transporters.Reply{Body: []byte("canary-6"), Status: 401, Header: header}
	for _, value := range []any{options, &options, out, &out, reply, &reply, struct{ Inner any }{out}, []any{options, reply}} {
		shown := ""
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			shown += fmt.Sprintf(verb, value)
		}
		var line bytes.Buffer
		slog.New(slog.NewTextHandler(&line, nil)).Info("x", "value", value)
		require.NotContains(t, shown+line.String(), "canary")
		require.NotContains(t, shown, fmt.Sprintf("%x", "canary"))
	}
	require.Equal(t, `options of a call for principal "alice", with a token, headers Authorization Mcp-Session-Id`, fmt.Sprint(options))
	require.Equal(t, "tools/call of 8 bytes, id 7, headers Authorization Mcp-Session-Id", fmt.Sprint(&out))
	require.Equal(t, "reply of 8 bytes, status 401, headers Authorization Mcp-Session-Id", fmt.Sprint(reply))
	require.Equal(t, `options of a call for principal ""`, fmt.Sprint(transporters.CallOptions{}))
}
