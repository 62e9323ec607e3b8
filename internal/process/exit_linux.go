package process

import "golang.org/x/sys/unix"

// waitUntilExited blocks until the child has exited and leaves it a zombie, so
// that its number stays taken. It returns false if the child is not ours to
// wait for, for example because the program ignores SIGCHLD.
func waitUntilExited(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}
