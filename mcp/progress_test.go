package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// TestProgressOf holds R135: total and message are optional, numbers may be
// fractional, and what is no report is told apart from one.
func TestProgressOf(t *testing.T) {
	for _, test := range []struct {
		params string
		want   mcp.Progress
		ok     bool
	}{
		{`{"progressToken":1,"progress":0.5,"total":2,"message":"h\u00e4lf"}`, mcp.Progress{Progress: 0.5, Total: 2, Message: "hälf"}, true},
		{`{"progress":1e2}`, mcp.Progress{Progress: 100}, true},
		{`{"progress":0}`, mcp.Progress{}, true},
		{`{"progress":1,"total":null,"message":7}`, mcp.Progress{Progress: 1}, true},
		{`{"progress":"1"}`, mcp.Progress{}, false},
		{`{"progress":1e999}`, mcp.Progress{}, false},
		{`{"total":1}`, mcp.Progress{Total: 1}, false},
		{`[1]`, mcp.Progress{}, false},
		{`{"progress":1`, mcp.Progress{Progress: 1}, false},
		{``, mcp.Progress{}, false},
	} {
		got, ok := mcp.ProgressOf(json.RawMessage(test.params))
		require.Equal(t, test.ok, ok, test.params)
		if ok {
			require.Equal(t, test.want, got, test.params)
		}
	}
}
