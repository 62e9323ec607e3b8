package mcpclient_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// go doc has something to say of every package, and of everything in it that users
// can name.
func TestEverythingExportedIsDocumented(t *testing.T) {
	positions := token.NewFileSet()
	packages, exported := map[string]bool{}, 0
	eachFile(t, ".go", func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		file, err := parser.ParseFile(positions, path, nil, parser.ParseComments)
		require.NoError(t, err)
		folder := filepath.Dir(path)
		packages[folder] = packages[folder] || file.Doc != nil
		if file.Name.Name == "main" {
			return
		}
		for _, declaration := range file.Decls {
			for _, name := range exportedBy(declaration) {
				exported++
				if name.doc == nil {
					t.Errorf("%s: %s has no doc comment", positions.Position(declaration.Pos()), name.name)
				}
			}
		}
	})
	for folder, isDocumented := range packages {
		assert.True(t, isDocumented, "%s: the package has no doc comment", folder)
	}
	assert.Greater(t, len(packages), 50)
	assert.Greater(t, exported, 1000)
}

// documented is something exported, and what is said of it.
type documented struct {
	name string
	doc  *ast.CommentGroup
}

// exportedBy returns what a declaration exports. One comment may stand above a
// group of values; methods of types that are not exported need none.
func exportedBy(declaration ast.Decl) []documented {
	var found []documented
	add := func(name *ast.Ident, docs ...*ast.CommentGroup) {
		if !name.IsExported() {
			return
		}
		said := documented{name: name.Name}
		for _, doc := range docs {
			if doc != nil {
				said.doc = doc
			}
		}
		found = append(found, said)
	}
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || receiver(d.Recv.List[0].Type).IsExported() {
			add(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				add(s.Name, s.Doc, d.Doc)
			case *ast.ValueSpec:
				add(s.Names[0], s.Doc, s.Comment, d.Doc)
			}
		}
	}
	return found
}

// receiver is the type that a method belongs to.
func receiver(expression ast.Expr) *ast.Ident {
	switch e := expression.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e
	default:
		return ast.NewIdent("_")
	}
}
