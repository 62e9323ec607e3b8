//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || windows)

package filestore

import "os"

// lock does nothing: this system has no locks that end with the process. The
// store is for one process then.
func lock(*os.File) error { return nil }
