package referee

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Known is the runs that are known to fail.
type Known map[Run]bool

// ReadKnown reads a file with one run a line, "revision scenario"; what
// follows a # is a comment. An empty path is an empty file. A line that is not
// of that form, and a run that is named twice, are errors.
func ReadKnown(path string) (Known, error) {
	known := Known{}
	if path == "" {
		return known, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 || !slices.Contains(revisions(), fields[0]) {
			return nil, fmt.Errorf("%s:%d: found %q, expected a revision (one of %q) and a scenario", path, number, strings.TrimSpace(line), revisions())
		}
		run := Run{fields[0], fields[1]}
		if known[run] {
			return nil, fmt.Errorf("%s:%d: %s is there twice", path, number, run)
		}
		known[run] = true
	}
	return known, lines.Err()
}

// Missing returns the known failures that are none of the suite's runs, sorted.
func (k Known) Missing(runs []Run) []Run {
	var missing []Run
	for run := range k {
		if !slices.Contains(runs, run) {
			missing = append(missing, run)
		}
	}
	slices.SortFunc(missing, func(a, b Run) int { return strings.Compare(a.String(), b.String()) })
	return missing
}
