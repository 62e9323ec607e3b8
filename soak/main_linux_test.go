package soak

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// childVariable, in the environment of this test program, names the folder in
// which a child keeps its journal, and thereby makes the program a server.
const childVariable = "SOAK_CHILD_FOLDER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(childVariable); folder != "" {
		serveAndDie(folder)
		syscall.Exit(0)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "orphans cannot be counted:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// shortRun is how long a test runs where SOAK does not say: enough to show that
// the tests still work.
const shortRun = time.Second

// duration returns how long to run, and whether SOAK says so.
func duration(t *testing.T) (time.Duration, bool) {
	text := os.Getenv("SOAK")
	if text == "" {
		return shortRun, false
	}
	length, err := time.ParseDuration(text)
	require.NoError(t, err, "SOAK is a duration such as 2m")
	return length, true
}
