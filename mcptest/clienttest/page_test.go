package clienttest_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// updatePage makes TestPage write what it would compare.
var updatePage = flag.Bool("update", false, "write the code that docs/testing.md shows")

// The code in docs/testing.md is that of tests: a reader gets what a compiler and
// the tests have seen. Each block stands behind a line
//
//	<!-- code: FILE NAME ... -->
//
// with the declarations of the file that it shows.
func TestPage(t *testing.T) {
	const page = "../../docs/testing.md"
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)(<!-- code: (\\S+) ([^>]+) -->\n```go\n).*?```\n")
	shown := 0
	current := block.ReplaceAllStringFunc(string(written), func(found string) string {
		shown++
		parts := block.FindStringSubmatch(found)
		return parts[1] + declarations(t, filepath.Join("../..", parts[2]), strings.Fields(parts[3])) + "```\n"
	})
	require.Greater(t, shown, 6)
	require.Equal(t, strings.Count(string(written), "```go\n"), shown, "code that nothing checks")
	if *updatePage {
		require.NoError(t, os.WriteFile(page, []byte(current), 0o644))
		return
	}
	require.Equal(t, current, string(written), "make it current: go test ./mcptest/clienttest -run TestPage -update")
}

// declarations returns the text of declarations of a file, with their comments.
func declarations(t *testing.T, path string, names []string) string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	require.NoError(t, err)
	var text bytes.Buffer
	for i, name := range names {
		declaration := find(file, name)
		require.NotNil(t, declaration, "%s declares no %s", path, name)
		if i > 0 {
			text.WriteString("\n")
		}
		require.NoError(t, (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}).
			Fprint(&text, set, &printer.CommentedNode{Node: declaration, Comments: file.Comments}))
		text.WriteString("\n")
	}
	return text.String()
}

func find(file *ast.File, name string) ast.Decl {
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == name {
				return d
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.Name == name {
						return d
					}
				case *ast.ValueSpec:
					if s.Names[0].Name == name {
						return d
					}
				}
			}
		}
	}
	return nil
}
