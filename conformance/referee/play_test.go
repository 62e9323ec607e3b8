package referee

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/conformance/referee/refereetest"
	"github.com/mcp-client-go/mcpclient/errors"
)

func TestJudge(t *testing.T) {
	const success = `{"id":"work","status":"SUCCESS"}`
	exited := errors.New("exit status 1")
	for name, test := range map[string]struct {
		checks, log string
		process     error
		problem     string
	}{
		"clean":         {checks: `[` + success + `,{"id":"x","status":"INFO"},{"id":"y","status":"SKIPPED"}]`},
		"no check":      {checks: `[]`, problem: "no check succeeded"},
		"only skipped":  {checks: `[{"id":"y","status":"SKIPPED"}]`, problem: "no check succeeded"},
		"failure":       {checks: `[` + success + `,{"id":"must","status":"FAILURE","errorMessage":"broken"}]`, process: exited, problem: "1 failure and 0 warnings, first must: broken"},
		"warning":       {checks: `[` + success + `,{"id":"should","status":"WARNING","description":"weak"}]`, process: exited, problem: "0 failures and 1 warning, first should: weak"},
		"failure first": {checks: `[{"id":"should","status":"WARNING"},{"id":"must","status":"FAILURE"},` + success + `]`, process: exited, problem: "1 failure and 1 warning, first must: "},
		// The suite's exit status alone must not be trusted to tell.
		"failure unseen by the suite": {checks: `[` + success + `,{"id":"must","status":"FAILURE"}]`, problem: "1 failure and 0 warnings, first must: "},
		"client exits":                {checks: `[` + success + `]`, log: "\nClient exited with code 3\n", process: exited, problem: "the client exited with 3"},
		"client may exit":             {checks: `[` + success + `]`, log: "\nClient exited with code 3\n"},
		"time-out":                    {checks: `[` + success + `]`, log: "\nClient timed out after 60000ms\n", process: exited, problem: "the client timed out"},
		"no JSON":                     {checks: `boom`, log: "one\nError: two\n", process: exited, problem: "the suite wrote no checks: Error: two"},
		"another reason":              {checks: `[` + success + `]`, process: exited, problem: "the suite: exit status 1"},
		"text of the peer is escaped": {checks: `[{"id":"must","status":"FAILURE","errorMessage":"a\nb"}]`, problem: `1 failure and 0 warnings, first must: a\nb; no check succeeded`},
	} {
		t.Run(name, func(t *testing.T) {
			var outcome Outcome
			outcome.judge([]byte(test.checks), test.log, test.process)
			require.Equal(t, test.problem, outcome.Problem)
			require.Equal(t, test.problem == "", outcome.Passed())
		})
	}
}

func TestPlay(t *testing.T) {
	client := filepath.Join(t.TempDir(), "client")
	for says, problem := range map[string]string{
		"works":   "",
		"nothing": "no check succeeded",
		"warns":   "0 failures and 1 warning, first should: a warning",
		"fails":   "1 failure and 0 warnings, first must: a failure",
		"babbles": "the suite wrote no checks: ",
	} {
		t.Run(says, func(t *testing.T) {
			refereetest.Write(t, client, "#!/bin/sh\necho "+says+"\n")
			outcome := installed(t, client).Play(t.Context(), Run{"2026-07-28", "tools_call"})
			require.Equal(t, problem, outcome.Problem)
		})
	}
}

// The scenarios of extensions run without a revision, all others at theirs.
func TestPlayAsksForTheRevision(t *testing.T) {
	client := filepath.Join(t.TempDir(), "client")
	refereetest.Write(t, client, "#!/bin/sh\n[ $MCP_CONFORMANCE_PROTOCOL_VERSION = $WANT ] && echo works\n")
	suite := installed(t, client)
	for revision, want := range map[string]string{"2025-06-18": "2025-06-18", Extension: "none"} {
		t.Setenv("WANT", want)
		require.Empty(t, suite.Play(t.Context(), Run{revision, "auth/dpop"}).Problem)
	}
}

func TestPlayKeepsWhatTheRunLeft(t *testing.T) {
	client := filepath.Join(t.TempDir(), "client")
	refereetest.Write(t, client, "#!/bin/sh\nexit 4\n")
	suite := installed(t, client)
	stale := filepath.Join(suite.Results, "2026-07-28", "auth", "iss-supported", "stale")
	refereetest.Write(t, stale, "of another day")
	suite.Play(t.Context(), Run{"2026-07-28", "auth/iss-supported"})
	log, err := os.ReadFile(filepath.Join(filepath.Dir(stale), "suite.log"))
	require.NoError(t, err)
	require.Equal(t, "Client exited with code 4\n", string(log))
	require.NoFileExists(t, stale)
}

// installed is the stand-in for the suite with this client.
func installed(t *testing.T, client string) Suite {
	t.Helper()
	suite, err := Find(t.Context(), refereetest.Install(t))
	require.NoError(t, err)
	suite.Results = t.TempDir()
	suite.Client, err = WrapClient(client, t.TempDir())
	require.NoError(t, err)
	return suite
}
