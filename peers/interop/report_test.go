package interop

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// TestReport: what works and fails, known or not, with a known failure that
// works counted as a failure.
func TestReport(t *testing.T) {
	cell := &Cell{Server: "s", Transport: "stdio", Revision: mcp.Version20251125}
	place := func(feature string) Place { return Place{"s", "stdio", mcp.Version20251125, feature} }
	known := Known{place("mended"): true, place("broken"): true, place("gone"): true}
	var out strings.Builder
	report := NewReport(&out, known)
	require.False(t, report.Add(cell, Result{Outcomes: []Outcome{
		{place("connect"), nil, "server 1.0"},
		{place("mended"), nil, ""},
		{place("broken"), errors.New("one\ntwo"), ""},
		{place("surprise"), errors.New("bad"), ""},
		{place("wire"), nil, "7 messages"},
	}}))
	for _, missing := range known.Missing([]Place{place("mended"), place("broken")}) {
		report.AddMissing(missing)
	}
	var verdicts []string
	for line := range strings.Lines(out.String()) {
		fields := strings.Fields(line)
		verdicts = append(verdicts, fields[0]+" "+fields[4])
	}
	require.Equal(t, []string{"ok connect", "FAIL mended", "KNOWN broken", "FAIL surprise", "ok wire", "FAIL gone"}, verdicts)
	require.NotContains(t, out.String(), "two")
	require.Equal(t, 3, report.Failed())
	require.Equal(t, "2 passed, 3 failed, 1 known failures", report.Summary())
	require.Contains(t, report.Markdown(), "| s | stdio | 2025-11-25 | connect | 7 messages | broken | mended, surprise |\n")
}

func TestReadKnown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known")
	for text, problem := range map[string]string{
		"# nothing\n\n": "",
		"s stdio 2025-11-25 list # because\ns http 2025-11-25 list\n": "",
		"s stdio list\n": "known:1: found \"s stdio list\"",
		"s stdio 2025-11-25 list\ns stdio 2025-11-25 list\n": "known:2: s stdio 2025-11-25 list is there twice",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		known, err := ReadKnown(path)
		if problem != "" {
			require.ErrorContains(t, err, problem)
			continue
		}
		require.NoError(t, err)
		require.Len(t, known, strings.Count(text, "list"))
	}
	_, err := ReadKnown(path + "-not-there")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestMatrix: no line of the report has two meanings, and known-failures names
// only lines that there are.
func TestMatrix(t *testing.T) {
	var places []Place
	seen := map[Place]bool{}
	for _, cell := range Cells() {
		for _, place := range cell.Places(true) {
			require.False(t, seen[place], "%s is there twice", place)
			seen[place] = true
			places = append(places, place)
		}
	}
	known, err := ReadKnown("../known-failures")
	require.NoError(t, err)
	require.Empty(t, known.Missing(places))
}
