package mcpclient_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/factory"
)

// guides are the pages of docs that are built around code.
func guides() []string { return []string{"docs/auth.md", "docs/operations.md"} }

// What a guide shows is what the compiler and the tests have seen: after a line
//
//	<!-- file: PATH -->        stands the file,
//	<!-- func: PATH NAME -->   a function of it, as it is in the file,
//
// and there is no other Go code in it.
func TestGuidesShowCompiledCode(t *testing.T) {
	for _, page := range guides() {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		written := string(text)
		block := regexp.MustCompile("(?s)<!-- (file|func): (\\S+)(?: (\\S+))? -->\n```(\\w*)\n(.*?)```\n")
		shown := 0
		current := block.ReplaceAllStringFunc(written, func(found string) string {
			shown++
			parts := block.FindStringSubmatch(found)
			return strings.Replace(found, "```"+parts[4]+"\n"+parts[5]+"```", "```"+parts[4]+"\n"+sourceOf(t, parts[2], parts[3])+"```", 1)
		})
		require.Positive(t, shown)
		if *updateREADME {
			require.NoError(t, os.WriteFile(page, []byte(current), 0o644))
			continue
		}
		if at := firstDifference(current, written); at != "" {
			t.Errorf("%s: %s\nmake it current: go test . -run TestGuides -update", page, strings.TrimPrefix(at, "README.md:"))
		}
		assert.NotContains(t, block.ReplaceAllString(written, ""), "```go", "%s: Go code that no compiler has seen", page)
	}
}

// sourceOf returns a file, or one function of it with its comment.
func sourceOf(t *testing.T, path, name string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	if name == "" {
		return string(text)
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
			return string(text[positions.Position(begin).Offset:positions.Position(function.End()).Offset]) + "\n"
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
// stands beneath one server.
func TestGuidesShowValidConfigurations(t *testing.T) {
	for _, variable := range []string{"TOKEN", "CLIENT_SECRET", "IDP_SECRET"} {
		t.Setenv(variable, "x")
	}
	file := filepath.Join(t.TempDir(), "content")
	require.NoError(t, os.WriteFile(file, []byte("content"), 0o600))
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte(strings.Repeat("00", 32)), 0o600))
	for _, page := range guides() {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```\n").FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, blocks)
		for _, block := range blocks {
			shown := block[1]
			if !strings.HasPrefix(shown, "servers:") {
				shown = "servers:\n  s:\n    type: http\n    base_url: https://mcp.example.com/mcp\n    " + strings.ReplaceAll(strings.TrimSpace(shown), "\n", "\n    ") + "\n"
			}
			shown = regexp.MustCompile(`\$\{file:[^}]*key\}`).ReplaceAllString(shown, "${file:"+key+"}")
			shown = regexp.MustCompile(`\$\{file:/(run|var)/[^}]*\}`).ReplaceAllString(shown, "${file:"+file+"}")
			cfg, err := config.Parse("guide.yaml", []byte(shown))
			require.NoError(t, err, shown)
			assert.Empty(t, cfg.Faults())
			for _, name := range cfg.Names() {
				section, _ := cfg.Server(name)
				assert.Empty(t, factory.New().Check(section), fmt.Sprintf("%s:\n%s", page, shown))
			}
		}
	}
}
