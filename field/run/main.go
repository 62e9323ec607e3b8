// Command run plays a directory of field cases and says which of them the client
// gets right.
//
// For each case it starts the player, a fake server, and the harness, which
// drives the client, in a process of its own with a limit of 60 s. Then the
// player judges what the server saw and what the client said. What the harness
// leaks fails the case as well: goroutines, descriptors, child processes,
// processes left behind, data races.
//
// It prints one line a case: ok, FAIL, KNOWN or n/a, the case, its title, and
// what fell short. The last line on stdout is "N passed, N failed", with ", N
// known failures" after it if the directory has a list of those. The exit code
// is 0 if none failed, 1 if one did, and 2 if the cases could not be played.
//
// It runs on Unix; without /proc (that is, on other systems than Linux),
// processes and descriptors are not looked at, which is said.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// caseLimit is how long one case may take.
const caseLimit = 60 * time.Second

// settings are what the flags say.
type settings struct {
	cases    string
	harness  string
	player   string
	module   string
	known    string
	markdown string
	keep     string
	limit    time.Duration
	race     bool
	verbose  bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// command is the program: it returns the exit code.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.cases, "cases", "cases", "directory of cases, or one case")
	flags.StringVar(&s.player, "player", "", "the player's program; empty: it is built")
	flags.StringVar(&s.harness, "harness", "", "the harness's program, for another client; empty: it is built")
	flags.StringVar(&s.module, "module", ".", "directory of the module that holds harness and player")
	flags.StringVar(&s.known, "known", "", "list of known failures; empty: the file known-failures beside the cases, if there is one")
	flags.StringVar(&s.markdown, "markdown", "", "file to write a table of the cases to")
	flags.StringVar(&s.keep, "keep", "", "directory to leave logs, outcomes and stderr of each case in")
	flags.DurationVar(&s.limit, "limit", caseLimit, "how long one case may take")
	flags.BoolVar(&s.race, "race", true, "build the harness with the race detector, if there is a C compiler")
	flags.BoolVar(&s.verbose, "v", false, "print what the player says of each case")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "run: unknown argument %q\n", flags.Arg(0))
		return 2
	}
	failed, err := playAll(ctx, s, stdout)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "run:", err)
		return 2
	case failed > 0:
		return 1
	default:
		return 0
	}
}
