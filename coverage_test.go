package mcpclient_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where the requirements that no test names say what holds them, and the page
// that is made of both.
const (
	holdingsFile = "testdata/requirements.tsv"
	coveragePage = "docs/coverage.md"
)

// holding is a line of holdingsFile.
type holding struct {
	tests  []string // package.TestName
	reason string   // why there is none
}

// Each requirement is held by a test that exists, or has the reason why not.
// The page that says so is written with -update; tests that were added since
// need not be on it, but what it says must still be so.
func TestEveryRequirementIsHeldByATest(t *testing.T) {
	naming, all := requirementTests(t)
	listed, explained := listedHoldings(t), explainedNumbers(t)
	require.Greater(t, len(naming), 150, "the numbers were not found at all")
	var page strings.Builder
	held, excused := 0, 0
	for number := range explained {
		if number[0] != 'R' {
			continue
		}
		other, isListed := listed[number]
		if len(naming[number]) > 0 && other.reason != "" {
			t.Errorf("%s: %s names it, so the reason in %s does not hold", number, first(naming[number]), holdingsFile)
		}
		switch tests := naming[number]; {
		case len(tests) > 0:
			held++
		case !isListed:
			t.Errorf("%s is held by no test: name it in the test that holds it, or list it in %s", number, holdingsFile)
		case other.reason != "":
			excused++
		default:
			held++
		}
		for _, test := range other.tests {
			assert.Contains(t, all, test, "%s of %s: there is no such test", number, holdingsFile)
		}
	}
	for number := range listed {
		assert.Contains(t, explained, number, "%s lists it", holdingsFile)
	}
	page.WriteString("# Which tests hold the requirements\n\nWritten by `go test . -run TestEveryRequirementIsHeldByATest -update`. " +
		"What the numbers mean is in [requirements.md](requirements.md).\nA test holds a requirement that its name, its comment, its body or a table that it uses names, " +
		"or that [a list](../" + holdingsFile + ") gives it.\n\n")
	fmt.Fprintf(&page, "%d requirements: %d held by tests, %d with the reason why not.\n\n| requirement | tests |\n|---|---|\n", held+excused, held, excused)
	for _, number := range slices.Sorted(maps.Keys(explained)) {
		if number[0] == 'R' {
			fmt.Fprintf(&page, "| %s | %s |\n", number, coverageCell(naming[number], listed[number]))
		}
	}
	if *updateREADME {
		require.NoError(t, os.WriteFile(coveragePage, []byte(page.String()), 0o644))
	}
	checkCoveragePage(t, explained, all)
}

// The threat model says only what a test shows.
func TestTheThreatModelNamesTestsThatExist(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	require.NoError(t, err)
	_, all := requirementTests(t)
	assert.Greater(t, checkNamedTests(t, string(text), "SECURITY.md", all), 30)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| It can |") {
			assert.Contains(t, line, ".Test", "no test shows it: %s", line)
		}
	}
}

// checkNamedTests returns how many tests a page names, all of which must exist.
func checkNamedTests(t *testing.T, text, page string, all map[string]bool) int {
	t.Helper()
	found := regexp.MustCompile("`([\\w/]+\\.(?:Test|Fuzz|Example)\\w*)`").FindAllStringSubmatch(text, -1)
	for _, named := range found {
		assert.Contains(t, all, named[1], "%s names it", page)
	}
	return len(found)
}

// checkCoveragePage looks whether what the page tells is there.
func checkCoveragePage(t *testing.T, explained, all map[string]bool) {
	t.Helper()
	written, err := os.ReadFile(coveragePage)
	require.NoError(t, err)
	for number := range explained {
		if number[0] == 'R' {
			assert.Contains(t, string(written), "\n| "+number+" | ", "%s: make it current with -update", coveragePage)
		}
	}
	checkNamedTests(t, string(written), coveragePage+" (make it current with -update)", all)
}

// coverageCell shows three tests: who wants all of them searches for the number.
func coverageCell(tests map[string]bool, other holding) string {
	if other.reason != "" {
		return "none: " + other.reason
	}
	names := slices.Concat(slices.Sorted(maps.Keys(tests)), other.tests)
	more := ""
	if len(names) > 3 {
		names, more = names[:3], " and more"
	}
	return "`" + strings.Join(names, "`, `") + "`" + more
}

func first(tests map[string]bool) string { return slices.Min(slices.Collect(maps.Keys(tests))) }

// listedHoldings reads holdingsFile.
func listedHoldings(t *testing.T) map[string]holding {
	t.Helper()
	text, err := os.ReadFile(holdingsFile)
	require.NoError(t, err)
	listed := map[string]holding{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.SplitN(line, "\t", 3)
		require.Len(t, fields, 3, "%s: %s", holdingsFile, line)
		assert.NotContains(t, listed, fields[0], "%s: listed twice", holdingsFile)
		switch fields[1] {
		case "by":
			listed[fields[0]] = holding{tests: strings.Fields(fields[2])}
		case "not":
			listed[fields[0]] = holding{reason: fields[2]}
		default:
			t.Errorf("%s: %s is neither by nor not", holdingsFile, fields[1])
		}
	}
	return listed
}

// requirementTests returns, for each requirement, the tests that name it, and
// the names of all tests.
func requirementTests(t *testing.T) (naming map[string]map[string]bool, all map[string]bool) {
	t.Helper()
	naming, all = map[string]map[string]bool{}, map[string]bool{}
	folders := map[string][]string{}
	eachFile(t, ".go", func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			folders[filepath.Dir(path)] = append(folders[filepath.Dir(path)], path)
		}
	})
	for folder, paths := range folders {
		if folder == "." {
			folder = "mcpclient"
		}
		var declarations []declaration
		for _, path := range paths {
			declarations = append(declarations, declarationsOf(t, path)...)
		}
		numbers := map[string][]string{} // by what is declared
		for _, d := range declarations {
			for _, name := range d.names {
				numbers[name] = append(numbers[name], d.numbers...)
			}
		}
		for _, d := range declarations {
			if !d.test {
				continue
			}
			name := filepath.ToSlash(folder) + "." + d.names[0]
			all[name] = true
			held := slices.Clone(d.numbers)
			for _, used := range d.uses {
				held = append(held, numbers[used]...)
			}
			for _, number := range held {
				if naming[number] == nil {
					naming[number] = map[string]bool{}
				}
				naming[number][name] = true
			}
		}
	}
	return naming, all
}

// declaration is what stands at the top level of a file of tests.
type declaration struct {
	names   []string
	test    bool
	numbers []string // the requirements that its text names, comments included
	uses    []string // the names in it
}

func declarationsOf(t *testing.T, path string) []declaration {
	t.Helper()
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.ParseComments)
	require.NoError(t, err)
	var (
		number = regexp.MustCompile(`\bR\d{3}(?:-R\d{3})?\b`)
		test   = regexp.MustCompile(`^(Test|Fuzz|Example)([^a-z]|$)`)
		found  []declaration
	)
	for _, declared := range file.Decls {
		d := declaration{}
		from := declared.Pos()
		var doc *ast.CommentGroup
		switch declared := declared.(type) {
		case *ast.FuncDecl:
			d.names, doc = []string{declared.Name.Name}, declared.Doc
			d.test = declared.Recv == nil && test.MatchString(declared.Name.Name)
		case *ast.GenDecl:
			doc = declared.Doc
			for _, spec := range declared.Specs {
				if value, is := spec.(*ast.ValueSpec); is {
					for _, name := range value.Names {
						d.names = append(d.names, name.Name)
					}
				}
			}
		}
		if doc != nil {
			from = doc.Pos()
		}
		text := string(source[files.Position(from).Offset:files.Position(declared.End()).Offset])
		for _, name := range d.names {
			text += "\n" + strings.ReplaceAll(name, "_", " ")
		}
		for _, match := range number.FindAllString(text, -1) {
			d.numbers = append(d.numbers, numbersBetween(match)...)
		}
		ast.Inspect(declared, func(node ast.Node) bool {
			if name, is := node.(*ast.Ident); is {
				d.uses = append(d.uses, name.Name)
			}
			return true
		})
		found = append(found, d)
	}
	return found
}

// numbersBetween takes R021-R023 apart.
func numbersBetween(match string) []string {
	from, to := match[1:4], match[len(match)-3:]
	var numbers []string
	for i := range 1000 {
		if n := fmt.Sprintf("%03d", i); n >= from && n <= to {
			numbers = append(numbers, "R"+n)
		}
	}
	return numbers
}
