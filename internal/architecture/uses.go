package architecture

import (
	"go/ast"
	"slices"
	"strings"
)

// restriction keeps names of the standard library, or a whole package, to the
// folders whose business they are.
type restriction struct {
	importPath string
	names      []string // nil: the import itself
	allowed    []string // folders, with everything beneath them
	reason     string
}

// restrictions returns the table of who may do what.
func restrictions() []restriction {
	settings := []string{"config", "internal/process", "internal/dial", "internal/architecture", "mcptest", "cmd"}
	files := append(settings[:len(settings):len(settings)], "auth/filestore", "transporters/policy/pinfile")
	network := []string{"internal/dial", "mcptest", "cmd"}
	return []restriction{
		{"os", []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"}, settings,
			"the environment is read by config (and by internal/process for children)"},
		{"os", []string{"ReadFile", "Open", "OpenFile", "DirFS", "OpenRoot"}, files,
			"files are read by config (by internal/dial for certificates, by auth/filestore and transporters/policy/pinfile what they wrote)"},
		{"os", []string{"StartProcess"}, []string{"internal/process"}, "processes are started by internal/process"},
		{"os/exec", nil, []string{"internal/process"}, "processes are started by internal/process"},
		{"syscall", []string{"ForkExec", "StartProcess"}, []string{"internal/process"}, "processes are started by internal/process"},
		{"net", []string{"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialUnix", "DialIP", "Dialer", "DefaultResolver", "LookupHost", "LookupIP"}, network,
			"the network is dialled by internal/dial"},
		{"crypto/tls", []string{"Dial", "DialWithDialer", "Dialer"}, network, "the network is dialled by internal/dial"},
		{"net/http", []string{"Get", "Head", "Post", "PostForm", "DefaultClient", "DefaultTransport", "Transport"}, network,
			"HTTP goes through a transport made by internal/dial"},
	}
}

func (f *file) checkUses() {
	for _, rule := range restrictions() {
		if f.isWithin(rule.allowed) {
			continue
		}
		if rule.names == nil {
			f.checkImport(rule)
			continue
		}
		f.checkNames(rule)
	}
}

func (f *file) isWithin(folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return f.folder == folder || strings.HasPrefix(f.folder, folder+"/")
	})
}

func (f *file) checkImport(rule restriction) {
	for _, spec := range f.syntax.Imports {
		if pathOf(spec) == rule.importPath {
			f.report(spec.Pos(), "%s is imported: %s", rule.importPath, rule.reason)
		}
	}
}

func (f *file) checkNames(rule restriction) {
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		qualifier, ok := selector.X.(*ast.Ident)
		if ok && f.imports[qualifier.Name] == rule.importPath && slices.Contains(rule.names, selector.Sel.Name) && !f.isTypeMention(selector) {
			f.report(selector.Pos(), "%s.%s is used: %s", qualifier.Name, selector.Sel.Name, rule.reason)
		}
		return true
	})
}

// isTypeMention reports whether the selector only names a type, as in a field
// of type *http.Transport, instead of making a value of it.
func (f *file) isTypeMention(selector *ast.SelectorExpr) bool {
	if selector.Sel.Name != "Transport" {
		return false
	}
	made := false
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.CompositeLit:
			made = made || n.Type == selector
		case *ast.CallExpr: // new(http.Transport)
			made = made || slices.Contains(n.Args, ast.Expr(selector))
		}
		return !made
	})
	return !made
}
