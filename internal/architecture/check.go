package architecture

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Violation is one rule broken in one place.
type Violation struct {
	// File is the path within the tree, Line counts from 1.
	File string
	Line int
	// Message says which rule is broken and by what.
	Message string
}

// String renders the violation as file:line: message.
func (v Violation) String() string { return fmt.Sprintf("%s:%d: %s", v.File, v.Line, v.Message) }

// Check reads every Go file of the module in tree, whose path is module, and
// returns what breaks a rule, in the order of the files. The error is about
// files that cannot be read or parsed.
func Check(tree fs.FS, module string) ([]Violation, error) {
	var violations []Violation
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return enter(tree, name)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		found, err := checkFile(tree, name, module)
		violations = append(violations, found...)
		return err
	})
	return violations, err
}

// enter skips what is not part of the module: hidden folders, test data and
// nested modules.
func enter(tree fs.FS, folder string) error {
	if folder == "." {
		return nil
	}
	base := path.Base(folder)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" {
		return fs.SkipDir
	}
	if _, err := fs.Stat(tree, path.Join(folder, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func checkFile(tree fs.FS, name, module string) ([]Violation, error) {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	positions := token.NewFileSet()
	syntax, err := parser.ParseFile(positions, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	file := &file{folder: path.Dir(name), module: module, syntax: syntax, imports: importsOf(syntax)}
	file.report = func(at token.Pos, format string, arguments ...any) {
		file.violations = append(file.violations, Violation{
			File: name, Line: positions.Position(at).Line, Message: fmt.Sprintf(format, arguments...),
		})
	}
	file.checkLayers()
	file.checkUses()
	file.checkPackageState()
	slices.SortStableFunc(file.violations, func(a, b Violation) int { return a.Line - b.Line })
	return file.violations, nil
}

// file is one source file under examination.
type file struct {
	folder     string // relative to the module's root, "." for the root itself
	module     string
	syntax     *ast.File
	imports    map[string]string // local name -> import path
	report     func(at token.Pos, format string, arguments ...any)
	violations []Violation
}

func importsOf(syntax *ast.File) map[string]string {
	imports := make(map[string]string)
	for _, spec := range syntax.Imports {
		name := path.Base(pathOf(spec))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = pathOf(spec)
	}
	return imports
}

func pathOf(spec *ast.ImportSpec) string { return strings.Trim(spec.Path.Value, "`\"") }
