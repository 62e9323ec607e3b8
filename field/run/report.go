package main

import (
	"fmt"
	"io"
	"strings"
)

// status is what a case comes to.
type status string

const (
	passed       status = "ok"
	failed       status = "FAIL"
	knownFailure status = "KNOWN"
	notApplying  status = "n/a"
)

// verdict is what was found in one case.
type verdict struct {
	id, title, transport string
	status               status
	// shortcomings are what the player found missing in its check.
	shortcomings []string
	// faults are what no list excuses: leaks, data races, time-outs, crashes.
	faults []string
	// notes are for people: what the harness could not do as the case asks.
	notes []string
	// said is what the player said, whole.
	said string
}

// maxDetails bounds what one line tells, in bytes.
const maxDetails = 1200

// report prints and counts verdicts.
type report struct {
	stdout  io.Writer
	verbose bool
	known   *known

	verdicts []verdict
	passed   int
	failed   int
	excused  int
}

// add holds a verdict against the list of known failures, and prints it.
func (r *report) add(v verdict) {
	why, listed := r.known.why[v.id]
	switch {
	case v.status == passed && listed:
		v.status = failed
		v.shortcomings = append(v.shortcomings, "passes: remove it from "+knownFile)
	case v.status == notApplying && listed:
		v.status = failed
		v.shortcomings = append(v.shortcomings, "does not apply: remove it from "+knownFile)
	case v.status == failed && listed && len(v.faults) == 0:
		v.status = knownFailure
		v.notes = append(v.notes, why)
	}
	r.record(v)
}

func (r *report) record(v verdict) {
	switch v.status {
	case passed:
		r.passed++
	case failed:
		r.failed++
	case knownFailure:
		r.excused++
	}
	r.verdicts = append(r.verdicts, v)
	line := fmt.Sprintf("%-5s %-4s %-6s %s", v.status, v.id, v.transport, v.title)
	if details := v.details(); details != "" {
		line += ": " + details
	}
	fmt.Fprintln(r.stdout, line)
	if r.verbose {
		for said := range strings.Lines(v.said) {
			fmt.Fprintf(r.stdout, "      %s\n", strings.TrimSuffix(said, "\n"))
		}
	}
}

// details puts everything there is to say into one line.
func (v verdict) details() string {
	var parts []string
	parts = append(parts, v.faults...)
	parts = append(parts, v.shortcomings...)
	if len(v.notes) > 0 {
		parts = append(parts, "("+strings.Join(v.notes, "; ")+")")
	}
	text := strings.Join(strings.Fields(strings.Join(parts, "; ")), " ")
	if len(text) > maxDetails {
		text = strings.ToValidUTF8(text[:maxDetails], "") + "..."
	}
	return text
}

// checkKnown reports what is listed as a known failure and is no case. It is for
// when the whole directory was played.
func (r *report) checkKnown() {
	for _, id := range r.known.order {
		if !r.played(id) {
			r.record(verdict{id: id, status: failed, title: "listed in " + knownFile, shortcomings: []string{"there is no such case: remove it"}})
		}
	}
}

func (r *report) played(id string) bool {
	for _, v := range r.verdicts {
		if v.id == id {
			return true
		}
	}
	return false
}

// summary is the last line.
func (r *report) summary() string {
	line := fmt.Sprintf("%d passed, %d failed", r.passed, r.failed)
	if len(r.known.order) > 0 {
		line += fmt.Sprintf(", %d known failures", r.excused)
	}
	return line
}

// markdown is the table of the cases.
func (r *report) markdown() string {
	var text strings.Builder
	text.WriteString("| case | transport | what it shows | result |\n|---|---|---|---|\n")
	for _, v := range r.verdicts {
		result := map[status]string{passed: "passed", failed: "**failed**", knownFailure: "known failure", notApplying: "does not apply"}[v.status]
		if len(v.notes) > 0 {
			result += " (" + strings.Join(v.notes, "; ") + ")"
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", cell(v.id), cell(v.transport), cell(v.title), cell(result))
	}
	fmt.Fprintf(&text, "\n%s.\n", r.summary())
	return text.String()
}

func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
