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
			if p.json {
				return p.printJSON(map[string]any{"version": mcp.ClientInfo().Version, "protocols": protocols(), "go": runtime.Version()})
			}
			return p.printLine(versionText())
		},
	}
}

func versionText() string {
	info := mcp.ClientInfo()
	return info.Name + " " + info.Version + "\nMCP " + strings.Join(protocols(), ", ") + "\n" + runtime.Version()
}

// protocols returns the versions that this program speaks, the newest first.
func protocols() []string {
	var versions []string
	for _, version := range append(mcp.ModernVersions(), mcp.LegacyVersions()...) {
		versions = append(versions, string(version))
	}
	return versions
}
