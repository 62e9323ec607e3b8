//go:build unix

package process

import "syscall"

// ownGroup makes the child the leader of a new process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// ownSession makes the child the leader of a new session, which signals to this
// one's terminal do not reach.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// terminateGroup sends SIGTERM to the group of an unreaped leader.
func terminateGroup(pid int) bool { return syscall.Kill(-pid, syscall.SIGTERM) == nil }

// killGroup sends SIGKILL to the group of an unreaped leader.
func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }

// errNotProgram is the system's code for a file that it cannot execute.
const errNotProgram = syscall.ENOEXEC
