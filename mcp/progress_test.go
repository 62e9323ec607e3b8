package mcp_test

import (
	"encoding/json"
	"strings"
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
		{`{"message":"x","progress":123456789012345,"total":1234567890123456789,"progressToken":"t"}`,
			mcp.Progress{Progress: 123456789012345, Total: 1234567890123456789, Message: "x"}, true},
		{`{"progressToken":{},"progress":1}`, mcp.Progress{Progress: 1}, true},
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
		if !json.Valid([]byte(test.params)) {
			continue
		}
		// Of a message the token is read as well.
		m := mcp.Message{Method: mcp.NotificationProgress, Params: json.RawMessage(test.params)}
		token, reported, isReport := m.Progress()
		hasToken := strings.Contains(test.params, "progressToken") && !strings.Contains(test.params, "{}")
		require.Equal(t, hasToken, token != nil, test.params)
		require.Equal(t, test.ok && hasToken, isReport, test.params)
		if isReport {
			require.Equal(t, test.want, reported)
		}
		m.Method = mcp.NotificationMessage
		_, _, isReport = m.Progress()
		require.False(t, isReport, "another notification")
	}
}
