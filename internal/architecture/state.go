package architecture

import (
	"go/ast"
	"go/token"
	"slices"
)

// checkPackageState refuses init functions and package-level variables that
// are computed by calling something: nothing runs at package start. Sentinel
// errors, composite literals and conversions are allowed.
func (f *file) checkPackageState() {
	for _, declaration := range f.syntax.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				f.report(d.Pos(), "func init: nothing runs at package start")
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				f.checkVariables(d)
			}
		}
	}
}

func (f *file) checkVariables(declaration *ast.GenDecl) {
	for _, spec := range declaration.Specs {
		variables := spec.(*ast.ValueSpec)
		for _, value := range variables.Values {
			ast.Inspect(value, func(node ast.Node) bool {
				switch n := node.(type) {
				case *ast.FuncLit:
					return false // runs when it is called
				case *ast.CallExpr:
					if !f.isHarmless(n) {
						f.report(n.Pos(), "package variable %s is computed by a call: nothing runs at package start", variables.Names[0].Name)
						return false
					}
				}
				return true
			})
		}
	}
}

// isHarmless reports whether the call makes a sentinel error or is a
// conversion.
func (f *file) isHarmless(call *ast.CallExpr) bool {
	switch function := call.Fun.(type) {
	case *ast.SelectorExpr:
		qualifier, ok := function.X.(*ast.Ident)
		if !ok || function.Sel.Name != "New" {
			return false
		}
		imported := f.imports[qualifier.Name]
		return imported == "errors" || imported == f.module+"/errors"
	case *ast.Ident:
		isOurSentinel := function.Name == "New" && f.folder == "errors"
		return isOurSentinel || slices.Contains(predeclaredTypes(), function.Name) || function.Name == "len"
	case *ast.ArrayType, *ast.MapType, *ast.FuncType, *ast.InterfaceType:
		return true
	case *ast.ParenExpr: // (*T)(nil)
		_, pointer := function.X.(*ast.StarExpr)
		return pointer
	default:
		return false
	}
}

func predeclaredTypes() []string {
	return []string{
		"bool", "byte", "complex64", "complex128", "error", "float32", "float64", "int", "int8", "int16", "int32",
		"int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
	}
}
