package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestItPrintsThreeLines(t *testing.T) {
	program := filepath.Join(t.TempDir(), "allocs")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Stderr = os.Stderr
	require.NoError(t, build.Run())
	output, err := exec.Command(program).Output()
	require.NoError(t, err)
	require.Regexp(t, regexp.MustCompile(`\Aallocs http-json [1-9]\d*\nallocs http-sse [1-9]\d*\nallocs stdio [1-9]\d*\n\z`), string(output))
}
