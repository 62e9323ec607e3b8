package mcptest_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whoever looks for how something of the test kit is used finds an example that
// runs: every exported function, method, type and constant occurs in the body of
// one whose output is checked.
func TestEverySymbolHasAnExample(t *testing.T) {
	used := map[string]bool{}
	for _, folder := range []string{".", "clienttest"} {
		for _, example := range examplesOf(t, folder) {
			require.NotEmpty(t, example.Output+map[bool]string{true: "empty"}[example.EmptyOutput], "the output of Example%s", example.Name)
			ast.Inspect(example.Code, func(node ast.Node) bool {
				if selector, ok := node.(*ast.SelectorExpr); ok {
					used[selector.Sel.Name] = true
				}
				if member, ok := node.(*ast.KeyValueExpr); ok {
					if name, ok := member.Key.(*ast.Ident); ok {
						used[name.Name] = true
					}
				}
				return true
			})
		}
	}
	checked := 0
	for _, folder := range []string{".", "clienttest"} {
		for _, symbol := range symbolsOf(t, folder) {
			checked++
			name := symbol[strings.LastIndexByte(symbol, '.')+1:]
			assert.True(t, used[name], "no example uses %s", symbol)
		}
	}
	require.Greater(t, checked, 100)
}

// isImplementation reports whether a method is there for the library and not for
// the test that made the value.
func isImplementation(name string) bool {
	return slices.Contains([]string{
		"Traits", "Start", "Exchange", "Send", "Done", "Err", "Close", "Terminate", "SetVersion", "Abort", "OnFault", "Request",
		"Helper", "Errorf", "Fatalf", "Cleanup",
	}, name)
}

func filesOf(t *testing.T, folder string, tests bool) (*token.FileSet, []*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") == tests {
			file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	return set, files
}

func examplesOf(t *testing.T, folder string) []*doc.Example {
	_, files := filesOf(t, folder, true)
	return doc.Examples(files...)
}

// symbolsOf returns the exported symbols, methods with their type. A type that
// has methods or constants of its own is shown by them.
func symbolsOf(t *testing.T, folder string) []string {
	set, files := filesOf(t, folder, false)
	documented, err := doc.NewFromFiles(set, files, "example.com/"+folder)
	require.NoError(t, err)
	var symbols []string
	add := func(prefix string, functions []*doc.Func) {
		for _, function := range functions {
			if prefix == "" || !isImplementation(function.Name) {
				symbols = append(symbols, prefix+function.Name)
			}
		}
	}
	addConstants := func(values []*doc.Value) {
		for _, value := range values {
			for _, name := range value.Names {
				if ast.IsExported(name) {
					symbols = append(symbols, name)
				}
			}
		}
	}
	add("", documented.Funcs)
	addConstants(documented.Consts)
	for _, named := range documented.Types {
		add("", named.Funcs)
		add(named.Name+".", named.Methods)
		addConstants(named.Consts)
	}
	return symbols
}
