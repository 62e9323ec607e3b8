//go:build unix && !linux

package process

// waitUntilExited does nothing here: there is no portable way to wait for a
// child without reaping it.
func waitUntilExited(int) bool { return false }
