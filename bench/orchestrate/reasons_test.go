package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryGoalThatIsNotReachedHasAReason reads the page that is in the
// repository: what its table says is not reached has to be explained below it.
// Reasons are in reasons.yaml; `scripts/bench.sh page` puts them into the page.
func TestEveryGoalThatIsNotReachedHasAReason(t *testing.T) {
	text, err := os.ReadFile("../../docs/performance.md")
	require.NoError(t, err)
	_, goals, found := strings.Cut(string(text), "\n## Goals\n")
	require.True(t, found, "the page has no goals: make bench-full")
	goals, _, _ = strings.Cut(goals, "\n## ")
	table, reasons, _ := strings.Cut(goals, "\n### ")
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|.*\*\*not reached\*\*.*$`).FindAllStringSubmatch(table, -1)
	for _, row := range rows {
		explained := regexp.QuoteMeta("  - **"+row[1]+", "+row[2]+"** (") + ".*" + regexp.QuoteMeta(row[3]+": ")
		require.Regexp(t, "(?m)^"+explained, reasons)
	}
	require.NotContains(t, reasons, noReason)
	require.Equal(t, strings.Contains(table, "Not reached: 0."), len(rows) == 0)
}
