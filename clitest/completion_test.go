package clitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// completing is what bash does when the key is pressed, without a keyboard: the
// generated script is read, and its function called for the words of a line. The
// stand-in for the package bash-completion takes the line apart as that does.
const completing = `
_init_completion() { words=("${line[@]}"); cword=$((${#line[@]}-1)); cur="${line[cword]}"; prev="${line[cword-1]}"; }
compopt() { :; }
source <(mcpclient completion bash)
line=("$@")
COMP_TYPE=9 COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
__start_mcpclient
printf '%s\n' "${COMPREPLY[@]}"
`

// TestCompletionInBash presses the key.
func TestCompletionInBash(t *testing.T) {
	folder := t.TempDir()
	press := func(words ...string) []string {
		t.Helper()
		shell := exec.Command("bash", append([]string{"--norc", "-c", completing, "bash"}, words...)...)
		shell.Dir = folder
		shell.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(folder, "cache"), "PATH="+binaries+string(os.PathListSeparator)+os.Getenv("PATH"))
		output, err := shell.CombinedOutput()
		require.NoError(t, err, string(output))
		return strings.Split(strings.TrimSpace(string(output)), "\n")
	}
	assert.Equal(t, []string{"doctor"}, press("mcpclient", "doc"))
	assert.Equal(t, []string{"demo"}, press("mcpclient", "tools", "d"))
	assert.Equal(t, []string{"slow"}, press("mcpclient", "call", "demo", "sl"))
	assert.Equal(t, []string{"steps="}, press("mcpclient", "call", "demo", "slow", "st"))
	assert.Equal(t, []string{"debug"}, press("mcpclient", "call", "demo", "log", "level=d"), "bash replaces what stands behind the =")
	assert.Equal(t, []string{"//greeting"}, press("mcpclient", "read", "demo", "demo://g"), "and behind the :")
	assert.Len(t, press("mcpclient", "call", "demo", ""), 5)
}
