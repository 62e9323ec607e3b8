package supply

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../.."

var update = flag.Bool("update", false, "write what would be compared")

// What is exported stays: whatever api.txt lists and the code has no longer, or
// has otherwise, breaks its users, and is named here. What is new is no fault, and
// gets into the list with -update, as does a break that is meant.
func TestNothingExportedVanishes(t *testing.T) {
	current := exported(t)
	require.Greater(t, len(current), 500, "the API was not found at all")
	if *update {
		require.NoError(t, os.WriteFile("api.txt", []byte(strings.Join(current, "\n")+"\n"), 0o644))
	}
	written, err := os.ReadFile("api.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(written)) {
		line = strings.TrimSuffix(line, "\n")
		if _, found := slices.BinarySearch(current, line); !found {
			t.Errorf("breaking change: %s\nif it is meant, say so in CHANGELOG.md and run go test ./supply -update in trust", line)
		}
	}
}

// exported lists, sorted, what the packages of the core module export.
func exported(t *testing.T) []string {
	t.Helper()
	var lines []string
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			return nil
		}
		name := entry.Name()
		if path != root && (strings.HasPrefix(name, ".") || name == "internal" || name == "testdata" || name == "node_modules" || name == "cmd" || name == "examples") {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); path != root && err == nil {
			return filepath.SkipDir
		}
		lines = append(lines, exportedBy(t, path)...)
		return nil
	}))
	slices.Sort(lines)
	return slices.Compact(lines)
}

func exportedBy(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	name, err := filepath.Rel(root, folder)
	require.NoError(t, err)
	var lines []string
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declared := range file.Decls {
			switch declared := declared.(type) {
			case *ast.FuncDecl:
				if declared.Name.IsExported() && (declared.Recv == nil || ast.IsExported(receiver(declared))) {
					declared.Body, declared.Doc = nil, nil
					lines = append(lines, filepath.ToSlash(name)+": "+text(t, declared))
				}
			case *ast.GenDecl:
				for _, spec := range declared.Specs {
					for _, line := range exportedOf(t, spec) {
						lines = append(lines, filepath.ToSlash(name)+": "+line)
					}
				}
			}
		}
	}
	return lines
}

func receiver(function *ast.FuncDecl) string {
	expression := function.Recv.List[0].Type
	for {
		switch of := expression.(type) {
		case *ast.StarExpr:
			expression = of.X
		case *ast.IndexExpr:
			expression = of.X
		case *ast.IndexListExpr:
			expression = of.X
		case *ast.Ident:
			return of.Name
		default:
			return ""
		}
	}
}

// exportedOf takes structs apart, to which a field may be added; an interface is
// one line, since a further method breaks those who implement it.
func exportedOf(t *testing.T, spec ast.Spec) []string {
	t.Helper()
	var lines []string
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() {
				line := "value " + name.Name
				if spec.Type != nil {
					line += " " + text(t, spec.Type)
				}
				lines = append(lines, line)
			}
		}
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return nil
		}
		head := "type " + spec.Name.Name
		if spec.TypeParams != nil {
			head += "[" + text(t, spec.TypeParams) + "]"
		}
		structure, is := spec.Type.(*ast.StructType)
		if !is {
			return []string{head + " " + text(t, spec.Type)}
		}
		lines = append(lines, head+" struct")
		for _, field := range structure.Fields.List {
			for _, name := range field.Names {
				if name.IsExported() {
					lines = append(lines, head+" field "+name.Name+" "+text(t, field.Type))
				}
			}
			if len(field.Names) == 0 {
				lines = append(lines, head+" embeds "+text(t, field.Type))
			}
		}
	}
	return lines
}

// text prints a node on one line, without comments.
func text(t *testing.T, node ast.Node) string {
	t.Helper()
	if list, is := node.(*ast.FieldList); is {
		var fields []string
		for _, field := range list.List {
			for _, name := range field.Names {
				fields = append(fields, name.Name+" "+text(t, field.Type))
			}
		}
		return strings.Join(fields, ", ")
	}
	ast.Inspect(node, func(inner ast.Node) bool {
		if field, is := inner.(*ast.Field); is {
			field.Doc, field.Comment = nil, nil
		}
		return true
	})
	var printed strings.Builder
	require.NoError(t, printer.Fprint(&printed, token.NewFileSet(), node))
	return strings.Join(strings.Fields(printed.String()), " ")
}

func TestTheAPIIsReadAsItIs(t *testing.T) {
	current := exported(t)
	for _, want := range []string{
		".: func (c *Client) Close() error",
		".: func (c Collection[T]) Len() int",
		"mcp: type Tool field Name string",
		"errors: value ErrSessionLost",
	} {
		assert.Contains(t, current, want)
	}
	for _, line := range current {
		assert.NotContains(t, line, "\n")
	}
}
