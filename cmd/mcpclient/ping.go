package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/internal/sleep"
)

// pingLine is one sign of life.
type pingLine struct {
	Server  string  `json:"server"`
	Ping    int     `json:"ping"`
	Seconds float64 `json:"seconds"`
}

func (p *program) pingCommand() *cobra.Command {
	var (
		count    int
		interval = timeoutFlag{length: time.Second}
	)
	command := &cobra.Command{
		Use:   "ping SERVER",
		Short: "Ask a server for signs of life, and tell how long they take",
		Long: "Ask a server for signs of life, and tell how long they take. The first one also connects, which is not counted.\n" +
			"A server of the modern era, which has no ping, is asked what it is. With --json each one is a line of JSON.",
		Example:           "  mcpclient ping demo\n  mcpclient ping demo --count 3 --interval 0.1",
		Args:              arguments(cobra.ExactArgs(1), "the name of a server"),
		ValidArgsFunction: p.completeServer,
		RunE: func(command *cobra.Command, found []string) error {
			if count < 1 {
				return usage("--count must be 1 or more")
			}
			return p.withServer(command.Context(), found[0], func(ctx context.Context, connection *mcpclient.Connection) error {
				return p.ping(ctx, connection, count, interval.length)
			})
		},
	}
	command.Flags().IntVarP(&count, "count", "n", 4, "how many")
	command.Flags().Var(&interval, "interval", "pause between two of them (1s)")
	return command
}

func (p *program) ping(ctx context.Context, connection *mcpclient.Connection, count int, interval time.Duration) error {
	if _, err := connection.ServerInfo(ctx); err != nil {
		return err
	}
	for number := 1; number <= count; number++ {
		if number > 1 {
			if err := sleep.For(ctx, interval); err != nil {
				return err
			}
		}
		took, err := timed(func() error { return signOfLife(ctx, connection) })
		if err != nil {
			return err
		}
		line := pingLine{connection.Name(), number, took.Seconds()}
		if p.json {
			err = p.printCompact(p.stdout, line)
		} else {
			err = p.printLine(fmt.Sprintf("%s: %d: %s", terminalText(line.Server), number, milliseconds(took)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// signOfLife pings. Some servers know no ping, but an error answer is a sign of
// life too.
func signOfLife(ctx context.Context, connection *mcpclient.Connection) error {
	err := connection.Ping(ctx)
	if isRefusal(err) {
		return nil
	}
	return err
}

func timed(work func() error) (time.Duration, error) {
	begun := time.Now()
	err := work()
	return time.Since(begun), err
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
