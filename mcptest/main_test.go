package mcptest_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// serveVariable makes the test binary a demo server on stdio: "both", or one
// version.
const serveVariable = "MCPTEST_SERVE"

func TestMain(m *testing.M) {
	if version := os.Getenv(serveVariable); version != "" {
		os.Exit(serve(version))
	}
	mcptest.ServeProcess(map[string]func() *mcptest.Server{
		"demo": func() *mcptest.Server { return mcptest.NewDemoServer() },
		"halves": func() *mcptest.Server {
			return mcptest.NewDemoServer(mcptest.WithStdioFaults(mcptest.StdioFaults{Seed: 1, Pieces: 9}))
		},
		"mortal": func() *mcptest.Server {
			return mcptest.NewDemoServer(mcptest.LegacyOnly(), mcptest.WithStdioFaults(mcptest.StdioFaults{CutAfter: 2000}))
		},
	})
	goleak.VerifyTestMain(m)
}

func serve(version string) int {
	var options []mcptest.Option
	if version != "both" {
		options = append(options, mcptest.WithVersions(mcp.Version(version)))
	}
	server := mcptest.NewDemoServer(options...)
	defer server.Close()
	if err := server.ServeStdio(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if violations := server.Violations(); len(violations) > 0 {
		fmt.Fprintln(os.Stderr, "violations:", violations)
		return 2
	}
	return 0
}
