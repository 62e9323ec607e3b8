//go:build unix

package pinfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// What would never end, or never fit, is refused at once.
func TestStoreRefusesWhatIsNoFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	large := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, largest+1))
	for path, want := range map[string]string{pipe: "not a regular file", large: "larger than 256 MiB", "/dev/zero": "not a regular file"} {
		_, err := Open(path).Pins(t.Context(), "a")
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, Open(path).Pin(t.Context(), "a", map[string]string{"x": "1"}, false), want)
	}
}
