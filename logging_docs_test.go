package mcpclient_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	operationsPage = "docs/operations.md"
	logTableBegin  = "<!-- messages: generated -->\n"
	logTableEnd    = "<!-- messages: end -->\n"
)

// logCall is one place of the code that logs.
type logCall struct{ level, message, keys string }

// TestOperationsListsWhatIsLogged: the table of messages is made from the code.
func TestOperationsListsWhatIsLogged(t *testing.T) {
	calls := logCalls(t)
	require.Greater(t, len(calls), 60, "the places were not found at all")
	var table strings.Builder
	table.WriteString("| level | message | keys |\n|---|---|---|\n")
	for _, call := range calls {
		fmt.Fprintf(&table, "| %s | %s | %s |\n", call.level, call.message, call.keys)
	}
	text, err := os.ReadFile(operationsPage)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), logTableBegin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, logTableEnd)
	require.True(t, found)
	current := before + logTableBegin + table.String() + logTableEnd + after
	if *updateREADME {
		require.NoError(t, os.WriteFile(operationsPage, []byte(current), 0o644))
		return
	}
	assert.Equal(t, current, string(text), "make it current: go test . -run TestOperations -update")
}

// logCalls finds what the client's own packages log, sorted: calls of a logger's
// methods whose first argument is a text.
func logCalls(t *testing.T) []logCall {
	t.Helper()
	found := map[logCall]bool{}
	for _, folder := range []string{".", "auth", "factory", "transporters", "internal", "config"} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && folder == "." && path != ".":
				return filepath.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			require.NoError(t, err)
			ast.Inspect(file, func(node ast.Node) bool {
				if call, ok := node.(*ast.CallExpr); ok {
					if logged, ok := logCallOf(call); ok {
						found[logged] = true
					}
				}
				return true
			})
			return nil
		}))
	}
	var calls []logCall
	for call := range found {
		calls = append(calls, call)
	}
	order := []string{"error", "warn", "info", "debug", "trace"}
	slices.SortFunc(calls, func(a, b logCall) int {
		if a.level != b.level {
			return slices.Index(order, a.level) - slices.Index(order, b.level)
		}
		return strings.Compare(a.message+a.keys, b.message+b.keys)
	})
	return calls
}

func logCallOf(call *ast.CallExpr) (logCall, bool) {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 || !isLogger(method.X) {
		return logCall{}, false
	}
	switch method.Sel.Name {
	case "Error", "Warn", "Info", "Debug", "Trace":
	default:
		return logCall{}, false
	}
	message, ok := messageOf(call.Args[0])
	if !ok {
		return logCall{}, false
	}
	var keys []string
	for i := 1; i < len(call.Args); i += 2 {
		if key, ok := textOf(call.Args[i]); ok && key != "server" {
			keys = append(keys, "`"+key+"`")
		}
	}
	return logCall{strings.ToLower(method.Sel.Name), message, strings.Join(keys, ", ")}, true
}

// isLogger reports whether an expression is a logger by its name.
func isLogger(expression ast.Expr) bool {
	name := ""
	switch x := expression.(type) {
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = x.Sel.Name
	}
	return strings.EqualFold(name, "log") || strings.EqualFold(name, "logger")
}

// messageOf joins the texts of a message; what is put in while running is "...".
func messageOf(expression ast.Expr) (string, bool) {
	if sum, ok := expression.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		left, _ := messageOf(sum.X)
		right, _ := messageOf(sum.Y)
		return orDots(left) + orDots(right), left != "" || right != ""
	}
	return textOf(expression)
}

func orDots(text string) string {
	if text == "" {
		return "..."
	}
	return text
}

func textOf(expression ast.Expr) (string, bool) {
	literal, ok := expression.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}
