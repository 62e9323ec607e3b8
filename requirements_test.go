package mcpclient_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A number in a comment or in the name of a test means something only to those
// who can look it up.
func TestEveryRequirementNumberIsExplained(t *testing.T) {
	explained := explainedNumbers(t)
	require.Contains(t, explained, "R101")
	used := 0
	eachFile(t, ".go", func(path string) {
		for _, number := range numbersIn(t, path) {
			used++
			assert.Contains(t, explained, number, "%s uses it; explain it in docs/requirements.md", path)
		}
	})
	assert.Greater(t, used, 500, "the numbers were not found at all")
}

// explainedNumbers returns the numbers that docs/requirements.md lists, each
// once.
func explainedNumbers(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", "requirements.md"))
	require.NoError(t, err)
	explained := make(map[string]bool)
	for _, entry := range regexp.MustCompile(`(?m)^- \*\*([RSHPB]\d+)\*\* \S`).FindAllStringSubmatch(string(text), -1) {
		assert.False(t, explained[entry[1]], "%s is listed twice", entry[1])
		explained[entry[1]] = true
	}
	return explained
}

// eachFile visits the files of all modules of the repository whose names end so.
func eachFile(t *testing.T, suffix string, visit func(path string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "bin" || strings.HasPrefix(entry.Name(), ".") && path != "."):
			return filepath.SkipDir
		case strings.HasSuffix(path, suffix):
			visit(path)
		}
		return nil
	}))
}

// numbersIn returns the numbers in the comments and strings of a file.
func numbersIn(t *testing.T, path string) []string {
	t.Helper()
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	number := regexp.MustCompile(`\b(?:R\d{3}|[SH]\d{1,2}|P\d{1,3}|B\d{2})\b`)
	var (
		numbers []string
		files   = token.NewFileSet()
		s       scanner.Scanner
	)
	s.Init(files.AddFile(path, -1, len(source)), source, nil, scanner.ScanComments)
	for {
		_, kind, text := s.Scan()
		switch kind {
		case token.EOF:
			return numbers
		case token.COMMENT, token.STRING:
			numbers = append(numbers, number.FindAllString(text, -1)...)
		}
	}
}
