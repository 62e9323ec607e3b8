package supply

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const licencesPage = root + "/docs/licences.md"

// What a program is built from that uses this module has a licence that is listed,
// and permits that.
func TestLicences(t *testing.T) {
	licences := map[string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for module, folder := range modules(t, system) {
			if licences[module] == "" {
				licences[module] = licenceIn(t, module, folder)
			}
		}
	}
	require.Greater(t, len(licences), 10)
	var page strings.Builder
	page.WriteString("# Licences of what this module is built from\n\nWritten by `go test ./supply -update` in `trust`: all modules whose code is in a program that imports this one, the command line included, " +
		"on Linux, macOS or Windows.\n\n| module | licence |\n|---|---|\n")
	for _, module := range slices.Sorted(maps.Keys(licences)) {
		fmt.Fprintf(&page, "| %s | %s |\n", module, licences[module])
	}
	if *update {
		require.NoError(t, os.WriteFile(licencesPage, []byte(page.String()), 0o644))
	}
	written, err := os.ReadFile(licencesPage)
	require.NoError(t, err)
	assert.Equal(t, page.String(), string(written), "look at the licence of what is new, then run go test ./supply -update in trust")
}

// modules are those whose packages are built in, with their folders.
func modules(t *testing.T, system string) map[string]string {
	t.Helper()
	command := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./...")
	command.Dir = root
	command.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0", "GOWORK=off")
	command.Stderr = os.Stderr
	output, err := command.Output()
	require.NoError(t, err)
	found := map[string]string{}
	for line := range strings.Lines(string(output)) {
		if module, folder, is := strings.Cut(strings.TrimSpace(line), "\t"); is {
			found[module] = folder
		}
	}
	return found
}

// licenceIn names the licence in a folder by words that only it has.
func licenceIn(t *testing.T, module, folder string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "LICEN*"))
	require.NoError(t, err)
	copying, err := filepath.Glob(filepath.Join(folder, "COPYING*"))
	require.NoError(t, err)
	for _, path := range append(paths, copying...) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		words := strings.Join(strings.Fields(string(text)), " ")
		for _, known := range [][2]string{
			{"Mozilla Public License, version 2.0", "MPL-2.0"},
			{"Mozilla Public License Version 2.0", "MPL-2.0"},
			{"Apache License Version 2.0", "Apache-2.0"},
			{"Neither the name of", "BSD-3-Clause"},
			{"Redistributions in binary form must reproduce", "BSD-2-Clause"},
			{"Permission is hereby granted, free of charge", "MIT"},
		} {
			if strings.Contains(words, known[0]) {
				return known[1]
			}
		}
	}
	t.Errorf("%s: no licence that is known to permit its use was found in it", module)
	return "unknown"
}
