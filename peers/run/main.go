// Command run is what `make peers` runs: the integration matrix of package
// interop. It prints a line for each feature of each server,
//
//	ok|FAIL|KNOWN  server  transport  revision  feature  details
//
// then, for information, how servers differ from the specification's schemas,
// and last `N passed, N failed, N known failures`. The exit status is 1 if any
// failed, 2 if the matrix could not be run at all.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"

	"github.com/mcp-client-go/mcpclient/peers/interop"
	"github.com/mcp-client-go/mcpclient/peers/wire"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	failed, err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(2)
	case failed > 0:
		os.Exit(1)
	}
}

// options are those of the command line.
type options struct {
	peers, programs, known, schemas, markdown, logs string
	only                                            *regexp.Regexp
	parallel                                        int
	all                                             bool
}

func parse(arguments []string) (options, error) {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	var o options
	flags.StringVar(&o.peers, "peers", "peers", "`folder` of this module, with the servers from npm installed")
	flags.StringVar(&o.programs, "programs", "bin/peers", "`folder` of the built programs")
	flags.StringVar(&o.known, "known", "", "`file` of known failures; without it nothing is known to fail")
	flags.StringVar(&o.schemas, "schemas", "../shared/schemas", "`folder` of the specification's schemas; where it is not there the wire is not judged")
	flags.StringVar(&o.markdown, "markdown", "", "`file` to write the results to, as a table")
	flags.StringVar(&o.logs, "logs", "", "`folder` to write what servers printed to, of cells that failed")
	flags.BoolVar(&o.all, "require-all", os.Getenv("REQUIRE_ALL") != "", "fail where the schemas are not there")
	flags.IntVar(&o.parallel, "parallel", 2, "how many servers run at once")
	only := flags.String("only", "", "run only cells that match this `pattern`, as in \"peer2026 http 2026\"")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if o.parallel < 1 {
		return o, fmt.Errorf("-parallel is %d, but at least one server has to run", o.parallel)
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, err
	}
	for _, path := range []*string{&o.peers, &o.programs} {
		if *path, err = filepath.Abs(*path); err != nil {
			return o, err
		}
	}
	return o, nil
}

// run returns the number of lines that failed.
func run(ctx context.Context, arguments []string, out io.Writer) (int, error) {
	o, err := parse(arguments)
	if err != nil {
		return 0, err
	}
	known, err := interop.ReadKnown(o.known)
	if err != nil {
		return 0, err
	}
	judged := true
	if _, err := wire.OpenSchemas(o.schemas); errors.Is(err, wire.ErrNoSchemas) && !o.all {
		fmt.Fprintf(out, "LEFT OUT: judging the wire (%v)\n", err)
		judged = false
	} else if err != nil {
		return 0, err
	}
	scratch, err := os.MkdirTemp("", "peers")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	workshop := &interop.Workshop{Peers: o.peers, Programs: o.programs, Scratch: scratch}

	var places []interop.Place
	var cells []interop.Cell
	for _, cell := range interop.Cells() {
		places = append(places, cell.Places(true)...)
		if o.only.MatchString(cell.Name()) {
			cells = append(cells, cell)
		}
	}
	if len(cells) == 0 {
		return 0, fmt.Errorf("no cell matches %q", o.only)
	}

	report := interop.NewReport(out, known)
	var remarks []string
	for i, result := range visitAll(ctx, cells, workshop, o, judged) {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if !report.Add(&cells[i], result) && o.logs != "" {
			if err := keepLog(o.logs, cells[i].Name(), result.Log); err != nil {
				return 0, err
			}
		}
		if result.Verdict != nil {
			for _, problem := range result.Verdict.ServerProblems {
				remarks = append(remarks, fmt.Sprintf("note: the server %s: %s", cells[i].Name(), problem))
			}
		}
	}
	for _, missing := range known.Missing(places) {
		report.AddMissing(missing)
	}
	slices.Sort(remarks)
	for _, remark := range slices.Compact(remarks) {
		fmt.Fprintln(out, remark)
	}
	if o.markdown != "" {
		if err := os.WriteFile(o.markdown, []byte(report.Markdown()), 0o644); err != nil {
			return 0, err
		}
	}
	fmt.Fprintln(out, report.Summary())
	return report.Failed(), nil
}

// visitAll visits the cells, some at once, and yields their results in order.
// The loop's body runs while later cells are being visited. When it breaks off,
// or ctx ends, cells that have not begun are not visited, and those that have
// are waited for.
func visitAll(ctx context.Context, cells []interop.Cell, workshop *interop.Workshop, o options, judged bool) func(func(int, interop.Result) bool) {
	return func(yield func(int, interop.Result) bool) {
		ctx, cancel := context.WithCancel(ctx)
		results := make([]chan interop.Result, len(cells))
		for i := range results {
			results[i] = make(chan interop.Result, 1)
		}
		next := make(chan int, len(cells))
		for i := range cells {
			next <- i
		}
		close(next)
		ended := make(chan struct{})
		for range o.parallel {
			go func() {
				defer func() { ended <- struct{}{} }()
				for i := range next {
					results[i] <- visit(ctx, &cells[i], workshop, o, judged)
				}
			}()
		}
		defer func() {
			cancel()
			for range o.parallel {
				<-ended
			}
		}()
		for i := range cells {
			if !yield(i, <-results[i]) {
				return
			}
		}
	}
}

// visit visits a cell, with schemas of its own: they are not for concurrent use.
func visit(ctx context.Context, cell *interop.Cell, workshop *interop.Workshop, o options, judged bool) interop.Result {
	if ctx.Err() != nil {
		return interop.Result{}
	}
	var schemas *wire.Schemas
	if judged {
		var err error
		if schemas, err = wire.OpenSchemas(o.schemas); err != nil {
			return interop.Result{Outcomes: []interop.Outcome{{Place: cell.Places(false)[0], Err: err}}}
		}
	}
	return cell.Visit(ctx, workshop, schemas)
}

// keepLog writes what a server printed to a file named after its cell.
func keepLog(folder, name, text string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, regexp.MustCompile(`\W+`).ReplaceAllString(name, "-")+".log"), []byte(text), 0o644)
}
