package filestore

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock waits until this process has the file's lock. Closing the file gives it
// back. Whoever has it writes a small file, so that nobody waits for long.
func lock(file *os.File) error {
	return windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
}
