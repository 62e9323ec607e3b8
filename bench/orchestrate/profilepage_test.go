package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const pprofTop = `File: worker-product
Type: cpu
Showing nodes accounting for 1s, 80% of 1.2s total
      flat  flat%   sum%        cum   cum%
     0.56s 31.11% 31.11%      0.56s 31.11%  internal/runtime/syscall.Syscall6
     0.10s  5.56% 36.67%      0.11s  6.11%  github.com/mcp-client-go/mcpclient/internal/envelope.Scan (inline)
     0.09s  5.00% 41.67%      0.09s  5.00%  main.generic[go.shape.struct { x [2]int }].Do (partial-inline)
`

func TestTopOfReadsWhatPprofWrites(t *testing.T) {
	require.Equal(t, []function{
		{"31.11%", "internal/runtime/syscall.Syscall6"},
		{"5.56%", "internal/envelope.Scan"},
		{"5.00%", "main.generic[...].Do"},
	}, topOf(pprofTop))
	rows := strings.Repeat("     0.56s 31.11% 31.11%      0.56s 31.11%  main.f\n", topFunctions+5)
	require.Len(t, topOf("cum%\n"+rows), topFunctions)
	require.Empty(t, topOf("nothing"))
}

func TestProfilesOfGoalsThatAreNotReached(t *testing.T) {
	own := 7.0
	r := report{
		command: "make bench-full", reasons: &reasons{},
		targets: []target{
			{ID: "a", Metric: "x", Cells: []string{"W1 stdio"}, Own: &own},
			{ID: "b", Metric: "x", Cells: []string{"W2"}, Own: &own},
		},
		results: results{measured("W1 stdio", product, 1, 1, false, "x", 8), measured("W2", product, 1, 1, false, "x", 1)},
	}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, profileName("W1 stdio", product)+".cpu.txt"), []byte(pprofTop), 0o600))
	var page strings.Builder
	require.NoError(t, r.profilesPage(&page, folder))
	require.Contains(t, page.String(), "\n## W1 stdio\n\n| CPU, share | function |\n|---|---|\n| 31.11% | `internal/runtime/syscall.Syscall6` |\n")
	require.NotContains(t, page.String(), "bytes allocated, share", "it was not taken")
	require.NotContains(t, page.String(), "## W2", "its goal is reached")
}
