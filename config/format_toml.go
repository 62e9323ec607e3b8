package config

import (
	"bytes"

	"github.com/knadh/koanf/parsers/toml/v2"
	tomldecoder "github.com/pelletier/go-toml/v2"
	tomlnode "github.com/pelletier/go-toml/v2/unstable"

	"github.com/mcp-client-go/mcpclient/errors"
)

// The values of a TOML file come from koanf's parser; the parser's expressions
// give positions and spelling. The walk finds keys that are given twice, so that
// they have a place; the finer rules about tables that are opened again are the
// decoder's, which runs after it.

func parseTOML(at *positions) (map[string]any, *place, error) {
	if mayHold(at.data, "\n,[{=") > mostValues {
		return nil, nil, tooMany(at)
	}
	if offset, deep := deepTOML(at.data); deep {
		return nil, nil, tooDeep(at.at(offset))
	}
	places, err := walkTOML(at)
	if err != nil {
		return nil, nil, err
	}
	values, err := toml.Parser().Unmarshal(at.data)
	if err != nil {
		return nil, nil, tomlFailure(at, err)
	}
	return values, places, nil
}

// deepTOML finds brackets so deep that the library's parser, which recurses
// without a limit, could exhaust the stack. It does not know strings, which is
// why its limit is far beyond that of the walk.
func deepTOML(data []byte) (offset int, deep bool) {
	depth := 0
	for offset, c := range data {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > 100*deepest {
			return offset, true
		}
	}
	return 0, false
}

type tomlWalk struct {
	at      *positions
	parser  tomlnode.Parser
	root    *place
	table   *place            // the table that key-values go to
	defined map[*place]Origin // tables that have had their header
	lists   map[*place]bool   // lists of tables
}

func walkTOML(at *positions) (*place, error) {
	root := newMapPlace(at.line(1, 1))
	walk := &tomlWalk{at: at, root: root, table: root, defined: map[*place]Origin{}, lists: map[*place]bool{}}
	walk.parser.Reset(at.data)
	for walk.parser.NextExpression() {
		if err := walk.expression(walk.parser.Expression()); err != nil {
			return nil, err
		}
	}
	if err := walk.parser.Error(); err != nil {
		return nil, walk.failure(err)
	}
	return root, nil
}

func (w *tomlWalk) expression(node *tomlnode.Node) error {
	switch node.Kind {
	case tomlnode.Table:
		table, origin, err := w.descend(w.root, node.Key())
		if err != nil {
			return err
		}
		if first, twice := w.defined[table]; twice {
			return failure(origin, "the table is given twice, first at "+first.String())
		}
		w.defined[table] = origin
		w.table = table
	case tomlnode.ArrayTable:
		return w.arrayTable(node)
	case tomlnode.KeyValue:
		return w.keyValue(w.table, node, 0)
	}
	return nil
}

// arrayTable adds a table to the list that a [[header]] names.
func (w *tomlWalk) arrayTable(node *tomlnode.Node) error {
	parent, last, err := w.parentOf(w.root, node.Key())
	if err != nil {
		return err
	}
	origin, key := w.position(last), string(last.Data)
	list := parent.fields[key]
	if list == nil {
		list = &place{origin: origin}
		w.lists[list] = true
		parent.set(key, list)
	} else if !w.lists[list] {
		return duplicateKey(key, origin, list.origin)
	}
	w.table = newMapPlace(origin)
	list.items = append(list.items, w.table)
	return nil
}

func (w *tomlWalk) keyValue(table *place, node *tomlnode.Node, depth int) error {
	parent, last, err := w.parentOf(table, node.Key())
	if err != nil {
		return err
	}
	origin, key := w.position(last), string(last.Data)
	if first := parent.fields[key]; first != nil {
		return duplicateKey(key, origin, first.origin)
	}
	value, err := w.value(node.Value(), origin, depth+1)
	if err != nil {
		return err
	}
	parent.set(key, value)
	return nil
}

func (w *tomlWalk) value(node *tomlnode.Node, origin Origin, depth int) (*place, error) {
	if depth > deepest {
		return nil, tooDeep(origin)
	}
	children := node.Children()
	switch node.Kind {
	case tomlnode.InlineTable:
		table := newMapPlace(origin)
		for children.Next() {
			if err := w.keyValue(table, children.Node(), depth); err != nil {
				return nil, err
			}
		}
		return table, nil
	case tomlnode.Array:
		list := &place{origin: origin}
		for children.Next() {
			itemOrigin := w.position(children.Node())
			if itemOrigin.Line == 0 {
				itemOrigin = origin
			}
			item, err := w.value(children.Node(), itemOrigin, depth+1)
			if err != nil {
				return nil, err
			}
			list.items = append(list.items, item)
		}
		return list, nil
	default:
		return &place{origin: origin, written: string(node.Data)}, nil
	}
}

// parentOf walks a dotted key up to its last part, making tables on the way.
func (w *tomlWalk) parentOf(table *place, key tomlnode.Iterator) (parent *place, last *tomlnode.Node, err error) {
	parts := []*tomlnode.Node{}
	for key.Next() {
		parts = append(parts, key.Node())
		if len(parts) > deepest {
			return nil, nil, tooDeep(w.position(parts[0]))
		}
	}
	for _, part := range parts[:len(parts)-1] {
		if table, err = w.enter(table, part); err != nil {
			return nil, nil, err
		}
	}
	return table, parts[len(parts)-1], nil
}

// descend is parentOf and one step further: the table that a [header] names.
func (w *tomlWalk) descend(table *place, key tomlnode.Iterator) (*place, Origin, error) {
	parent, last, err := w.parentOf(table, key)
	if err != nil {
		return nil, Origin{}, err
	}
	origin := w.position(last)
	if existing := parent.fields[string(last.Data)]; existing != nil && existing.fields == nil {
		return nil, Origin{}, duplicateKey(string(last.Data), origin, existing.origin)
	}
	table, err = w.enter(parent, last)
	return table, origin, err
}

// enter returns the table at one part of a key, the last one of a list of tables.
func (w *tomlWalk) enter(table *place, part *tomlnode.Node) (*place, error) {
	key, origin := string(part.Data), w.position(part)
	next := table.fields[key]
	switch {
	case next == nil:
		next = newMapPlace(origin)
		table.set(key, next)
	case w.lists[next]:
		next = next.items[len(next.items)-1]
	case next.fields == nil:
		return nil, failure(origin, "the key "+shownKey(key)+" is a value, not a table, since "+next.origin.String())
	}
	return next, nil
}

// position is that of a node with text; lists have none in the parser.
func (w *tomlWalk) position(node *tomlnode.Node) Origin {
	if node.Raw.Length > 0 {
		return w.at.at(int(node.Raw.Offset))
	}
	switch node.Kind {
	case tomlnode.Bool, tomlnode.LocalDate, tomlnode.LocalTime, tomlnode.LocalDateTime, tomlnode.DateTime:
		return w.at.at(int(w.parser.Range(node.Data).Offset))
	}
	return Origin{}
}

func (w *tomlWalk) failure(err error) error {
	origin := Origin{File: w.at.name}
	syntax, ok := errors.AsType[*tomlnode.ParserError](err)
	if ok && syntax.Highlight != nil {
		origin = w.at.at(int(w.parser.Range(syntax.Highlight).Offset))
	}
	return failure(origin, "not valid TOML: "+unquoted(err.Error()))
}

func tomlFailure(at *positions, err error) error {
	origin := Origin{File: at.name}
	if decode, ok := errors.AsType[*tomldecoder.DecodeError](err); ok {
		line, column := decode.Position()
		origin = at.line(line, column)
	}
	message := bytes.TrimPrefix([]byte(err.Error()), []byte("toml: "))
	return failure(origin, "not valid TOML: "+unquoted(string(message)))
}
