//go:build !unix

package process

import "os"

// readAvailable is never reached: it needs pipes with deadlines.
func readAvailable(*os.File, []byte) int { return 0 }
