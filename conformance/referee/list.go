package referee

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Extension is the Revision of the scenarios that belong to no revision of the
// protocol: the suite runs them without one.
const Extension = "extension"

// The numbers of runs that the pinned suite has. They change with the pin in
// suite/package.json and with nothing else, so that a list that could not be
// read, or only in part, is not mistaken for a clean run.
const (
	datedRuns     = 59
	extensionRuns = 6
)

// Run is one scenario at one revision of the protocol.
type Run struct {
	Revision, Scenario string
}

// String is the form of a run in the file of known failures.
func (r Run) String() string { return r.Revision + " " + r.Scenario }

// revisions are the columns of the report, in order.
func revisions() []string {
	return []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", Extension}
}

// leftOut is the scenarios that are not run, each with the reason.
func leftOut() map[string]string {
	const skills = "skills are an extension for programs that load instructions for a model; a backend's client has none to load"
	return map[string]string{
		"sep-2640-client-no-prefetch":        skills,
		"sep-2640-client-verify-digest":      skills,
		"sep-2640-client-verify-size":        skills,
		"sep-2640-client-verify-frontmatter": skills,
	}
}

// List asks the suite for its client scenarios and returns every run, those of
// leftOut excepted: by revision, and within one in the suite's order. It is an
// error if the suite has another number of runs than the pinned version.
func (s Suite) List(ctx context.Context) ([]Run, error) {
	output, err := s.command(ctx, "list", "--client").Output()
	if err != nil {
		said := ""
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			said = errors.PeerText(string(exit.Stderr), 500)
		}
		return nil, fmt.Errorf("asking the suite for its scenarios: %w: %s", err, said)
	}
	runs, err := parseList(output)
	if err != nil {
		return nil, err
	}
	extensions := 0
	for _, run := range runs {
		if run.Revision == Extension {
			extensions++
		}
	}
	if dated := len(runs) - extensions; dated != datedRuns || extensions != extensionRuns {
		return nil, fmt.Errorf("the suite has %d runs at the revisions and %d of extensions; the pinned version has %d and %d", dated, extensions, datedRuns, extensionRuns)
	}
	return runs, nil
}

// parseList reads lines such as "  - tools_call [2025-11-25,2026-07-28]".
func parseList(output []byte) ([]Run, error) {
	byRevision := map[string][]Run{}
	unseen := leftOut()
	lines := bufio.NewScanner(bytes.NewReader(output))
	for lines.Scan() {
		entry, isEntry := strings.CutPrefix(lines.Text(), "  - ")
		if !isEntry {
			continue
		}
		scenario, list, _ := strings.Cut(entry, " [")
		list, closed := strings.CutSuffix(list, "]")
		if !closed {
			return nil, fmt.Errorf("the suite lists %q without its revisions", entry)
		}
		if _, isLeftOut := leftOut()[scenario]; isLeftOut {
			delete(unseen, scenario)
			continue
		}
		for revision := range strings.SplitSeq(list, ",") {
			byRevision[revision] = append(byRevision[revision], Run{revision, scenario})
		}
	}
	for scenario := range unseen {
		return nil, fmt.Errorf("scenario %q is left out by name, but the suite does not have it", scenario)
	}
	var runs []Run
	for _, revision := range revisions() {
		runs = append(runs, byRevision[revision]...)
		delete(byRevision, revision)
	}
	for revision := range byRevision {
		return nil, fmt.Errorf("the suite lists scenarios at %q, which is none of %q", revision, revisions())
	}
	return runs, lines.Err()
}
