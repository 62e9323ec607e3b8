// Command proof shows that `make conformance` finds out a client that does
// nothing (no run passes) and one that does its work and then exits with 1 (no
// run passes but those of the scenarios in which the suite allows a client to
// fail). It carries out every run with both, which takes about a minute, and
// prints what contradicts and then a line for each client.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/mcp-client-go/mcpclient/conformance/referee"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	failed, err := prove(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "conformance proof:", err)
		os.Exit(2)
	case failed > 0:
		os.Exit(1)
	}
}

// mayFail names the scenarios in which the suite allows the client to exit with
// an error: giving up is what they ask for.
func mayFail() []string {
	return []string{
		"auth/resource-mismatch", "auth/metadata-issuer-mismatch", "auth/scope-retry-limit",
		"auth/iss-supported-missing", "auth/iss-wrong-issuer", "auth/iss-unexpected", "auth/iss-normalized",
		"http-invalid-tool-headers",
	}
}

// prove returns the number of runs whose outcome contradicts.
func prove(ctx context.Context, arguments []string, out io.Writer) (int, error) {
	flags := flag.NewFlagSet("proof", flag.ContinueOnError)
	var (
		directory = flags.String("suite", "conformance/suite", "`folder` in which npm installed the suite")
		clients   = flags.String("clients", "conformance/proof", "`folder` of the two clients")
		known     = flags.String("known", "conformance/known-failures", "`file` of the runs that fail with the real client")
		results   = flags.String("results", "conformance/results/proof", "`folder` for the checks and logs of each run")
	)
	if err := flags.Parse(arguments); err != nil {
		return 0, err
	}
	knownFailures, err := referee.ReadKnown(*known)
	if err != nil {
		return 0, err
	}
	suite, err := referee.Find(ctx, *directory)
	if err != nil {
		return 0, err
	}
	runs, err := suite.List(ctx)
	if err != nil {
		return 0, err
	}
	contradictions := 0
	for _, client := range []struct {
		program string
		passes  func(referee.Run) bool
	}{
		{"nothing.sh", func(referee.Run) bool { return false }},
		{"exits-one.sh", func(run referee.Run) bool {
			return slices.Contains(mayFail(), run.Scenario) && !knownFailures[run]
		}},
	} {
		suite.Results = filepath.Join(*results, client.program)
		found, err := contradict(ctx, suite, runs, filepath.Join(*clients, client.program), client.passes, out)
		if err != nil {
			return 0, err
		}
		contradictions += found
	}
	return contradictions, nil
}

// contradict carries out the runs with the client at path and returns how many
// of them passed or failed where passes says otherwise.
func contradict(ctx context.Context, suite referee.Suite, runs []referee.Run, path string, passes func(referee.Run) bool, out io.Writer) (int, error) {
	directory, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(directory)
	if suite.Client, err = referee.WrapClient(path, directory); err != nil {
		return 0, err
	}
	passed, contradictions := 0, 0
	for _, run := range runs {
		outcome := suite.Play(ctx, run)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if outcome.Passed() {
			passed++
		}
		if outcome.Passed() != passes(run) {
			contradictions++
			fmt.Fprintf(out, "WRONG %s: passed is %t, expected %t: %s\n", run, outcome.Passed(), passes(run), outcome.Problem)
		}
	}
	fmt.Fprintf(out, "%s: %d of %d runs passed, %d not as expected\n", filepath.Base(path), passed, len(runs), contradictions)
	return contradictions, nil
}
