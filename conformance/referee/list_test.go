package referee

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/conformance/referee/refereetest"
)

const skillsLeftOut = `
  - sep-2640-client-no-prefetch [extension]
  - sep-2640-client-verify-digest [extension]
  - sep-2640-client-verify-size [extension]
  - sep-2640-client-verify-frontmatter [extension]
`

func TestParseListOrdersByRevision(t *testing.T) {
	runs, err := parseList([]byte("Client scenarios:\n  - tools_call [2025-11-25,2026-07-28]\n  - auth/dpop [extension]\n  - initialize [2025-11-25]" + skillsLeftOut))
	require.NoError(t, err)
	require.Equal(t, []Run{
		{"2025-11-25", "tools_call"},
		{"2025-11-25", "initialize"},
		{"2026-07-28", "tools_call"},
		{Extension, "auth/dpop"},
	}, runs)
}

func TestParseListRefuses(t *testing.T) {
	for name, list := range map[string]string{
		"a revision it does not know": "  - tools_call [2031-01-01]" + skillsLeftOut,
		"an entry without revisions":  "  - tools_call" + skillsLeftOut,
		"a stale left-out scenario":   "  - tools_call [2026-07-28]",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseList([]byte(list))
			require.Error(t, err)
		})
	}
}

// A list that could be read only in part must not look like a clean run.
func TestListRefusesAnotherNumberOfRuns(t *testing.T) {
	directory := refereetest.Install(t)
	suite, err := Find(t.Context(), directory)
	require.NoError(t, err)
	runs, err := suite.List(t.Context())
	require.NoError(t, err)
	require.Len(t, runs, 65)

	list := filepath.Join(filepath.Dir(suite.Program), "list")
	refereetest.Write(t, list, "  - tools_call [2026-07-28]"+skillsLeftOut)
	_, err = suite.List(t.Context())
	require.ErrorContains(t, err, "1 runs at the revisions and 0 of extensions; the pinned version has 59 and 6")

	refereetest.Write(t, list, "")
	_, err = suite.List(t.Context())
	require.Error(t, err)
}

func TestFindRefuses(t *testing.T) {
	_, err := Find(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "npm ci")

	directory := refereetest.Install(t)
	refereetest.Write(t, filepath.Join(directory, "bin", "node"), "#!/bin/sh\necho v20.20.2\n")
	_, err = Find(t.Context(), directory)
	require.ErrorContains(t, err, "needs Node 22 or newer")
	require.ErrorContains(t, err, "v20.20.2")
}

func TestWrapClientTakesAnyPath(t *testing.T) {
	program := filepath.Join(t.TempDir(), "it's a client")
	refereetest.Write(t, program, "#!/bin/sh\necho \"$0 $1\"\n")
	script, err := WrapClient(program, t.TempDir())
	require.NoError(t, err)
	output, err := Suite{Node: script}.command(t.Context()).Output()
	require.NoError(t, err)
	require.Equal(t, program, strings.TrimSpace(string(output)))

	_, err = WrapClient(filepath.Join(t.TempDir(), "absent"), t.TempDir())
	require.ErrorContains(t, err, "the client")
	_, err = WrapClient(program, "/tmp/two words")
	require.ErrorContains(t, err, "TMPDIR")
}
