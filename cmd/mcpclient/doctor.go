package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/doctor"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
)

// doctorReport is all that was found.
type doctorReport struct {
	OK            bool           `json:"ok"`
	Configuration []doctor.Check `json:"configuration"` // outside any server
	Servers       []doctorLine   `json:"servers"`
}

// doctorLine is what was found of one server.
type doctorLine struct {
	Server string         `json:"server"`
	Checks []doctor.Check `json:"checks"`
}

func (p *program) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor [SERVER...]",
		Short: "Find out what is wrong with servers, and what would help",
		Long: "Examine the named servers, or all: the configuration, the program and its folder, name, connection, certificate\n" +
			"and clock of an HTTP server, the handshake, authorization, latency and tools. Each check is bounded in time, and\n" +
			"says what would help where it fails. Exits with 1 if any check fails; warnings fail nothing.",
		Example:           "  mcpclient doctor\n  mcpclient doctor github --json",
		ValidArgsFunction: p.completeServers,
		RunE: func(command *cobra.Command, found []string) error {
			cfg, err := p.configuration()
			if err != nil {
				return err
			}
			return p.doctor(command, cfg, found)
		},
	}
}

func (p *program) doctor(command *cobra.Command, cfg *config.Config, names []string) error {
	ctx := command.Context()
	if limit := p.timeout.length; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w %v", errTimedOut, limit))
		defer cancel()
	}
	options, err := p.clientOptions()
	if err != nil {
		return err
	}
	client, err := mcpclient.New(cfg, options...) // fails for a strict configuration with faults, which are told below
	if err == nil {
		defer p.close(client)
	}
	if len(names) == 0 {
		names = cfg.Names()
	}
	types := newTypes()
	report := doctorReport{Configuration: examineConfiguration(cfg, types), Servers: make([]doctorLine, len(names))}
	sections := make([]*config.Section, len(names))
	for i, name := range names {
		section, found := cfg.Server(name)
		if !found {
			return p.unknownServer(cfg, name)
		}
		sections[i] = section
	}
	login := ""
	if p.hasCommand(command, "login") {
		login = "mcpclient login "
	}
	var examining sync.WaitGroup
	for i, name := range names {
		report.Servers[i].Server = name
		examining.Go(func() {
			bar := p.bars().Add(name, true)
			defer bar.Done()
			report.Servers[i].Checks = p.examine(ctx, client, sections[i], types.Check(sections[i]), login)
		})
	}
	examining.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return p.conclude(report)
}

// examine examines one server.
func (p *program) examine(ctx context.Context, client *mcpclient.Client, section *config.Section, faults []errors.Fault, login string) []doctor.Check {
	patient := doctor.Patient{Section: section, Faults: faults}
	if login != "" {
		patient.Login = login + section.Server()
	}
	patient.Connect = func() (*mcpclient.Connection, error) {
		if client == nil {
			return nil, errors.New("strict is set, and the configuration has faults: no server is used")
		}
		return client.Connect(section.Server())
	}
	return doctor.Examine(ctx, patient)
}

// unknownServer is the error for a name that is not configured.
func (p *program) unknownServer(cfg *config.Config, name string) error {
	err := fmt.Errorf("%w %q; configured: %s", errors.ErrUnknownServer, name, strings.Join(cfg.Names(), ", "))
	if near := config.Nearest(name, cfg.Names()); near != "" {
		err = fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return err
}

// examineConfiguration checks the file as a whole.
func examineConfiguration(cfg *config.Config, types *factory.TransporterFactory) []doctor.Check {
	faults := wholeFaults(cfg, types)
	check := doctor.Check{Name: "configuration", Status: doctor.OK, Detail: fmt.Sprintf("%s: %s", cfg.Source(), counted(len(cfg.Names()), "server"))}
	if len(faults) > 0 {
		check.Status, check.Detail = doctor.Failed, strings.Join(texts(faults), "\n")
		check.Advice = "correct the configuration; 'mcpclient servers' lists all faults"
	}
	return []doctor.Check{check}
}

// conclude prints the report; the error says that there is something to mend.
func (p *program) conclude(report doctorReport) error {
	failed := 0
	for _, line := range report.Servers {
		if doctor.IsAnyFailed(line.Checks) {
			failed++
		}
	}
	faulty := doctor.IsAnyFailed(report.Configuration)
	report.OK = failed == 0 && !faulty
	if err := p.printReport(report); err != nil {
		return err
	}
	switch {
	case failed > 0:
		return codedError{fmt.Errorf("%d of %s cannot be used as configured", failed, counted(len(report.Servers), "server")), exitFailure}
	case faulty:
		return codedError{errors.New("the configuration has faults outside its servers"), exitFailure}
	default:
		return nil
	}
}

func (p *program) printReport(report doctorReport) error {
	if p.json {
		return p.printJSON(report)
	}
	lines := append([]doctorLine{{Checks: report.Configuration}}, report.Servers...)
	if !p.output().IsTerminal() {
		rows := [][]string{{"SERVER", "CHECK", "STATUS", "DETAIL", "ADVICE"}}
		for _, line := range lines {
			for _, check := range line.Checks {
				rows = append(rows, []string{line.Server, check.Name, string(check.Status), check.Detail, check.Advice})
			}
		}
		return p.table(rows)
	}
	for _, line := range lines {
		if line.Server != "" {
			if err := p.printLine("\n" + p.output().Paint(terminal.Bold, terminalText(line.Server))); err != nil {
				return err
			}
		}
		for _, check := range line.Checks {
			if err := p.printLine(p.describeCheck(check)); err != nil {
				return err
			}
		}
	}
	return nil
}

// describeCheck is a check for people, with what would help below it.
func (p *program) describeCheck(check doctor.Check) string {
	style := map[doctor.Status]terminal.Style{doctor.OK: terminal.Green, doctor.Warning: terminal.Yellow, doctor.Failed: terminal.Red}[check.Status]
	mark := map[doctor.Status]string{doctor.OK: "ok  ", doctor.Warning: "warn", doctor.Failed: "FAIL"}[check.Status]
	text := "  " + p.output().Paint(style, mark) + fmt.Sprintf("  %-17s  ", check.Name) + strings.ReplaceAll(terminalText(check.Detail), "\n", "\n        ")
	if took := time.Duration(check.Seconds * float64(time.Second)); took >= time.Second {
		text += p.output().Paint(terminal.Dim, fmt.Sprintf(" (%.1f s)", took.Seconds()))
	}
	if check.Advice != "" {
		text += "\n        " + p.output().Paint(terminal.Yellow, "-> "+terminalText(check.Advice))
	}
	return text
}
