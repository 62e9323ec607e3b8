// Command mcpclient talks to the MCP servers of a configuration file: it lists
// what they offer, calls tools, reads resources, fills in prompts, watches for
// changes, and finds out why a server cannot be reached. Without a file it uses a
// demo server of its own.
//
// How it is cut into files: a command has a file of its name; program.go is what
// they share, configuration.go how they get at a server, exit.go how they end,
// output.go and content.go what they write, observe.go what is seen of a call
// while it runs, and completion*.go what shells propose. Whatever knows nothing of
// commands is a package below internal.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(interruptible()) }

// interruptible runs the program until it ends or is told to. The first signal
// cancels what runs, so that servers are told and closed properly; a second one
// kills.
func interruptible() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case received := <-signals:
			signal.Stop(signals)
			cancel(interrupted{received})
		case <-ctx.Done():
		}
	}()
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, executable: os.Executable}
	return p.run(ctx, os.Args[1:])
}

// interrupted is the cause of a context that a signal ended.
type interrupted struct{ signal os.Signal }

func (i interrupted) Error() string { return "interrupted" }
