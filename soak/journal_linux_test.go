package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// journals is what all children of a run have noted.
type journals struct {
	processes  map[int]bool   // every child, by its id
	reached    map[string]int // how often a call reached a process
	ends       map[string]int // how often children ended in which way
	violations []string       // of the protocol, by the client
}

func journalName(folder string, pid int) string { return filepath.Join(folder, fmt.Sprint(pid)) }

// readJournals reads the journals of a folder. The last line of a child that was
// killed is whole: each line is one write.
func readJournals(t *testing.T, folder string) journals {
	t.Helper()
	all := journals{processes: map[int]bool{}, reached: map[string]int{}, ends: map[string]int{}}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		require.NoError(t, err)
		all.processes[pid] = true
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			what, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch what {
			case "call", "read":
				all.reached[rest]++
			case "end":
				all.ends[rest]++
			case "violation":
				all.violations = append(all.violations, rest)
			default:
				t.Errorf("the journal of process %d has the line %q", pid, line)
			}
		}
	}
	return all
}

// kills is the number of children that ended badly.
func (j journals) kills() int {
	total := 0
	for _, n := range j.ends {
		total += n
	}
	return total
}
