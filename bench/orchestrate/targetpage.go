package main

import (
	"fmt"
	"strings"
)

// goals writes the table of targets, and why those that are not reached are not.
func (r *report) goals(page *strings.Builder) {
	fmt.Fprintf(page, "## Goals\n\nWhat this client set out to be. Ratios are medians over the rounds of the ratio within a round, with %.0f%% room for noise;\n"+
		"allocations, bytes allocated and connections are exact and have none. A peer that cannot do the work is beaten by a client that does.\n\n", (room-1)*100)
	page.WriteString("| work | measure | in | mcpclient itself | against floor | against the official Go SDK | against mcp-go |\n|---|---|---|---|---|---|---|\n")
	counts := map[verdict]int{}
	for _, t := range r.targets {
		for _, cell := range t.Cells {
			fmt.Fprintf(page, "| %s | %s | %s |", t.Work, t.Measure, cell)
			for _, against := range targetColumns() {
				o, found := r.judge(&t, cell, against)
				if !found {
					page.WriteString(" – |")
					continue
				}
				counts[o.verdict]++
				fmt.Fprintf(page, " %s (%s): %s |", o.measured, o.goal, o.verdict)
			}
			page.WriteString("\n")
		}
	}
	fmt.Fprintf(page, "\nReached: %d. Not reached: %d. Not measured: %d.\n", counts[reached], counts[notReached], counts[notMeasured])
	r.unreached(page)
}

// miss is a target that is not reached: in which cells, and for one reason.
type miss struct {
	target *target
	reason string
	cells  []string
	where  []string // the columns in each of the cells
}

// misses are the targets that are not reached, once for each reason.
func (r *report) misses() []miss {
	var misses []miss
	for i := range r.targets {
		t := &r.targets[i]
		first := len(misses)
		for _, cell := range t.Cells {
			for _, against := range targetColumns() {
				o, found := r.judge(t, cell, against)
				if !found || o.verdict != notReached {
					continue
				}
				misses = addMiss(misses, first, t, r.reasons.target(t.ID, against), cell, columnName(against))
			}
		}
	}
	return misses
}

// addMiss adds to the miss of the same reason, if there is one from first on.
func addMiss(misses []miss, first int, t *target, reason, cell, column string) []miss {
	for i := first; i < len(misses); i++ {
		m := &misses[i]
		switch last := len(m.cells) - 1; {
		case m.reason != reason:
			continue
		case m.cells[last] == cell:
			m.where[last] += ", " + column
		default:
			m.cells, m.where = append(m.cells, cell), append(m.where, column)
		}
		return misses
	}
	return append(misses, miss{t, reason, []string{cell}, []string{column}})
}

func columnName(against string) string {
	return map[string]string{againstOwn: "itself", againstFloor: "against floor", goSDK: "against the official Go SDK", mcpGo: "against mcp-go"}[against]
}

func (r *report) unreached(page *strings.Builder) {
	misses := r.misses()
	if len(misses) == 0 {
		return
	}
	page.WriteString("\n### Not reached, and why\n\nWhere the time and the bytes of these go: [profiles](performance/profiles.md).\n\n")
	var of grouped
	for _, m := range misses {
		var where []string
		for i, cell := range m.cells {
			where = append(where, cell+": "+m.where[i])
		}
		of.add(m.reason, fmt.Sprintf("**%s, %s** (%s)", m.target.Work, m.target.Measure, strings.Join(where, "; ")))
	}
	for _, reason := range of.keys {
		fmt.Fprintf(page, "- %s\n  - %s\n", strings.TrimSpace(reason), strings.Join(of.text[reason], "\n  - "))
	}
}

// unreachedCells are the cells of targets that are not reached, in the order of
// the page.
func (r *report) unreachedCells() []string {
	var cells []string
	seen := map[string]bool{}
	for _, m := range r.misses() {
		for _, cell := range m.cells {
			if !seen[cell] {
				seen[cell] = true
				cells = append(cells, cell)
			}
		}
	}
	return cells
}
