package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRun runs the cells that need nothing but Go: a line for each feature, the
// totals last, and a list of known failures that has to be exact.
func TestRun(t *testing.T) {
	programs := t.TempDir()
	for name, source := range map[string]string{"peers-tee": "../tee", "gosdkserver": "../gosdkserver"} {
		build := exec.Command("go", "build", "-o", filepath.Join(programs, name), source)
		output, err := build.CombinedOutput()
		require.NoError(t, err, string(output))
	}
	known := filepath.Join(t.TempDir(), "known-failures")
	require.NoError(t, os.WriteFile(known, []byte("gosdk http 2026-07-28 ping\ngosdk http 2026-07-28 nonsense\n"), 0o600))
	table := filepath.Join(t.TempDir(), "table.md")
	arguments := []string{
		"-peers", "..", "-programs", programs, "-schemas", "../../../shared/schemas", "-require-all=false",
		"-only", `^gosdk (stdio|http) 2026`, "-markdown", table,
	}

	var out strings.Builder
	failed, err := run(t.Context(), arguments, &out)
	require.NoError(t, err)
	require.Zero(t, failed, out.String())
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Regexp(t, `^\d\d passed, 0 failed, 0 known failures$`, lines[len(lines)-1])
	written, err := os.ReadFile(table)
	require.NoError(t, err)
	require.Contains(t, string(written), "| gosdk | http | 2026-07-28 | connect, list, ")

	out.Reset()
	failed, err = run(t.Context(), append(arguments, "-known", known), &out)
	require.NoError(t, err)
	require.Equal(t, 2, failed, out.String())
	require.Contains(t, out.String(), "works, remove it")
	require.Contains(t, out.String(), "there is no such check")
}

// TestRunRefuses: what cannot be run is an error, not an empty success.
func TestRunRefuses(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for problem, arguments := range map[string][]string{
		"no cell matches":   {"-only", "nonsense", "-require-all=false"},
		"error parsing":     {"-only", "("},
		"at least one":      {"-parallel", "0"},
		"no such file":      {"-known", none},
		"are not there":     {"-schemas", none, "-require-all"},
		"flag provided but": {"-nonsense"},
	} {
		_, err := run(t.Context(), arguments, new(strings.Builder))
		require.ErrorContains(t, err, problem)
	}
}
