package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// topFunctions is how many functions of a profile are shown.
const topFunctions = 10

// profilesPage writes, for each cell of a target that is not reached, the
// functions of the product that take most, from what profileUnreached left in
// the folder.
func (r *report) profilesPage(page *strings.Builder, folder string) error {
	fmt.Fprintf(page, "<!-- Written by `%s`. Do not edit: the next run replaces it. -->\n\n# Profiles of the goals that are not reached\n\n", r.command)
	page.WriteString("mcpclient in each workload whose [goals](../performance.md#goals) are not all reached: the functions that take most themselves, by the\n" +
		"share of samples (CPU) and of bytes allocated (in the whole process, its start included; of idle clients, of bytes still held).\n")
	for _, cell := range r.unreachedCells() {
		fmt.Fprintf(page, "\n## %s\n", cell)
		base := filepath.Join(folder, profileName(cell, product))
		for _, view := range []struct{ title, suffix string }{{"CPU", ".cpu.txt"}, {"bytes allocated", ".bytes.txt"}, {"bytes held", ".held.txt"}} {
			text, err := os.ReadFile(base + view.suffix)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(page, "\n| %s, share | function |\n|---|---|\n", view.title)
			for _, function := range topOf(string(text)) {
				fmt.Fprintf(page, "| %s | `%s` |\n", function.share, function.name)
			}
		}
	}
	return nil
}

type function struct{ share, name string }

// topOf reads the first functions of what `go tool pprof -top` writes.
func topOf(text string) []function {
	_, rows, _ := strings.Cut(text, "cum%\n")
	var top []function
	for line := range strings.Lines(rows) {
		fields := strings.Fields(line) // flat flat% sum% cum cum% name
		if len(fields) < 6 || len(top) == topFunctions {
			continue
		}
		top = append(top, function{fields[1], shortName(strings.Join(fields[5:], " "))})
	}
	return top
}

// shortName leaves out what does not help to find a function: remarks of pprof,
// the path of this module and the types that a generic function was made for.
func shortName(name string) string {
	name, _, _ = strings.Cut(name, " (") // inline, partial-inline
	name = strings.TrimPrefix(name, "github.com/mcp-client-go/mcpclient/")
	from, to := strings.Index(name, "[go.shape"), strings.LastIndexByte(name, ']')
	if from >= 0 && to > from {
		name = name[:from] + "[...]" + name[to+1:]
	}
	return name
}
