package process

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

func TestLaunch(t *testing.T) { // R305
	file := filepath.Join(t.TempDir(), "arguments")
	script := filepath.Join(t.TempDir(), "opener")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\nprintf '%s' \"$1\" > \"$2.new\"; mv \"$2.new\" \"$2\"\necho noise; exit 3\n"), 0o700))
	const url = "https://as.example.com/?a=b&c=$(touch x);`id`"
	ended, err := Launch(t.Context(), script, url, file)
	require.NoError(t, err)
	err = <-ended
	status, ok := errors.AsType[*exec.ExitError](err)
	require.True(t, ok, err)
	assert.Equal(t, 3, status.ExitCode())
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, url, string(content), "as it is")
}

// What a launcher leaves behind, such as the browser, is not ended with it.
func TestWhatALauncherStartsGoesOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "browser")
	script := filepath.Join(t.TempDir(), "opener")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n(sleep 0.2; : > \"$1\") &\n"), 0o700))
	ended, err := Launch(t.Context(), script, file)
	require.NoError(t, err)
	require.NoError(t, <-ended)
	require.Eventually(t, func() bool { _, err := os.Stat(file); return err == nil }, 30*time.Second, 5*time.Millisecond)
}

func TestLaunchThatFails(t *testing.T) {
	_, err := Launch(t.Context(), "no-such-program-at-all")
	require.ErrorIs(t, err, errors.ErrStartFailed)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Launch(t.Context())
	require.ErrorIs(t, err, errors.ErrStartFailed)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Launch(ctx, "true")
	require.ErrorIs(t, err, context.Canceled)
	assert.Contains(t, Browser("https://as.example.com/"), "https://as.example.com/")
}
