package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// knownFile is the name of the list that a directory of cases may have.
const knownFile = "known-failures"

// known lists cases that fail and why: work that is still to come. It must be
// exact. Leaks, data races and time-outs are never excused by it.
type known struct {
	path string
	// why has an entry for each case listed.
	why map[string]string
	// order is that of the file.
	order []string
}

// loadKnown reads the list that the settings name or that lies beside the cases;
// none is an empty list. A line is the case's id and, after a #, what is missing.
func loadKnown(s settings, paths []string) (*known, error) {
	list := &known{path: s.known, why: make(map[string]string)}
	if list.path == "" {
		list.path = filepath.Join(filepath.Dir(paths[0]), knownFile)
	}
	text, err := os.ReadFile(list.path)
	if err != nil {
		if s.known == "" && errors.Is(err, fs.ErrNotExist) {
			return list, nil
		}
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for number := 1; lines.Scan(); number++ {
		entry, why, _ := strings.Cut(lines.Text(), "#")
		id := strings.TrimSpace(entry)
		if id == "" {
			continue
		}
		if strings.ContainsAny(id, " \t") {
			return nil, fmt.Errorf("%s:%d: found %q; allowed: one id, then # and the reason", list.path, number, id)
		}
		if _, twice := list.why[id]; twice {
			return nil, fmt.Errorf("%s:%d: %s is listed twice", list.path, number, id)
		}
		list.why[id] = strings.TrimSpace(why)
		list.order = append(list.order, id)
	}
	return list, lines.Err()
}
