package referee

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Verdict is the first word of a line of the report.
type Verdict string

// The verdicts. A known failure counts neither as passed nor as failed.
const (
	VerdictOK    Verdict = "ok"
	VerdictFail  Verdict = "FAIL"
	VerdictKnown Verdict = "KNOWN"
)

// Report writes one line for each run and keeps the totals. It is not safe for
// concurrent use.
type Report struct {
	out    io.Writer
	known  Known
	totals map[Verdict]int
	cells  map[Run]Verdict
}

// NewReport returns a report that writes to out, with these known failures.
func NewReport(out io.Writer, known Known) *Report {
	return &Report{out: out, known: known, totals: map[Verdict]int{}, cells: map[Run]Verdict{}}
}

// Add judges an outcome against the known failures and writes its line. A known
// failure that passes is a failure: the file has to be exact.
func (r *Report) Add(o Outcome) {
	switch known := r.known[o.Run]; {
	case o.Passed() && known:
		r.line(VerdictFail, o.Run, "passes, remove it from known-failures")
	case o.Passed():
		r.line(VerdictOK, o.Run, o.successes())
	case known:
		r.line(VerdictKnown, o.Run, o.Problem)
	default:
		r.line(VerdictFail, o.Run, o.Problem)
	}
}

// AddMissing writes the line of a known failure that the suite does not have.
func (r *Report) AddMissing(run Run) {
	r.line(VerdictFail, run, "is in known-failures, but the suite has no such run")
}

func (r *Report) line(verdict Verdict, run Run, details string) {
	fmt.Fprintf(r.out, "%-5s %-10s  %-40s %s\n", verdict, run.Revision, run.Scenario, details)
	r.totals[verdict]++
	if _, seen := r.cells[run]; !seen {
		r.cells[run] = verdict
	}
}

// successes describes a run that passed.
func (o Outcome) successes() string {
	text := count(o.Success, "check")
	if o.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped", o.Skipped)
	}
	if o.ClientExit != 0 {
		text += fmt.Sprintf("; the client exited with %d, which is allowed here", o.ClientExit)
	}
	return text
}

// Failed returns the number of lines that failed.
func (r *Report) Failed() int { return r.totals[VerdictFail] }

// Summary is the last line of the report.
func (r *Report) Summary() string {
	return fmt.Sprintf("%d passed, %d failed, %d known failures", r.totals[VerdictOK], r.totals[VerdictFail], r.totals[VerdictKnown])
}

// Markdown returns the results as a table, a scenario a row, in order of name, a
// revision a column, with the summary above it.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n| scenario | %s |\n|---|%s\n", r.Summary(), strings.Join(revisions(), " | "), strings.Repeat("---|", len(revisions())))
	for _, scenario := range slices.Sorted(maps.Keys(r.scenarios())) {
		fmt.Fprintf(&b, "| `%s` |", scenario)
		for _, revision := range revisions() {
			fmt.Fprintf(&b, " %s |", r.cells[Run{revision, scenario}].cell())
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (r *Report) scenarios() map[string]bool {
	scenarios := map[string]bool{}
	for run := range r.cells {
		scenarios[run.Scenario] = true
	}
	return scenarios
}

// cell is the verdict in a table; of a run that does not exist it is empty.
func (v Verdict) cell() string {
	switch v {
	case VerdictOK:
		return "passes"
	case VerdictFail:
		return "**fails**"
	case VerdictKnown:
		return "known to fail"
	default:
		return ""
	}
}
