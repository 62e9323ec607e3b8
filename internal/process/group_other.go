//go:build !unix

package process

import (
	"syscall"

	"github.com/mcp-client-go/mcpclient/errors"
)

// There are no process groups here: a child is ended alone, by the system's
// way to end a process (TerminateProcess on Windows), and there is no request
// to terminate.

func ownGroup() *syscall.SysProcAttr { return nil }

func ownSession() *syscall.SysProcAttr { return nil }

func terminateGroup(int) bool { return false }

func killGroup(int) error { return nil }

func waitUntilExited(int) bool { return false }

// errNotProgram is never seen here: only Unix has a code of its own for it.
var errNotProgram = errors.New("not a program")
