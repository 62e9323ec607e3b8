package workload

import (
	"fmt"
	"syscall"
)

// spareFiles are those that a process has open beside its connections.
const spareFiles = 64

// enoughFiles says how many open files the callers over HTTP need, if they are
// more than this process may have. (The runtime has raised the soft limit to the
// hard one.)
func (o *options) enoughFiles() error {
	if o.url == "" {
		return nil
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("limit of open files: %w", err)
	}
	if needed := uint64(o.callers + spareFiles); needed > limit.Cur {
		return fmt.Errorf("%d callers need %d open files, the limit is %d: raise it (ulimit -n)", o.callers, needed, limit.Cur)
	}
	return nil
}
