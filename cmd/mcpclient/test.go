package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/errors"
)

// testLine is how one server did.
type testLine struct {
	Server         string  `json:"server"`
	OK             bool    `json:"ok"`
	Protocol       string  `json:"protocol,omitempty"`
	Era            string  `json:"era,omitempty"`
	Implementation string  `json:"implementation,omitempty"`
	Seconds        float64 `json:"seconds"`
	Error          string  `json:"error,omitempty"`
}

func (p *program) testCommand() *cobra.Command {
	var all bool
	command := &cobra.Command{
		Use:   "test SERVER... | --all",
		Short: "Connect to servers and say how it went",
		Long: "Connect to the servers, all at once: start them, shake hands, ask for a sign of life. Exits with 1 if any of them\n" +
			"fails, if --all finds no server, and if the configuration has a fault outside its servers.",
		Example: "  mcpclient test demo\n" +
			"  mcpclient test github memory --timeout 30\n" +
			"  mcpclient test --all --json",
		ValidArgsFunction: p.completeServers,
		RunE: func(command *cobra.Command, found []string) error {
			if all == (len(found) > 0) {
				return usage("test takes the names of servers, or --all")
			}
			return p.withClient(command.Context(), func(ctx context.Context, client *mcpclient.Client) error {
				if all {
					found = client.Servers()
				}
				return p.test(ctx, client, found)
			})
		},
	}
	command.Flags().BoolVar(&all, "all", false, "test every configured server")
	return command
}

func (p *program) test(ctx context.Context, client *mcpclient.Client, names []string) error {
	for _, name := range names {
		if _, err := p.connect(client, name); errors.Is(err, errors.ErrUnknownServer) {
			return err
		}
	}
	lines := make([]testLine, len(names))
	var testing sync.WaitGroup
	for i, name := range names {
		testing.Go(func() {
			bar := p.bars().Add(name, true)
			defer bar.Done()
			lines[i] = testServer(ctx, client, name)
		})
	}
	testing.Wait()
	if err := p.printTests(lines); err != nil {
		return err
	}
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return verdict(lines, client.Problems())
}

// verdict is nil if all is well.
func verdict(lines []testLine, problems []*errors.ServerConfigurationError) error {
	failed := 0
	for _, line := range lines {
		if !line.OK {
			failed++
		}
	}
	faulty := slices.ContainsFunc(problems, func(problem *errors.ServerConfigurationError) bool { return problem.Server == "" })
	switch {
	case failed > 0:
		return fmt.Errorf("%d of %s failed", failed, counted(len(lines), "server"))
	case len(lines) == 0:
		return errors.New("no server is configured")
	case faulty:
		return errors.New("the configuration has faults outside its servers")
	default:
		return nil
	}
}

func testServer(ctx context.Context, client *mcpclient.Client, name string) testLine {
	begun := time.Now()
	line := testLine{Server: name}
	if err := line.connect(ctx, client); err != nil {
		line.Error = err.Error()
	} else {
		line.OK = true
	}
	line.Seconds = time.Since(begun).Round(time.Millisecond).Seconds()
	return line
}

func (l *testLine) connect(ctx context.Context, client *mcpclient.Client) error {
	connection, err := client.Connect(l.Server)
	if err != nil {
		return err
	}
	info, err := connection.ServerInfo(ctx)
	if err != nil {
		return err
	}
	l.Era, l.Protocol = info.Era.String(), string(info.Version)
	l.Implementation = info.Implementation.Name
	if info.Implementation.Version != "" {
		l.Implementation += " " + info.Implementation.Version
	}
	err = connection.Ping(ctx)
	if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok && failure.Kind == errors.KindPeer {
		return nil // some servers know no ping, but an error answer is a sign of life too
	}
	return err
}

func (p *program) printTests(lines []testLine) error {
	if p.json {
		return p.printJSON(lines)
	}
	if len(lines) == 0 {
		return p.nothing("no servers")
	}
	table := terminal.Table{Heading: []string{"SERVER", "RESULT", "PROTOCOL", "IMPLEMENTATION", "SECONDS"}}
	for _, line := range lines {
		result := terminal.Cell{Text: "ok", Style: terminal.Green}
		if !line.OK {
			result = terminal.Cell{Text: "FAILED", Style: terminal.Red}
		}
		table.Rows = append(table.Rows, []terminal.Cell{
			{Text: line.Server, Style: terminal.Cyan}, result, {Text: line.Protocol}, {Text: line.Implementation}, {Text: fmt.Sprintf("%.3f", line.Seconds)},
		})
	}
	if err := p.printTable(table); err != nil {
		return err
	}
	for _, line := range lines {
		if !line.OK {
			p.complain("mcpclient: " + strings.ReplaceAll(line.Error, "\n", "\n  "))
		}
	}
	return nil
}
