//go:build unix

package referee

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/conformance/referee/refereetest"
)

// An interrupted run ends at once, and everything that it started with it.
func TestPlayEndsWhatItStarted(t *testing.T) {
	client := filepath.Join(t.TempDir(), "client")
	refereetest.Write(t, client, "#!/bin/sh\necho hangs\n")
	suite := installed(t, client)
	started := filepath.Join(filepath.Dir(suite.Program), "hangs")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for range 1000 {
			if _, err := os.Stat(started); err == nil {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	outcome := suite.Play(ctx, Run{"2026-07-28", "tools_call"})
	require.FileExists(t, started)
	require.False(t, outcome.Passed())
	require.Empty(t, groupOf(t, started))
}

// groupOf waits, bounded, until nobody is left in the process group whose
// leader's number the file holds, and returns the number if somebody is.
func groupOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	leader, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	for range 400 { // what was killed is reaped by another process
		if syscall.Kill(-leader, 0) == syscall.ESRCH {
			return ""
		}
		time.Sleep(5 * time.Millisecond)
	}
	return strconv.Itoa(leader)
}
