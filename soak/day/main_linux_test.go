package day

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

const (
	// roleVariable makes this test program one of the servers, by its name.
	roleVariable = "DAY_SERVER"
	// noteVariable is the file to which servers add what clients did wrong.
	noteVariable = "DAY_NOTES"
	// originVariable is where browsers and clients find a server over HTTP.
	originVariable = "DAY_ORIGIN"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(roleVariable); name != "" {
		os.Exit(beServer(name))
	}
	// What the backend leaves behind comes to this program.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "orphans cannot be counted:", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
