//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package filestore

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/mcp-client-go/mcpclient/errors"
)

// lock waits until this process has the file's lock. Closing the file gives it
// back. Whoever has it writes a small file, so that nobody waits for long.
func lock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
