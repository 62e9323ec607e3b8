package clitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const manual = "../docs/cli.md"

// TestTranscript runs the commands of docs/cli.md, each on a terminal of its own
// and all in one folder, where the files of the page come to be as they are told
// of, and compares what they write with what the page says.
func TestTranscript(t *testing.T) {
	written, err := os.ReadFile(manual)
	require.NoError(t, err)
	folder := t.TempDir()
	runs := 0
	block := regexp.MustCompile("(?s)<!-- (transcript|file: (\\S+)) -->\n```[a-z]+\n(.*?)```\n")
	current := block.ReplaceAllStringFunc(string(written), func(found string) string {
		parts := block.FindStringSubmatch(found)
		if parts[2] != "" {
			require.NoError(t, os.WriteFile(filepath.Join(folder, parts[2]), []byte(parts[3]), 0o600))
			return found
		}
		text := ""
		for line := range strings.Lines(parts[3]) {
			if line, isCommand := strings.CutPrefix(line, "$ "); isCommand {
				runs++
				text += "$ " + line + transcribe(t, folder, strings.TrimSpace(line))
			}
		}
		return strings.Replace(found, parts[3], text, 1)
	})
	require.Greater(t, runs, 10)
	if *update {
		require.NoError(t, os.WriteFile(manual, []byte(current), 0o600))
		return
	}
	assert.Equal(t, current, string(written), "make it current: go test . -run TestTranscript -update")
}

// transcribe runs a line of a shell and returns what is left on the screen,
// without what differs from run to run.
func transcribe(t *testing.T, folder, line string) string {
	t.Helper()
	shell := exec.Command("sh", "-c", line)
	shell.Dir = folder
	shell.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=1", "XDG_CACHE_HOME="+t.TempDir(),
		"PATH="+binaries+string(os.PathListSeparator)+os.Getenv("PATH"))
	_, output := onTerminal(t, 100, shell).end()
	text := strings.Join(newScreen(output).lines(), "\n")
	for _, variable := range []struct{ pattern, constant string }{
		{regexp.QuoteMeta(binaries), "/usr/local/bin"},
		{regexp.QuoteMeta(os.Getenv("PATH")), "/usr/bin:/bin"},
		{`\d+\.\d+ ms`, "0.2 ms"},
		{`demo \S+, protocol`, "demo 0.1.0, protocol"},
		{`"version": "[^"]*"`, `"version": "0.1.0"`},
	} {
		text = regexp.MustCompile(variable.pattern).ReplaceAllString(text, variable.constant)
	}
	return text + "\n"
}
