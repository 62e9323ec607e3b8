// Command harness drives the client, through its public interface alone, in one
// field case, and says what came of each action.
//
// It does the case's actions in order and writes one JSON line for each to the
// outcome file, at once, so that an action without a line is one that hung. When
// all are done it closes what is still open and looks for leaks: goroutines,
// file descriptors and connections that were not there before the first action,
// and child processes that are still there. Each is told on stdout, in a line
// that begins with "leak: ".
//
// The exit code is 0 if all actions were tried, whatever came of them, and
// nothing leaked; 1 if something leaked; 2 if the case could not be played. The
// race detector, where it is built in, makes it 66.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mcp-client-go/mcpclient/field"
)

func main() {
	os.Exit(play(os.Args[1:]))
}

func play(args []string) int {
	var p peer
	var casePath, outcomePath string
	flags := flag.NewFlagSet("harness", flag.ExitOnError)
	flags.StringVar(&casePath, "case", "", "case file")
	flags.StringVar(&outcomePath, "outcome", "", "file for the outcomes, one JSON line each (appended)")
	flags.StringVar(&p.url, "url", "", "where the player listens (http)")
	flags.StringVar(&p.program, "player", "", "the player, to be started as a server (stdio)")
	flags.StringVar(&p.log, "log", "", "the player's log (stdio)")
	flags.StringVar(&p.directory, "dir", ".", "where the case's files are (config)")
	_ = flags.Parse(args) // ends the program if it fails

	scenario, err := field.Load(casePath)
	if err != nil {
		return unplayable(err)
	}
	p.casePath = casePath
	outcomes, err := os.OpenFile(outcomePath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return unplayable(err)
	}
	defer func() { _ = outcomes.Close() }()

	before, err := takeInventory()
	if err != nil {
		return unplayable(err)
	}
	h := &harness{scenario: scenario, peer: p}
	for _, action := range scenario.Client {
		if err := report(outcomes, h.carryOut(action)); err != nil {
			return unplayable(err)
		}
	}
	var leaks []string
	if err := h.closeAll(); err != nil { // what the case leaves open
		leaks = append(leaks, "close: "+err.Error())
	}
	leaks = append(leaks, before.leaks()...)
	for _, leak := range leaks {
		fmt.Println("leak: " + leak)
	}
	return min(len(leaks), 1)
}

func unplayable(err error) int {
	fmt.Fprintln(os.Stderr, "harness:", err)
	return 2
}
