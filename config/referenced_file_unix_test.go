//go:build unix

package config

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReferencedFilesAreBounded(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "key")
	require.NoError(t, os.WriteFile(path, []byte("value\n"), 0o600))
	link := filepath.Join(directory, "link")
	require.NoError(t, os.Symlink(path, link))
	pipe := filepath.Join(directory, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	large := filepath.Join(directory, "large")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, largestReferencedFile+1))

	var process *source
	for _, good := range []string{path, link} {
		text, problems := scope{source: process}.expand("${file:" + good + "}")
		assert.Empty(t, problems)
		assert.Equal(t, "value", text)
	}
	for bad, reason := range map[string]string{pipe: "not a regular file", directory: "not a regular file", large: "larger than 1 MiB"} {
		_, problems := scope{source: process}.expand("${file:" + bad + "}")
		require.Len(t, problems, 1)
		assert.Contains(t, problems[0].message, reason)
	}
}
