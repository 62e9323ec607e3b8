package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
)

// serverLine is one configured server.
type serverLine struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Faults []string `json:"faults,omitempty"`
}

// serversReport is the configuration as a whole.
type serversReport struct {
	Servers []serverLine `json:"servers"`
	Faults  []string     `json:"faults"` // outside any server
}

func (p *program) serversCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "servers",
		Short: "List the configured servers and what is wrong with their configuration",
		Long: "List the configured servers and what is wrong with their configuration. Nothing is started or connected to.\n" +
			"Exits with 2 if there is any fault.",
		Example: "  mcpclient servers\n" +
			"  mcpclient --config mcp.yaml --config local.yaml servers --json",
		Args: arguments(cobra.NoArgs, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := p.configuration()
			if err != nil {
				return err
			}
			report := reportOn(cfg)
			if err := p.printServers(report); err != nil {
				return err
			}
			if count := report.count(); count > 0 {
				return codedError{fmt.Errorf("the configuration has %s", counted(count, "fault")), exitUsage}
			}
			return nil
		},
	}
}

// reportOn checks a configuration, a strict one too: it is there to show what
// is wrong.
func reportOn(cfg *config.Config) serversReport {
	types := newTypes()
	report := serversReport{
		Servers: []serverLine{},
		Faults:  texts(wholeFaults(cfg, types)),
	}
	for _, name := range cfg.Names() {
		section, _ := cfg.Server(name)
		line := serverLine{Name: name, Faults: texts(types.Check(section))}
		line.Type, _ = section.String("type")
		report.Servers = append(report.Servers, line)
	}
	return report
}

// wholeFaults are the faults of a configuration that are no server's.
func wholeFaults(cfg *config.Config, types *factory.TransporterFactory) []errors.Fault {
	return slices.Concat(cfg.Faults(), types.CheckDefaults(cfg.Defaults()), types.CheckStore(cfg))
}

func texts(faults []errors.Fault) []string {
	lines := make([]string, len(faults))
	for i, fault := range faults {
		lines[i] = fault.String()
	}
	return lines
}

func (r serversReport) count() int {
	count := len(r.Faults)
	for _, line := range r.Servers {
		count += len(line.Faults)
	}
	return count
}

func (p *program) printServers(report serversReport) error {
	if p.json {
		return p.printJSON(report)
	}
	p.complainAll(report.Faults)
	for _, line := range report.Servers {
		p.complainAll(line.Faults)
	}
	if len(report.Servers) == 0 {
		return p.nothing("no servers")
	}
	table := terminal.Table{Heading: []string{"NAME", "TYPE", "CONFIGURATION"}}
	for _, line := range report.Servers {
		verdict := terminal.Cell{Text: "ok", Style: terminal.Green}
		if len(line.Faults) > 0 {
			verdict = terminal.Cell{Text: counted(len(line.Faults), "fault"), Style: terminal.Red}
		}
		table.Rows = append(table.Rows, []terminal.Cell{{Text: line.Name, Style: terminal.Cyan}, {Text: line.Type}, verdict})
	}
	return p.printTable(table)
}

func (p *program) complainAll(lines []string) {
	if len(lines) > 0 {
		p.complain(strings.Join(lines, "\n"))
	}
}

// counted is a number of things.
func counted(count int, thing string) string {
	if count != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", count, thing)
}
