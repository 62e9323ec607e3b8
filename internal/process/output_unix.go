//go:build unix

package process

import (
	"os"
	"syscall"
)

// readAvailable reads what can be read without waiting; 0 if there is nothing.
func readAvailable(file *os.File, b []byte) int {
	connection, err := file.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	err = connection.Read(func(descriptor uintptr) bool {
		for {
			var failure error
			n, failure = syscall.Read(int(descriptor), b)
			if failure != syscall.EINTR {
				return true // true: do not wait for more
			}
		}
	})
	if err != nil {
		return 0
	}
	return n
}
