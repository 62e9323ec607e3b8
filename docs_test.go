package mcpclient_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
)

// guides are the pages that people write, of all modules.
func guides(t *testing.T) []string {
	t.Helper()
	generated := []string{"docs/performance.md", "docs/trust.md"}
	return slices.DeleteFunc(allPages(t), func(page string) bool { return slices.Contains(generated, filepath.ToSlash(page)) })
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	return string(text)
}

// What a guide shows is what the compiler and the tests have seen: after a line
//
//	<!-- file: PATH -->        stands the file,
//	<!-- func: PATH NAME -->   a function of it, as it is in the file,
//
// and there is no other Go code in it but what stands after <!-- code: ... -->,
// which the tests of the package that it is from look after. (A file that is not in
// the repository is one that the transcripts of the page are run with.)
func TestGuidesShowCompiledCode(t *testing.T) {
	elsewhere := regexp.MustCompile("(?s)<!-- code: [^\n]+ -->\n```go\n.*?```\n")
	shown := 0
	for _, page := range guides(t) {
		written := read(t, page)
		block := regexp.MustCompile("(?s)<!-- (file|func): (\\S+)(?: (\\S+))? -->\n```(\\w*)\n(.*?)```\n")
		current := block.ReplaceAllStringFunc(written, func(found string) string {
			parts := block.FindStringSubmatch(found)
			if !strings.Contains(parts[2], "/") && !strings.HasSuffix(parts[2], ".go") {
				return found
			}
			shown++
			return strings.Replace(found, "```"+parts[4]+"\n"+parts[5]+"```", "```"+parts[4]+"\n"+sourceOf(t, parts[2], parts[3])+"```", 1)
		})
		if *updateREADME {
			require.NoError(t, os.WriteFile(page, []byte(current), 0o644))
			continue
		}
		if at := firstDifference(page, current, written); at != "" {
			t.Errorf("%s\nmake it current: go test . -run TestGuides -update", at)
		}
		rest := elsewhere.ReplaceAllString(block.ReplaceAllString(written, ""), "")
		assert.False(t, strings.Contains(rest, "```go"), "%s: Go code that no compiler has seen", page)
	}
	assert.Greater(t, shown, 15)
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(page, wanted, found string) string {
	wantedLines, foundLines := strings.Split(wanted, "\n"), strings.Split(found, "\n")
	for i := range max(len(wantedLines), len(foundLines)) {
		a, b := "(the end)", "(the end)"
		if i < len(wantedLines) {
			a = wantedLines[i]
		}
		if i < len(foundLines) {
			b = foundLines[i]
		}
		if a != b {
			return fmt.Sprintf("%s:%d: found %q, wanted %q", page, i+1, b, a)
		}
	}
	return ""
}

// sourceOf returns a file, or one function of it with its comment.
func sourceOf(t *testing.T, path, name string) string {
	t.Helper()
	text := read(t, path)
	if name == "" {
		return text
	}
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, path, text, parser.ParseComments)
	require.NoError(t, err)
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && qualifiedName(function) == name {
			begin := function.Pos()
			if function.Doc != nil {
				begin = function.Doc.Pos()
			}
			return text[positions.Position(begin).Offset:positions.Position(function.End()).Offset] + "\n"
		}
	}
	t.Fatalf("%s has no function %s", path, name)
	return ""
}

// qualifiedName is NAME, of a method TYPE.NAME.
func qualifiedName(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	name, _ := receiver.(*ast.Ident)
	return name.Name + "." + function.Name.Name
}

// The configurations of a guide are valid: a block is a whole file, or what
// stands beneath one server, which is an HTTP server unless a line
// <!-- beneath: stdio --> says otherwise. The files of transcripts, which have
// faults for people to see, and what <!-- not a configuration --> stands above are
// left out.
func TestGuidesShowValidConfigurations(t *testing.T) {
	beneath := map[string]string{
		"http":  "servers:\n  s:\n    type: http\n    base_url: https://mcp.example.com/mcp\n    ",
		"stdio": "servers:\n  s:\n    type: stdio\n    command: [server]\n    ",
	}
	anything := config.Options{
		LookupEnv: func(name string) (string, bool) {
			if strings.HasSuffix(name, "_URL") {
				return "", false // the default is a URL
			}
			return "x", true
		},
		Input: func(config.Input) (string, error) { return "x", nil },
		ReadFile: func(path string) ([]byte, error) {
			if strings.HasSuffix(path, "key") {
				return []byte(strings.Repeat("00", 32)), nil
			}
			return []byte("content"), nil
		},
	}
	blocks := regexp.MustCompile("(?s)(?:<!-- ([a-z ]+)(?:: (\\S+))? -->\n)?```(yaml|toml|json)\n(.*?)```\n")
	seen := 0
	for _, page := range guides(t) {
		for _, block := range blocks.FindAllStringSubmatch(read(t, page), -1) {
			mark, what, format, shown := block[1], block[2], block[3], block[4]
			switch {
			case mark == "not a configuration", mark == "file" && !strings.Contains(what, "/"):
				continue
			case format == "json" && !json.Valid([]byte(shown)):
				t.Errorf("%s: this is no JSON:\n%s", page, shown)
				continue
			case format == "json" && !strings.Contains(strings.ToLower(shown), `servers"`):
				continue // what a server says, or a command
			case format == "yaml" && !regexp.MustCompile(`(?m)^servers:`).MatchString(shown):
				if mark != "beneath" {
					what = "http"
				}
				require.Contains(t, beneath, what, page)
				shown = beneath[what] + strings.ReplaceAll(strings.TrimSpace(shown), "\n", "\n    ") + "\n"
			}
			cfg, err := config.ParseWith(anything, "guide."+format, []byte(shown))
			require.NoError(t, err, "%s:\n%s", page, shown)
			assert.Empty(t, cfg.Faults(), "%s:\n%s", page, shown)
			require.NotEmpty(t, cfg.Names(), "%s:\n%s", page, shown)
			for _, name := range cfg.Names() {
				section, _ := cfg.Server(name)
				faults := slices.DeleteFunc(factory.New().Check(section), func(fault errors.Fault) bool {
					return strings.HasPrefix(fault.Key, "tls.") && strings.Contains(fault.String(), "no such file")
				})
				assert.Empty(t, faults, "%s:\n%s", page, shown)
			}
			seen++
		}
	}
	assert.Greater(t, seen, 15)
}

// Links within the repository lead somewhere: to a file, and to a heading of it.
func TestLinksInGuides(t *testing.T) {
	link, code := regexp.MustCompile(`\]\(([^)\s]+)\)`), regexp.MustCompile("(?s)```.*?\n```|`[^`\n]*`")
	followed := 0
	for _, page := range allPages(t) {
		prose := code.ReplaceAllString(read(t, page), "")
		for _, found := range link.FindAllStringSubmatch(prose, -1) {
			target, heading, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			followed++
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			_, err := os.Stat(path)
			if assert.NoError(t, err, "%s: a link to %s", page, found[1]) && heading != "" && strings.HasSuffix(path, ".md") {
				assert.Contains(t, headings(read(t, path)), heading, "%s: a link to %s", page, found[1])
			}
		}
	}
	assert.Greater(t, followed, 60)
}

// headings are the headings of a page, as links name them.
func headings(text string) []string {
	var found []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		found = append(found, strings.Map(func(r rune) rune {
			switch {
			case r == ' ' || r == '-':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
				return unicode.ToLower(r)
			default:
				return -1
			}
		}, heading[1]))
	}
	return found
}
