package interop

import (
	"fmt"
	"io"
	"strings"
)

// verdict is the first word of a line.
type verdict string

const (
	verdictOK    verdict = "ok"
	verdictFail  verdict = "FAIL"
	verdictKnown verdict = "KNOWN"
)

// Report writes one line for each feature of each cell and keeps the totals.
// It is not safe for concurrent use.
type Report struct {
	out    io.Writer
	known  Known
	totals map[verdict]int
	rows   []row
}

// row is a cell in the table.
type row struct {
	cell   string
	fields map[verdict][]string
	wire   string
}

// NewReport returns a report that writes to out, with these known failures.
func NewReport(out io.Writer, known Known) *Report {
	return &Report{out: out, known: known, totals: map[verdict]int{}}
}

// Add writes the lines of a cell, in order. A known failure that works is a
// failure: the file has to be exact. It reports whether the cell is as expected.
func (r *Report) Add(cell *Cell, result Result) bool {
	failed := r.totals[verdictFail]
	current := row{cell: fmt.Sprintf("%s | %s | %s", cell.Server, cell.Transport, cell.Revision), fields: map[verdict][]string{}}
	for _, o := range result.Outcomes {
		verdict, details := verdictOK, o.Details
		switch known := r.known[o.Place]; {
		case o.Err == nil && known:
			verdict, details = verdictFail, "works, remove it from known-failures"
		case o.Err != nil && known:
			verdict, details = verdictKnown, firstLine(o.Err)
		case o.Err != nil:
			verdict, details = verdictFail, firstLine(o.Err)
		}
		r.line(verdict, o.Place, details)
		if o.Feature == "wire" && verdict == verdictOK {
			current.wire = details
		} else {
			current.fields[verdict] = append(current.fields[verdict], o.Feature)
		}
	}
	r.rows = append(r.rows, current)
	return r.totals[verdictFail] == failed
}

// AddMissing writes the line of a known failure that no cell has.
func (r *Report) AddMissing(place Place) {
	r.line(verdictFail, place, "is in known-failures, but there is no such check")
}

func (r *Report) line(v verdict, place Place, details string) {
	line := fmt.Sprintf("%-5s %-18s %-18s %-10s %-22s %s", v, place.Server, place.Transport, place.Revision, place.Feature, details)
	fmt.Fprintln(r.out, strings.TrimRight(line, " "))
	r.totals[v]++
}

// Failed returns the number of lines that failed.
func (r *Report) Failed() int { return r.totals[verdictFail] }

// Summary is the last line of the report.
func (r *Report) Summary() string {
	return fmt.Sprintf("%d passed, %d failed, %d known failures", r.totals[verdictOK], r.totals[verdictFail], r.totals[verdictKnown])
}

// Markdown returns the results as a table, a cell a row, with the summary above.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n| server | transport | revision | works | valid on the wire | known to fail | fails |\n|---|---|---|---|---|---|---|\n", r.Summary())
	for _, row := range r.rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.cell, strings.Join(row.fields[verdictOK], ", "), row.wire,
			strings.Join(row.fields[verdictKnown], ", "), strings.Join(row.fields[verdictFail], ", "))
	}
	return b.String()
}

// firstLine is the first line of an error, cut to fit a terminal's few.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if len(line) > 300 {
		line = strings.ToValidUTF8(line[:300], "") + "..."
	}
	return line
}
