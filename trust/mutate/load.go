package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"
	"time"
)

// source is one file of a package.
type source struct {
	name string // seen from the root of the module
	text []byte
	tree *ast.File
}

// loadedPackage is a package with its types: they tell in milliseconds whether a
// change compiles.
type loadedPackage struct {
	folder, name string
	positions    *token.FileSet
	sources      map[string]*source
	imports      imported
	info         *types.Info
	patience     time.Duration // the least that tests get before they count as without end
}

// imported finds packages that are loaded already.
type imported map[string]*types.Package

func (i imported) Import(name string) (*types.Package, error) {
	if found := i[name]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("%s is not imported", name)
}

// load reads the package of a folder, without its tests.
func load(folder string) (*loadedPackage, error) {
	list := exec.Command("go", "list", "-export", "-deps", "-f", `{{.ImportPath}}	{{.Export}}	{{range .GoFiles}}{{.}} {{end}}`, "./"+folder, "os", "strconv", "sync/atomic")
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list ./%s: %w", folder, err)
	}
	p := &loadedPackage{folder: folder, positions: token.NewFileSet(), sources: map[string]*source{}, imports: imported{}, patience: 10 * time.Second}
	exports := map[string]string{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		exports[fields[0]] = fields[1]
		if !strings.HasSuffix(fields[0], "/"+folder) {
			continue
		}
		for _, name := range strings.Fields(fields[2]) {
			name = path.Join(folder, name)
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			tree, err := parser.ParseFile(p.positions, name, text, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			p.sources[name] = &source{name, text, tree}
			p.name = tree.Name.Name
		}
	}
	compiled := importer.ForCompiler(p.positions, "gc", func(name string) (io.ReadCloser, error) {
		return os.Open(exports[name])
	})
	names := []string{"os", "strconv", "sync/atomic"} // of the switch
	for _, source := range p.sources {
		for _, spec := range source.tree.Imports {
			names = append(names, strings.Trim(spec.Path.Value, `"`))
		}
	}
	for _, name := range names {
		if p.imports[name], err = compiled.Import(name); err != nil {
			return nil, err
		}
	}
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	return p, p.check(p.info, nil)
}

// check tells whether the package compiles with other texts for some files.
func (p *loadedPackage) check(info *types.Info, texts map[string][]byte) error {
	var files []*ast.File
	for name, source := range p.sources {
		if texts[name] == nil {
			files = append(files, source.tree)
		}
	}
	for name, text := range texts {
		tree, err := parser.ParseFile(p.positions, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, tree)
	}
	var faults []error
	config := types.Config{Importer: p.imports, Sizes: types.SizesFor("gc", runtime.GOARCH), Error: func(err error) { faults = append(faults, err) }}
	_, _ = config.Check(p.name, p.positions, files, info)
	return errors.Join(faults...)
}

// compiling returns the changes that compile.
func (p *loadedPackage) compiling(mutants []*mutant) ([]*mutant, error) {
	var good []*mutant
	for _, m := range mutants {
		text, err := m.changed(p.sources[m.file].text)
		if err != nil {
			return nil, err
		}
		if p.check(nil, map[string][]byte{m.file: text}) == nil {
			good = append(good, m)
		}
	}
	return good, nil
}
