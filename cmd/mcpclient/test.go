package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
)

// testLine is how one server did.
type testLine struct {
	Server         string  `json:"server"`
	OK             bool    `json:"ok"`
	Version        string  `json:"version,omitempty"`
	Era            string  `json:"era,omitempty"`
	Implementation string  `json:"implementation,omitempty"`
	Seconds        float64 `json:"seconds"`
	Error          string  `json:"error,omitempty"`
}

func (p *program) testCommand() *cobra.Command {
	var all bool
	command := &cobra.Command{
		Use:   "test [SERVER | --all]",
		Short: "Connect to a server, or to all, and say how it went",
		Long: "Connect to a server, or to all at once: start it, shake hands, ask for a sign of life. Exits with 1 if any of\n" +
			"them fails, one that is configured wrongly included.",
		Args: arguments(cobra.MaximumNArgs(1), "the name of one server, or --all"),
		RunE: func(command *cobra.Command, found []string) error {
			if all == (len(found) == 1) {
				return usage("test takes the name of one server, or --all")
			}
			return p.withClient(command.Context(), func(ctx context.Context, client *mcpclient.Client) error {
				names := found
				if all {
					names = client.Servers()
				}
				return p.test(ctx, client, names)
			})
		},
	}
	command.Flags().BoolVar(&all, "all", false, "test every configured server")
	return command
}

func (p *program) test(ctx context.Context, client *mcpclient.Client, names []string) error {
	lines := make([]testLine, len(names))
	var testing sync.WaitGroup
	for i, name := range names {
		testing.Go(func() { lines[i] = testServer(ctx, client, name) })
	}
	testing.Wait()
	if err := p.printTests(lines); err != nil {
		return err
	}
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	failed := len(slices.DeleteFunc(lines, func(line testLine) bool { return line.OK }))
	if failed > 0 {
		return fmt.Errorf("%d of %d servers failed", failed, len(names))
	}
	return nil
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
	l.Era, l.Version = info.Era.String(), string(info.Version)
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
		return p.printLine("no servers")
	}
	rows := [][]string{{"SERVER", "RESULT", "VERSION", "IMPLEMENTATION", "SECONDS"}}
	for _, line := range lines {
		result := "ok"
		if !line.OK {
			result = "FAILED"
			p.complain(fmt.Sprintf("%s: %s", line.Server, line.Error))
		}
		rows = append(rows, []string{line.Server, result, line.Version, line.Implementation, fmt.Sprintf("%.3f", line.Seconds)})
	}
	return p.table(rows)
}
