package main

import (
	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient/mcptest"
)

// demoServerCommand is the server of the built-in configuration.
func (p *program) demoServerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "demo-server",
		Short:  "Serve MCP on stdin and stdout",
		Hidden: true,
		Args:   arguments(cobra.NoArgs, "no arguments"),
		RunE: func(command *cobra.Command, _ []string) error {
			server := mcptest.NewDemoServer()
			defer server.Close()
			return server.ServeStdio(command.Context(), p.stdin, p.stdout)
		},
	}
}
