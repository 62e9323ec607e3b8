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

// provenBy proves with the stand-in for the suite, with the two clients of this
// folder, the second of which runs the given one.
func provenBy(t *testing.T, client, known string) (out string, contradictions int) {
	t.Helper()
	directory := refereetest.Install(t)
	for _, name := range []string{"nothing.sh", "exits-one.sh"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		refereetest.Write(t, filepath.Join(directory, "conformance", "proof", name), string(text))
	}
	refereetest.Write(t, filepath.Join(directory, "bin", "conformance-client"), "#!/bin/sh\n"+client+"\n")
	file := filepath.Join(directory, "known-failures")
	refereetest.Write(t, file, known)
	var printed strings.Builder
	contradictions, err := prove(t.Context(), []string{
		"-suite", directory, "-clients", filepath.Join(directory, "conformance", "proof"), "-known", file, "-results", t.TempDir(),
	}, &printed)
	require.NoError(t, err)
	return printed.String(), contradictions
}

func TestProof(t *testing.T) {
	out, contradictions := provenBy(t, "echo works", "")
	require.Zero(t, contradictions)
	require.Equal(t, "nothing.sh: 0 of 65 runs passed, 0 not as expected\nexits-one.sh: 8 of 65 runs passed, 0 not as expected\n", out)
}

// A run that fails for another reason than the exit status proves nothing,
// unless it is known to fail.
func TestProofNoticesAClientThatDoesNotWork(t *testing.T) {
	const broken = `[ $MCP_CONFORMANCE_SCENARIO = http-invalid-tool-headers ] && echo fails || echo works`
	out, contradictions := provenBy(t, broken, "")
	require.Equal(t, 1, contradictions)
	require.Contains(t, out, "WRONG 2026-07-28 http-invalid-tool-headers: passed is false, expected true")

	out, contradictions = provenBy(t, broken, "2026-07-28 http-invalid-tool-headers\n")
	require.Zero(t, contradictions)
	require.Contains(t, out, "exits-one.sh: 7 of 65 runs passed")
}
