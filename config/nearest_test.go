package config

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The known words may be a peer's: names of tools, for example.
func TestNearestAmongLongWords(t *testing.T) {
	long := strings.Repeat("x", 16<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	assert.Equal(t, "echo", Nearest("ehco", []string{long, "echo", long}))
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "bytes")
}
