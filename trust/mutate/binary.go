package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// How many changes fit into one binary: each changed operator becomes a closure that
// asks the environment, once per process, which change is on.
//
//	a < b     func() bool { switch mutantAt(7) { case 7: return a <= b }; return a < b }()
//	a && b    mutantLogical(mutantAt(8) == 8, true, a, func() bool { return b })
//	i++       func() { switch mutantAt(9) { case 9: i--; default: i++ } }()
//	break     { if mutantAt(10) == 10 { continue }; break }
//
// The numbers begin with 1; 0 is the code as it is. Asked to, the binary also writes
// down which places a test comes by: others cannot notice what changes there.

// switchFile is added to the package.
const switchFile = `package %s

import (
	"os"
	"strconv"
	"sync/atomic"
)

var (
	mutantOn, _ = strconv.Atoi(os.Getenv("MUTANT"))
	mutantLog   = os.Getenv("MUTANTS_REACHED")
	mutantsSeen [%d]atomic.Bool // tests count what is allocated
)

func mutantAt(place int) int {
	if mutantLog != "" && !mutantsSeen[place].Swap(true) {
		file, err := os.OpenFile(mutantLog, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		if _, err := file.WriteString(strconv.Itoa(place) + "\n"); err != nil {
			panic(err)
		}
		if err := file.Close(); err != nil {
			panic(err)
		}
	}
	return mutantOn
}

func mutantLogical(on, and bool, left bool, right func() bool) bool {
	if on {
		and = !and
	}
	if and {
		return left && right()
	}
	return left || right()
}
`

// change is a mutant with its number.
type change struct {
	number        int
	before, after string
}

// place is an expression or statement with all its changes.
type place struct {
	node     ast.Node
	operator int // offset in the file
	changes  []change
}

// rewriter writes one file anew.
type rewriter struct {
	p      *loadedPackage
	source *source
	places []*place // outer before inner
}

// withChanges returns the file with the numbered changes in it.
func (p *loadedPackage) withChanges(source *source, numbered map[int]*mutant) ([]byte, error) {
	r := &rewriter{p: p, source: source}
	byOperator := map[int]*place{}
	for _, number := range slices.Sorted(maps.Keys(numbered)) {
		at, before, after, err := numbered[number].replacement(source.text)
		if err != nil {
			return nil, err
		}
		if byOperator[at] == nil {
			byOperator[at] = &place{operator: at}
		}
		byOperator[at].changes = append(byOperator[at].changes, change{number, before, after})
	}
	ast.Inspect(source.tree, func(node ast.Node) bool {
		operator := token.NoPos
		switch node := node.(type) {
		case *ast.BinaryExpr:
			operator = node.OpPos
		case *ast.UnaryExpr:
			operator = node.OpPos
		case *ast.IncDecStmt:
			operator = node.TokPos
		case *ast.AssignStmt:
			operator = node.TokPos
		case *ast.BranchStmt:
			operator = node.TokPos
		}
		if operator != token.NoPos {
			if found := byOperator[r.offset(operator)]; found != nil {
				found.node = node
				r.places = append(r.places, found)
			}
		}
		return true
	})
	if len(r.places) != len(byOperator) {
		return nil, fmt.Errorf("%s: an operator is not where gremlins saw it", source.name)
	}
	slices.SortStableFunc(r.places, func(a, b *place) int {
		return cmp.Or(cmp.Compare(a.node.Pos(), b.node.Pos()), cmp.Compare(b.node.End(), a.node.End()))
	})
	return []byte(r.between(0, len(source.text))), nil
}

func (r *rewriter) offset(position token.Pos) int { return r.p.positions.Position(position).Offset }

// between returns a part of the file with the places in it rewritten.
func (r *rewriter) between(from, to int) string {
	var text strings.Builder
	for _, place := range r.places {
		start, end := r.offset(place.node.Pos()), r.offset(place.node.End())
		if start < from || end > to {
			continue
		}
		text.Write(r.source.text[from:start])
		text.WriteString(r.rewritten(place))
		from = end
	}
	text.Write(r.source.text[from:to])
	return text.String()
}

func (r *rewriter) of(node ast.Node) string {
	return r.between(r.offset(node.Pos()), r.offset(node.End()))
}

func (r *rewriter) rewritten(place *place) string {
	operator := place.changes[0].before
	switch node := place.node.(type) {
	case *ast.BinaryExpr:
		left, right := r.of(node.X), r.of(node.Y)
		if node.Op == token.LAND || node.Op == token.LOR {
			return fmt.Sprintf("mutantLogical(mutantAt(%[1]d) == %[1]d, %[2]t, %[3]s, func() bool { return %[4]s })", place.changes[0].number, node.Op == token.LAND, left, right)
		}
		return r.closure(node, place.changes, operator, func(operator string) string { return left + " " + operator + " " + right })
	case *ast.UnaryExpr:
		operand := r.of(node.X)
		return r.closure(node, place.changes, operator, func(operator string) string { return operator + operand })
	case *ast.IncDecStmt:
		operand := r.of(node.X)
		return statement(place.changes, operator, func(operator string) string { return operand + operator })
	case *ast.AssignStmt:
		left, right := r.of(node.Lhs[0]), r.of(node.Rhs[0])
		return statement(place.changes, operator, func(operator string) string { return left + " " + operator + " " + right })
	case *ast.BranchStmt:
		label := ""
		if node.Label != nil {
			label = " " + node.Label.Name
		}
		return fmt.Sprintf("{ if mutantAt(%[1]d) == %[1]d { %[2]s%[3]s }; %[4]s%[3]s }", place.changes[0].number, place.changes[0].after, label, operator)
	}
	return "" // withChanges finds no others
}

// closure is an expression that depends on the change that is on.
func (r *rewriter) closure(node ast.Expr, changes []change, operator string, with func(operator string) string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "func() %s { switch mutantAt(%d) {", r.typeOf(node), changes[0].number)
	for _, c := range changes {
		fmt.Fprintf(&text, " case %d: return %s;", c.number, with(c.after))
	}
	fmt.Fprintf(&text, " }; return %s }()", with(operator))
	return text.String()
}

// statement is one that depends on the change that is on, and may stand in the head
// of a loop.
func statement(changes []change, operator string, with func(operator string) string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "func() { switch mutantAt(%d) {", changes[0].number)
	for _, c := range changes {
		fmt.Fprintf(&text, " case %d: %s;", c.number, with(c.after))
	}
	fmt.Fprintf(&text, " default: %s } }()", with(operator))
	return text.String()
}

// typeOf writes the type of an expression as the file would.
func (r *rewriter) typeOf(node ast.Expr) string {
	return types.TypeString(types.Default(r.p.info.Types[node].Type), func(other *types.Package) string {
		if other.Path() == r.p.name {
			return ""
		}
		for _, spec := range r.source.tree.Imports {
			if strings.Trim(spec.Path.Value, `"`) == other.Path() && spec.Name != nil {
				return spec.Name.Name
			}
		}
		return other.Name()
	})
}
