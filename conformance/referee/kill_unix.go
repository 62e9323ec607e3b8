//go:build unix

package referee

import (
	"os/exec"
	"syscall"
)

// killTree makes the command the leader of a process group, and its
// cancellation end the whole group: the suite, the shell and the client.
func killTree(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
