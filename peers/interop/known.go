package interop

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Known is the places that are known to fail.
type Known map[Place]bool

// ReadKnown reads a file with one place a line, "server transport revision
// feature"; what follows a # is a comment. An empty path is an empty file. A
// line of another form, and a place that is named twice, are errors.
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
		if len(fields) != 4 {
			return nil, fmt.Errorf("%s:%d: found %q, expected a server, a transport, a revision and a feature", path, number, strings.TrimSpace(line))
		}
		place := Place{fields[0], fields[1], mcp.Version(fields[2]), fields[3]}
		if known[place] {
			return nil, fmt.Errorf("%s:%d: %s is there twice", path, number, place)
		}
		known[place] = true
	}
	return known, lines.Err()
}

// Missing returns the known failures that are none of the places, sorted.
func (k Known) Missing(places []Place) []Place {
	var missing []Place
	for place := range k {
		if !slices.Contains(places, place) {
			missing = append(missing, place)
		}
	}
	slices.SortFunc(missing, func(a, b Place) int { return strings.Compare(a.String(), b.String()) })
	return missing
}
