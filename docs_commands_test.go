package mcpclient_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/mcp-client-go/mcpclient"

// The commands of a guide do what it says. What stands in a block after
// <!-- transcript --> is run by clitest, on a terminal, and compared. What stands
// in a block of sh is looked at here: mcpclient is run, targets of make are there,
// and so are the packages that go is told of.
func TestCommandsInGuides(t *testing.T) {
	binary := buildCommand(t)
	block := regexp.MustCompile("(?s)```sh\n(.*?)```\n")
	other := regexp.MustCompile("(?s)(<!-- [a-z ]+ -->\n)?```(console|bash|shell)\n")
	targets := read(t, "Makefile")
	seen := 0
	for _, page := range guides(t) {
		text := read(t, page)
		for _, found := range other.FindAllStringSubmatch(text, -1) {
			assert.Equal(t, "<!-- transcript -->\n", found[1], "%s: a block of %s is run by nothing: make it sh, or a transcript", page, found[2])
		}
		for _, found := range block.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(found[1]) {
				command, _, _ := strings.Cut(strings.TrimSpace(line), " #")
				words := strings.Fields(command)
				if len(words) == 0 || words[0] == "#" {
					continue
				}
				seen++
				t.Run(page+"/"+strings.Join(words, " "), func(t *testing.T) { checkCommand(t, binary, targets, words) })
			}
		}
	}
	assert.Greater(t, seen, 8)
}

// buildCommand builds the command mcpclient.
func buildCommand(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "mcpclient")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	output, err := exec.Command("go", "build", "-o", binary, "./cmd/mcpclient").CombinedOutput()
	require.NoError(t, err, string(output))
	return binary
}

// checkCommand looks at one command.
func checkCommand(t *testing.T, binary, targets string, words []string) {
	t.Helper()
	for len(words) > 1 && strings.Contains(words[0], "=") { // a variable of the environment
		words = words[1:]
	}
	switch {
	case words[0] == "make":
		require.Regexp(t, `(?m)^`+regexp.QuoteMeta(words[1])+`:`, targets)
	case words[0] == "mcpclient":
		runCommand(t, binary, words[1:])
	case len(words) > 2 && words[0] == "go" && words[1] == "run" && words[2] == "./cmd/mcpclient":
		runCommand(t, binary, words[3:])
	case len(words) == 3 && words[0] == "go" && (words[1] == "get" || words[1] == "install"):
		path, version, _ := strings.Cut(words[2], "@")
		assert.Equal(t, "latest", version)
		folder, ours := strings.CutPrefix(path, modulePath)
		require.True(t, ours, path)
		require.DirExists(t, "."+folder)
	case len(words) > 2 && words[0] == "go" && words[1] == "test":
		require.DirExists(t, strings.TrimSuffix(words[2], "/..."))
	default:
		t.Errorf("nothing is known of the command %q: run it here, or make the block a transcript", words[0])
	}
}

// runCommand runs mcpclient where no configuration is; of a command that has more
// to do than that (a server of a configuration, somebody to wait for) it sees that
// it is there.
func runCommand(t *testing.T, binary string, arguments []string) {
	t.Helper()
	for _, word := range arguments {
		if word == "watch" || word == "login" || word == "logout" || word == "--config" {
			arguments = []string{arguments[0], "--help"}
			break
		}
	}
	run := exec.Command(binary, arguments...)
	run.Dir = t.TempDir()
	run.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir())
	output, err := run.CombinedOutput()
	require.NoError(t, err, string(output))
}
