package mcptest

import "time"

// awaitLimit bounds every wait of a test for something to come.
const awaitLimit = 10 * time.Second

// await waits until the journal has n messages of the method.
func await(t TB, j *journal, method string, n int) {
	t.Helper()
	limit := time.NewTimer(awaitLimit)
	defer limit.Stop()
	for {
		count, changed := j.count(method)
		if count >= n {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			t.Fatalf("waited %v for message %d of method %q: %d came", awaitLimit, n, method, count)
			return
		}
	}
}
