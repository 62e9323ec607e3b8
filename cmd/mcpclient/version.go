package main

import (
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient/mcp"
)

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program and of the protocols it speaks",
		Args:  arguments(cobra.NoArgs, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			var protocols []string
			for _, version := range append(mcp.ModernVersions(), mcp.LegacyVersions()...) {
				protocols = append(protocols, string(version))
			}
			info := mcp.ClientInfo()
			if p.json {
				return p.printJSON(map[string]any{"version": info.Version, "protocols": protocols, "go": runtime.Version()})
			}
			return p.printLine(info.Name + " " + info.Version + "\nMCP " + strings.Join(protocols, ", ") + "\n" + runtime.Version())
		},
	}
}
