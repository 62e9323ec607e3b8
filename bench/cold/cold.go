// Package cold is the smallest program around a driver: open, call a tool once,
// say so, leave. Its binaries are what is started and weighed.
package cold

import (
	"context"
	"fmt"
	"os"

	"github.com/mcp-client-go/mcpclient/bench/driver"
)

// Main takes the arguments "http URL" or "stdio PROGRAM ARGUMENTS".
func Main(d driver.Driver) {
	if err := run(d, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(d driver.Driver, arguments []string) error {
	if len(arguments) < 2 {
		return fmt.Errorf("usage: http URL, or stdio PROGRAM ARGUMENTS")
	}
	target := driver.Target{Command: arguments[1:]}
	if arguments[0] == "http" {
		target = driver.Target{URL: arguments[1]}
	}
	ctx := context.Background()
	client, err := d.Open(ctx, target)
	if err != nil {
		return err
	}
	text, err := client.Call(ctx, "echo", map[string]any{"text": "hello"})
	if err != nil {
		return err
	}
	if _, err := os.Stdout.WriteString(text + "\n"); err != nil {
		return err
	}
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the clock has been stopped
	return client.Close()
}
