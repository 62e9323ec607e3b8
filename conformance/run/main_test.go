package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/conformance/referee/refereetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// play runs the command with the stand-in for the suite and this client, and
// returns what it printed and the number of failures.
func play(t *testing.T, client, known string, flags ...string) (lines []string, failed int) {
	t.Helper()
	directory := refereetest.Install(t)
	program := filepath.Join(directory, "client")
	refereetest.Write(t, program, "#!/bin/sh\n"+client+"\n")
	file := filepath.Join(directory, "known-failures")
	refereetest.Write(t, file, known)
	var out strings.Builder
	failed, err := run(t.Context(), append([]string{
		"-suite", directory, "-client", program, "-known", file, "-results", t.TempDir(),
	}, flags...), &out)
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(out.String()), "\n"), failed
}

func last(lines []string) string { return lines[len(lines)-1] }

func TestEveryRunPasses(t *testing.T) {
	lines, failed := play(t, "echo works", "")
	require.Zero(t, failed)
	require.Equal(t, "65 passed, 0 failed, 0 known failures", last(lines))
	require.Len(t, lines, 66)
	require.Regexp(t, `^ok +2025-06-18 +tools_call +1 check$`, lines[0])
}

func TestAClientThatDoesNothingFailsEveryRun(t *testing.T) {
	lines, failed := play(t, "exit 0", "")
	require.Equal(t, 65, failed)
	require.Equal(t, "0 passed, 65 failed, 0 known failures", last(lines))
}

func TestAClientThatExitsWith1FailsAllButWhereItMay(t *testing.T) {
	lines, failed := play(t, "echo works; exit 1", "")
	require.Equal(t, 57, failed)
	for _, line := range lines[:65] {
		scenario := strings.Fields(line)[2]
		require.Equal(t, strings.Contains("\n"+refereetest.MayFail, "\n"+scenario+"\n"), strings.HasPrefix(line, "ok "), line)
	}
}

func TestKnownFailuresAreExact(t *testing.T) {
	const fails = `[ $MCP_CONFORMANCE_SCENARIO = sse-retry ] && echo fails || echo works`
	lines, failed := play(t, fails, "2025-11-25 sse-retry\n")
	require.Zero(t, failed)
	require.Equal(t, "64 passed, 0 failed, 1 known failures", last(lines))

	lines, failed = play(t, fails, "2025-11-25 sse-retry\n2025-11-25 tools_call\n2025-06-18 sse-retry\n")
	require.Equal(t, 2, failed)
	require.Equal(t, "63 passed, 2 failed, 1 known failures", last(lines))
	text := strings.Join(lines, "\n")
	require.Regexp(t, `(?m)^FAIL +2025-11-25 +tools_call +passes, remove it from known-failures$`, text)
	require.Regexp(t, `(?m)^FAIL +2025-06-18 +sse-retry +is in known-failures, but the suite has no such run$`, text)
	require.Regexp(t, `(?m)^KNOWN +2025-11-25 +sse-retry +1 failure`, text)
}

func TestOnlyAndMarkdown(t *testing.T) {
	table := filepath.Join(t.TempDir(), "table.md")
	lines, failed := play(t, `[ $MCP_CONFORMANCE_PROTOCOL_VERSION = 2025-11-25 ] && echo fails || echo works`, "2025-11-25 sse-retry\n",
		"-only", "tools_call|sse-retry", "-markdown", table)
	require.Equal(t, 1, failed)
	require.Equal(t, "2 passed, 1 failed, 1 known failures", last(lines))
	written, err := os.ReadFile(table)
	require.NoError(t, err)
	require.Equal(t, `2 passed, 1 failed, 1 known failures.

| scenario | 2025-03-26 | 2025-06-18 | 2025-11-25 | 2026-07-28 | extension |
|---|---|---|---|---|---|
| `+"`sse-retry`"+` |  |  | known to fail |  |  |
| `+"`tools_call`"+` |  | passes | **fails** | passes |  |
`, string(written))
}

func TestNothingToRunIsAnError(t *testing.T) {
	directory := refereetest.Install(t)
	program := filepath.Join(directory, "client")
	refereetest.Write(t, program, "#!/bin/sh\necho works\n")
	for name, flags := range map[string][]string{
		"no run matches": {"-suite", directory, "-client", program, "-only", "no-such-scenario"},
		"no suite":       {"-suite", t.TempDir(), "-client", program},
		"no client":      {"-suite", directory, "-client", program + "-absent"},
		"no known file":  {"-suite", directory, "-client", program, "-known", program + "-absent"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t.Context(), append(flags, "-results", t.TempDir()), &strings.Builder{})
			require.Error(t, err)
		})
	}
}
