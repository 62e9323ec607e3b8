package mcpclient_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/mcp-client-go/mcpclient"

// allPages are the pages of this repository, of all its modules, but those that
// belong to others.
func allPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	eachFile(t, ".md", func(path string) {
		if !slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "testdata") {
			pages = append(pages, path)
		}
	})
	require.Greater(t, len(pages), 20)
	return pages
}

// block is what stands between two fences.
type block struct {
	marks    []string // the comments right above
	language string
	text     string
}

// blocks takes a page apart.
func blocks(text string) []block {
	var found []block
	var marks []string
	inside := false
	for line := range strings.Lines(text) {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && inside:
			inside = false
		case isFence:
			found = append(found, block{marks: marks, language: strings.TrimSpace(fence)})
			inside = true
		case inside:
			found[len(found)-1].text += line
		case strings.HasPrefix(line, "<!-- "):
			marks = append(marks, strings.TrimSpace(line))
			continue
		}
		marks = nil
	}
	return found
}

// notRun reports whether a block says why the command is not run. Of make test
// nobody has to: it is what runs this.
func (b block) notRun(t *testing.T, command string) bool {
	if command == "make test" {
		return true
	}
	form := regexp.MustCompile(`^<!-- not run(?: \(([^)]+)\))?: \S.* -->$`)
	for _, mark := range b.marks {
		parts := form.FindStringSubmatch(mark)
		require.NotNil(t, parts, "%s is no mark: a command that is not run wants <!-- not run: REASON -->", mark)
		if strings.HasPrefix(command, parts[1]) {
			return true
		}
	}
	return false
}

// The commands of a page do what it says. What stands in a block after
// <!-- transcript --> is run by clitest, on a terminal, and compared. What stands
// in a block of sh is run here, but what a line above says the reason for not to:
//
//	<!-- not run: REASON -->              all of the block
//	<!-- not run (COMMAND): REASON -->    its lines that begin so
//
// Of these it is seen that what they name is there.
func TestCommandsInGuides(t *testing.T) {
	commands := newCommandLine(t)
	run, looked := 0, 0
	for _, page := range allPages(t) {
		text := read(t, page)
		for _, line := range indented(text) {
			word, _, _ := strings.Cut(strings.TrimPrefix(line, "$ "), " ")
			assert.NotContains(t, []string{"make", "go", "mcpclient", "git", "npm", "npx", "curl"}, word, "%s: %q is run by nothing: put it in a block of sh, or a transcript", page, line)
		}
		for _, b := range blocks(text) {
			switch b.language {
			case "console", "bash", "shell":
				assert.Equal(t, []string{"<!-- transcript -->"}, b.marks, "%s: a block of %s is run by nothing: make it sh, or a transcript", page, b.language)
			case "":
				assert.Equal(t, "docs/performance.md", page, "a block of no language, of which nobody knows whether it is true:\n%s", b.text)
			case "sh":
				for line := range strings.Lines(b.text) {
					command, _, _ := strings.Cut(strings.TrimSpace(line), " #")
					if command = strings.TrimSpace(command); command == "" || strings.HasPrefix(command, "#") {
						continue
					}
					looked++
					t.Run(page+"/"+command, func(t *testing.T) {
						commands.look(t, page, command)
						if !b.notRun(t, command) {
							run++
							commands.run(t, command)
						}
					})
				}
			}
		}
	}
	assert.Greater(t, looked, 25)
	assert.Greater(t, run, 1)
}

// What prose calls a command is one: `make NAME`, `mcpclient NAME`, `go doc NAME`,
// `go test ... -run NAME` and the scripts are there.
func TestCommandsInProse(t *testing.T) {
	commands := newCommandLine(t)
	inline := regexp.MustCompile("`((?:make|mcpclient|go doc|go run|go test|scripts/[a-z-]+\\.sh|[A-Z_]+=\\S+ make) [^`\n]+)`")
	seen := map[string]bool{}
	for _, page := range allPages(t) {
		if page == "CHANGELOG.md" {
			continue // what was true then
		}
		for _, found := range inline.FindAllStringSubmatch(withoutBlocks(read(t, page)), -1) {
			if command := found[1]; !seen[page+command] {
				seen[page+command] = true
				t.Run(page+"/"+command, func(t *testing.T) { commands.look(t, page, command) })
			}
		}
	}
	assert.Greater(t, len(seen), 40)
}

// withoutBlocks leaves the prose.
func withoutBlocks(text string) string {
	return regexp.MustCompile("(?ms)^```.*?^```\n").ReplaceAllString(text, "")
}

// indented are the lines of blocks that are none but by their indentation.
func indented(text string) []string {
	var found []string
	blank := false
	for line := range strings.Lines(withoutBlocks(text)) {
		if code, is := strings.CutPrefix(line, "    "); is && (blank || len(found) > 0 && found[len(found)-1] != "") {
			found = append(found, strings.TrimSpace(code))
			continue
		}
		blank = strings.TrimSpace(line) == ""
		if len(found) > 0 {
			found = append(found, "")
		}
	}
	return found
}

// commandLine runs and looks at commands.
type commandLine struct {
	binary  string // mcpclient
	targets string // the Makefile
}

func newCommandLine(t *testing.T) commandLine {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "mcpclient")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	output, err := exec.Command("go", "build", "-o", binary, "./cmd/mcpclient").CombinedOutput()
	require.NoError(t, err, string(output))
	return commandLine{binary: binary, targets: read(t, "Makefile")}
}

// run runs a command: mcpclient in an empty folder, anything else in this one.
func (c commandLine) run(t *testing.T, command string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-c", command)
	shell.WaitDelay = time.Second
	shell.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "PATH="+filepath.Dir(c.binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	if strings.HasPrefix(command, "mcpclient") {
		shell.Dir = t.TempDir()
	} else {
		shell.Env = append(os.Environ(), "GOWORK=off") // go keeps what it has built
	}
	output, err := shell.CombinedOutput()
	require.NoError(t, err, string(output))
}

// look sees that what a command names is there.
func (c commandLine) look(t *testing.T, page, command string) {
	t.Helper()
	words := strings.Fields(command)
	for len(words) > 1 && strings.Contains(words[0], "=") { // a variable of the environment
		words = words[1:]
	}
	switch {
	case words[0] == "cd" && len(words) > 3 && words[2] == "&&":
		require.DirExists(t, words[1])
		c.look(t, page, strings.Join(words[3:], " "))
	case words[0] == "make":
		require.Regexp(t, `(?m)^`+regexp.QuoteMeta(words[1])+`:`, c.targets)
	case words[0] == "mcpclient":
		c.help(t, words[1:])
	case strings.HasPrefix(words[0], "scripts/"):
		require.FileExists(t, words[0])
	case len(words) > 2 && words[0] == "go" && words[1] == "run":
		require.DirExists(t, nearest(page, words[2]))
		if words[2] == "./cmd/mcpclient" {
			c.help(t, words[3:])
		}
	case len(words) > 2 && words[0] == "go" && words[1] == "doc":
		output, err := exec.Command("go", words[1:]...).CombinedOutput()
		require.NoError(t, err, string(output))
	case len(words) == 3 && words[0] == "go" && (words[1] == "get" || words[1] == "install"):
		path, version, _ := strings.Cut(words[2], "@")
		assert.Equal(t, "latest", version)
		folder, ours := strings.CutPrefix(path, modulePath)
		require.True(t, ours, path)
		require.DirExists(t, "."+folder)
	case len(words) > 2 && words[0] == "go" && words[1] == "test" && strings.HasPrefix(words[2], "-"):
		// what go test can do in every package
	case len(words) > 2 && words[0] == "go" && words[1] == "test":
		folder := nearest(page, strings.TrimSuffix(words[2], "/..."))
		require.DirExists(t, folder)
		if at := slices.Index(words, "-run"); at > 0 {
			require.Regexp(t, `func `+words[at+1], testsIn(t, folder), "no test matches")
		}
	default:
		t.Errorf("nothing is known of the command %q: see to it here, or make the block a transcript", words[0])
	}
}

// nearest is a folder as it is seen from the root, the page's own or, of a module
// whose page says where, trust.
func nearest(page, folder string) string {
	for _, from := range []string{".", filepath.Dir(page), "trust"} {
		if info, err := os.Stat(filepath.Join(from, folder)); err == nil && info.IsDir() {
			return filepath.Join(from, folder)
		}
	}
	return folder
}

func testsIn(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	require.NoError(t, err)
	var all strings.Builder
	for _, file := range files {
		all.WriteString(read(t, file))
	}
	return all.String()
}

// help sees that there is such a command of mcpclient, with such flags.
func (c commandLine) help(t *testing.T, words []string) {
	t.Helper()
	var path []string
	for _, word := range words {
		if strings.HasPrefix(word, "-") || !regexp.MustCompile(`^[a-z]+$`).MatchString(word) || len(path) == 2 {
			break
		}
		path = append(path, word)
	}
	run := exec.Command(c.binary, append(slices.Clone(path), "--help")...)
	run.Dir = t.TempDir()
	run.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir())
	output, err := run.CombinedOutput()
	require.NoError(t, err, string(output))
	if len(path) > 0 {
		require.Contains(t, string(output), "mcpclient "+path[0], "there is no such command")
	}
	for _, word := range words {
		if flag, _, _ := strings.Cut(word, "="); strings.HasPrefix(flag, "--") {
			require.Contains(t, string(output), flag)
		}
	}
}
