// Command mcpclient talks to the MCP servers of a configuration file: it lists
// what they offer, calls tools, reads resources, fills in prompts, and tests that
// they can be reached. Without a file it uses a demo server of its own.
//
// It exits with 0 if all went well, with 1 after a failure (a tool that reports
// an error is one), and with 2 if it was used wrongly.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(interruptible()) }

// interruptible runs the program until it ends or is told to. The first signal
// cancels what runs, so that servers are closed properly; a second one kills.
func interruptible() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, executable: os.Executable}
	return p.run(ctx, os.Args[1:])
}
