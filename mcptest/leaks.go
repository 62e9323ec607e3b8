package mcptest

import "go.uber.org/goleak"

// CheckLeaks fails the test if goroutines that it started still run when it has
// ended, after they had a moment to end. Those that run already are not counted,
// so that it does not suit tests that run in parallel with others. Call it first:
// what is cleaned up after it does not count.
func CheckLeaks(t TB) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		if err := goleak.Find(before); err != nil {
			t.Errorf("goroutines were left behind: %v", err)
		}
	})
}
