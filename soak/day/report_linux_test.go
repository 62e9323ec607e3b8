package day

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// tableVariable is the file to which the tables of the day are written, as
// Markdown.
const tableVariable = "DAY_TABLE"

// write tells how the day was: to the test's log, and to the file.
func (d *day) write(length time.Duration, seed uint64, atFirst, atLast vitals) {
	var text strings.Builder
	fmt.Fprintf(&text, "The example webapp, a process, with %d users at %d browsers for %v, seed %d.\n\n", users, users*browsersPerUser, length, seed)
	text.WriteString("| server | asked | answered | hung up | wrong | failed | p50 | p99 |\n|---|---|---|---|---|---|---|---|\n")
	for _, kind := range d.kinds {
		t := d.oracle.tallies[kind.name]
		fmt.Fprintf(&text, "| %s | %d | %d (%.1f%%) | %d | %d | %s | %v | %v |\n", kind.name, t.asked, t.answered,
			100*float64(t.answered)/float64(max(1, t.asked-t.hungUp)), t.hungUp, t.wrong, listed(t.failures), percentile(t.took, 0.5), percentile(t.took, 0.99))
	}
	first, last := d.thirds()
	fmt.Fprintf(&text, "\n| | |\n|---|---|\n| faults | %s |\n| reloads | %s |\n", listed(without(d.oracle.faults, "reload")), listed(d.reloads))
	fmt.Fprintf(&text, "| tokens | %s logins, %s refreshes in the issuer's last life |\n", fmt.Sprint(d.logins.Load()), d.peers["files"].tell("refreshes", nil))
	fmt.Fprintf(&text, "| the debug page | %d checks in %d looks, %d failed |\n", d.watcher.checks, d.watcher.looks, len(d.watcher.complains))
	fmt.Fprintf(&text, "| before | %v |\n| first third | %v |\n| last third | %v |\n| after | %v |\n", atFirst, first, last, atLast)
	d.t.Log("\n" + text.String())
	if path := os.Getenv(tableVariable); path != "" {
		require.NoError(d.t, os.WriteFile(path, []byte(text.String()), 0o600))
	}
}

// listed is names with numbers, the largest first.
func listed(numbers map[string]int) string {
	names := slices.Collect(maps.Keys(numbers))
	slices.SortFunc(names, func(a, b string) int {
		if numbers[a] != numbers[b] {
			return numbers[b] - numbers[a]
		}
		return strings.Compare(a, b)
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%s: %d", name, numbers[name])
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func without(numbers map[string]int, name string) map[string]int {
	rest := maps.Clone(numbers)
	delete(rest, name)
	return rest
}
