package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatIsLeftBehindFails(t *testing.T) {
	// An orphan in another process group, as a server's own child may be.
	leaky := script(t, built.harness+` "$@"; set -m; sleep 30 & exit 0`)
	p := play(t, directoryWith(t, "C43", nil), "-harness", leaky)
	assert.Equal(t, "0 passed, 1 failed", p.last)
	assert.Regexp(t, `left behind: process \d+ \(sleep\) is running`, p.lines[0])
	assert.NotContains(t, p.lines[0], "step", "the case itself went well")
}
