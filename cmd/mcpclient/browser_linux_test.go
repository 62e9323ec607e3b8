package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The program as a process opens the system's browser, without a shell.
func TestLoginOpensTheBrowser(t *testing.T) { // R305
	d := newDesk(t, redirect)
	self, err := os.Executable()
	require.NoError(t, err)
	path := t.TempDir()
	script := "#!/bin/sh\nunset " + asProgram + "\n" + asBrowser + "=1 exec '" + self + "' \"$1\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(path, "xdg-open"), []byte(script), 0o700))
	command := exec.Command(self, "--config", d.file(), "login", "files", "--timeout", "60s")
	command.Env = append(os.Environ(), asProgram+"=1", "PATH="+path+":"+os.Getenv("PATH"))
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	assert.Contains(t, string(output), "logged in to files")

	require.NoError(t, os.Remove(filepath.Join(path, "xdg-open")))
	require.Zero(t, d.run("logout", "files").code)
	command = exec.Command(self, "--config", d.file(), "login", "files", "--timeout", "60s")
	command.Env = append(os.Environ(), asProgram+"=1", "PATH="+path)
	var shown firstAddress
	shown.found = make(chan string, 1)
	command.Stdout, command.Stderr = &shown, &shown
	require.NoError(t, command.Start())
	require.Zero(t, browse(<-shown.found), "the address is shown, and works by hand")
	require.NoError(t, command.Wait(), shown.String())
	assert.Contains(t, shown.String(), "The browser could not be opened (")
	assert.Contains(t, shown.String(), "logged in to files")
}
