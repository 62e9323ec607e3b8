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

// TestTranscripts runs the commands of docs, each on a terminal of its own and all
// of a page in one folder, where the files of the page come to be as they are told
// of, and compares what they write with what the page says.
func TestTranscripts(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	runs := 0
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) { runs += transcribePage(t, page) })
	}
	require.Greater(t, runs, 20)
}

// transcribePage returns how many commands a page has.
func transcribePage(t *testing.T, page string) (runs int) {
	t.Helper()
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	folder := t.TempDir()
	block := regexp.MustCompile("(?s)<!-- (transcript|file: (\\S+)) -->\n```[a-z]+\n(.*?)```\n")
	current := block.ReplaceAllStringFunc(string(written), func(found string) string {
		parts := block.FindStringSubmatch(found)
		switch {
		case strings.Contains(parts[2], "/"): // a file of this repository
			return found
		case parts[2] != "":
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
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(current), 0o600))
		return runs
	}
	assert.Equal(t, current, string(written), "make it current: go test . -run TestTranscript -update")
	return runs
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
