package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// serverLine is one configured server.
type serverLine struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Faults []string `json:"faults,omitempty"`
}

func (p *program) serversCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "servers",
		Short: "List the configured servers and what is wrong with their configuration",
		Args:  arguments(cobra.NoArgs, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := p.configuration()
			if err != nil {
				return err
			}
			client, err := mcpclient.New(cfg, mcpclient.WithLogger(p.logger()))
			if err != nil {
				return err
			}
			defer p.close(client)
			return p.printServers(cfg, client)
		},
	}
}

func (p *program) printServers(cfg *config.Config, client *mcpclient.Client) error {
	lines := make([]serverLine, 0, len(client.Servers()))
	for _, name := range client.Servers() {
		line := serverLine{Name: name}
		if section, ok := cfg.Server(name); ok {
			line.Type, _ = section.String("type")
		}
		_, err := client.Connect(name)
		if problem, ok := errors.AsType[*errors.ServerConfigurationError](err); ok {
			for _, fault := range problem.Faults {
				line.Faults = append(line.Faults, fault.String())
			}
		}
		lines = append(lines, line)
	}
	if p.json {
		return p.printJSON(lines)
	}
	for _, problem := range client.Problems() {
		p.complain(problem.Error())
	}
	if len(lines) == 0 {
		return p.printLine("no servers")
	}
	rows := [][]string{{"NAME", "TYPE", "CONFIGURATION"}}
	for _, line := range lines {
		rows = append(rows, []string{line.Name, line.Type, verdict(len(line.Faults))})
	}
	return p.table(rows)
}

func verdict(faults int) string {
	switch faults {
	case 0:
		return "ok"
	case 1:
		return "1 fault"
	default:
		return fmt.Sprintf("%d faults", faults)
	}
}
