package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLeaksAreFound(t *testing.T) {
	before, err := takeInventory()
	require.NoError(t, err)
	assert.Empty(t, before.leaks())

	child := exec.Command("sleep", "30")
	require.NoError(t, child.Start())
	file, err := os.Open(os.DevNull)
	require.NoError(t, err)
	release := make(chan struct{})
	go func() { <-release }()

	leaks := strings.Join(before.leaks(), "\n")
	assert.Regexp(t, `child process \d+ \(sleep\) is running`, leaks)
	assert.Contains(t, leaks, ", "+os.DevNull)
	assert.Contains(t, leaks, "TestLeaksAreFound.func1")

	close(release)
	require.NoError(t, file.Close())
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	assert.Empty(t, before.leaks())
}
