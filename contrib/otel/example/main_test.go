package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/mcptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunShowsSpansAndMetrics(t *testing.T) {
	var output bytes.Buffer
	require.NoError(t, run(t.Context(), mcptest.StartHTTP(t, mcptest.NewDemoServer()), &output))
	for _, want := range []string{"hello\n", `"tools/call echo"`, `"GET /echo"`, `"server/discover"`, `"mcp.client.operation.duration"`} {
		assert.Contains(t, output.String(), want)
	}
}
