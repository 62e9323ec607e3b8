package clienttest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/mcptest"
)

func TestMain(m *testing.M) {
	mcptest.ServeProcess(map[string]func() *mcptest.Server{
		"stock": func() *mcptest.Server { return newStock() },
		"demo":  func() *mcptest.Server { return mcptest.NewDemoServer() },
		"old":   func() *mcptest.Server { return mcptest.NewDemoServer(mcptest.LegacyOnly()) },
	})
	goleak.VerifyTestMain(m)
}
