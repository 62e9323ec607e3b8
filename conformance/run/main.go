// Command run is what `make conformance` runs: every client scenario of the
// official suite, one after the other, at every revision it applies to, and
// the OAuth extensions. It prints a line for each run,
//
//	ok|FAIL|KNOWN  revision  scenario  details
//
// and last `N passed, N failed, N known failures`. The exit status is 1 if any
// failed, 2 if the suite could not be run at all.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"

	"github.com/mcp-client-go/mcpclient/conformance/referee"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	failed, err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	case failed > 0:
		os.Exit(1)
	}
}

// run returns the number of lines that failed.
func run(ctx context.Context, arguments []string, out io.Writer) (int, error) {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	var (
		directory = flags.String("suite", "conformance/suite", "`folder` in which npm installed the suite")
		client    = flags.String("client", "bin/conformance-client", "the `program` that the suite drives")
		known     = flags.String("known", "", "`file` of known failures; without it nothing is known to fail")
		results   = flags.String("results", "conformance/results", "`folder` for the checks and logs of each run")
		markdown  = flags.String("markdown", "", "`file` to write the results to, as a table")
		only      = flags.String("only", "", "run only what matches this `pattern`, as in \"2025-11-25 auth/\"")
	)
	if err := flags.Parse(arguments); err != nil {
		return 0, err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
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
	scripts, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(scripts)
	suite.Results = *results
	if suite.Client, err = referee.WrapClient(*client, scripts); err != nil {
		return 0, err
	}
	runs, err := suite.List(ctx)
	if err != nil {
		return 0, err
	}

	report := referee.NewReport(out, knownFailures)
	wanted := slices.DeleteFunc(slices.Clone(runs), func(r referee.Run) bool { return !pattern.MatchString(r.String()) })
	if len(wanted) == 0 {
		return 0, fmt.Errorf("no run of the suite matches %q", *only)
	}
	for _, run := range wanted { // one at a time: sse-retry measures how long the client waits
		outcome := suite.Play(ctx, run)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		report.Add(outcome)
	}
	for _, missing := range knownFailures.Missing(runs) {
		report.AddMissing(missing)
	}
	if *markdown != "" {
		if err := os.WriteFile(*markdown, []byte(report.Markdown()), 0o644); err != nil {
			return 0, err
		}
	}
	fmt.Fprintln(out, report.Summary())
	return report.Failed(), nil
}
