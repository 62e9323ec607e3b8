package mcptest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func TestReceivedIsBounded(t *testing.T) {
	tests := []struct {
		limit int
		want  []string
	}{
		{0, []string{}},
		{2, []string{"4", "5"}},
		{9, []string{"1", "", "2", "3", "4", "5"}},
	}
	for _, test := range tests {
		server := mcptest.NewDemoServer(mcptest.WithReceivedLimit(test.limit))
		c := newLinkClient(t, server.Link())
		c.handshake()
		for range 4 {
			c.result(mcp.MethodPing, `{}`)
		}
		ids := []string{}
		for _, received := range server.Received() {
			ids = append(ids, received.ID.String())
		}
		require.Equal(t, test.want, ids)
		require.Equal(t, 4, server.Count(mcp.MethodPing))
		server.Close()
	}
}
