package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
)

// kind tells what a node holds. Dates are text: nothing here wants a date, and
// a protocol version looks like one.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindText
	kindOpaque // a Go value that only its own type can take
	kindList
	kindMap
)

// node is one value with its origin and spelling. A tree of nodes is made once
// and never changed; merging and removing make new nodes along the path.
type node struct {
	kind   kind
	text   string // of a scalar: as written, for Go values as fmt prints it
	value  any    // kindBool, kindNumber, kindOpaque
	origin Origin

	keys   []string // kindMap, in the order of the file
	fields map[string]*node
	items  []*node // kindList
}

func newMap(origin Origin) *node {
	return &node{kind: kindMap, origin: origin, fields: map[string]*node{}}
}

func newText(text string, origin Origin) *node {
	return &node{kind: kindText, text: text, origin: origin}
}

func (n *node) set(key string, field *node) {
	if _, exists := n.fields[key]; !exists {
		n.keys = append(n.keys, key)
	}
	n.fields[key] = field
}

// newNode joins a value as koanf holds it with its place, which is nil for a
// value that was in no file. inherited is the origin where the place is nil.
func newNode(value any, at *place, inherited Origin) (*node, error) {
	origin, written := inherited, ""
	if at != nil {
		origin, written = at.origin, at.written
	}
	switch v := value.(type) {
	case nil:
		return &node{kind: kindNull, text: "null", origin: origin}, nil
	case string:
		return newText(v, origin), nil
	case bool:
		return &node{kind: kindBool, value: v, text: firstText(written, strconv.FormatBool(v)), origin: origin}, nil
	case map[string]any:
		return newMapNode(v, at, origin)
	case []any:
		list := &node{kind: kindList, origin: origin}
		for i, element := range v {
			item, err := newNode(element, at.item(i), origin)
			if err != nil {
				return nil, err
			}
			list.items = append(list.items, item)
		}
		return list, nil
	case time.Time:
		return newText(firstText(written, formatTime(v)), origin), nil
	}
	if number, ok := newNumber(value, written, origin); ok {
		return number, nil
	}
	if written != "" { // the dates of TOML
		return newText(written, origin), nil
	}
	return encodeReflected(value, at, origin)
}

func newMapNode(values map[string]any, at *place, origin Origin) (*node, error) {
	result := newMap(origin)
	for _, key := range orderedKeys(values, at) {
		field, err := newNode(values[key], at.field(key), origin)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shownKey(key), err)
		}
		result.set(key, field)
	}
	return result, nil
}

// orderedKeys returns the keys in the order of the file.
func orderedKeys(values map[string]any, at *place) []string {
	keys := slices.Sorted(maps.Keys(values))
	if at == nil {
		return keys
	}
	position := make(map[string]int, len(at.keys))
	for i, key := range at.keys {
		position[key] = i
	}
	slices.SortStableFunc(keys, func(a, b string) int { return position[a] - position[b] })
	return keys
}

// newNumber makes a number of a Go value. An integer that a parser could only
// give as a float is read again from its digits.
func newNumber(value any, written string, origin Origin) (*node, bool) {
	number := &node{kind: kindNumber, text: written, origin: origin}
	switch v := value.(type) {
	case int:
		number.value = int64(v)
	case int64:
		number.value = v
	case uint64:
		number.value = v
		if v <= math.MaxInt64 {
			number.value = int64(v)
		}
	case float64:
		number.value = v
		if isInteger(written) {
			number.value = integerOf(written)
		}
	case json.Number:
		number.text = firstText(written, v.String())
		number.value = integerOf(v.String())
		if !isInteger(v.String()) {
			float, err := v.Float64()
			if err != nil {
				return nil, false
			}
			number.value = float
		}
	default:
		return nil, false
	}
	if number.text == "" {
		number.text = formatNumber(number.value)
	}
	return number, true
}

// integerOf returns an int64, a uint64 or, beyond them, a json.Number.
func integerOf(digits string) any {
	if integer, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return integer
	}
	if integer, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return integer
	}
	return json.Number(digits)
}

func formatNumber(value any) string {
	if float, ok := value.(float64); ok {
		if float == math.Trunc(float) && math.Abs(float) < 1<<53 {
			return strconv.FormatFloat(float, 'f', -1, 64)
		}
		return strconv.FormatFloat(float, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}

func formatTime(t time.Time) string {
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339Nano)
}

func firstText(text, fallback string) string {
	if text != "" {
		return text
	}
	return fallback
}

// mergeNodes returns base with over laid on it: maps merge, all else is replaced.
// Neither is changed.
func mergeNodes(base, over *node) *node {
	if base == nil || base.kind != kindMap || over.kind != kindMap {
		return over
	}
	merged := newMap(over.origin)
	for _, key := range over.keys {
		merged.set(key, mergeNodes(base.fields[key], over.fields[key]))
	}
	for _, key := range base.keys {
		if _, exists := over.fields[key]; !exists {
			merged.set(key, base.fields[key])
		}
	}
	return merged
}

// layNode is mergeNodes with the keys of base first: over is a later file.
func layNode(base, over *node) *node {
	if base == nil || base.kind != kindMap || over.kind != kindMap {
		return over
	}
	merged := newMap(over.origin)
	for _, key := range base.keys {
		merged.set(key, base.fields[key])
	}
	for _, key := range over.keys {
		merged.set(key, layNode(base.fields[key], over.fields[key]))
	}
	return merged
}

// asDefaults returns a copy of the tree whose origins say that it is defaults.
func (n *node) asDefaults() *node {
	marked := *n
	marked.origin.Defaults = true
	marked.items = nil
	for _, item := range n.items {
		marked.items = append(marked.items, item.asDefaults())
	}
	if n.kind == kindMap {
		marked.keys, marked.fields = nil, map[string]*node{}
		for _, key := range n.keys {
			marked.set(key, n.fields[key].asDefaults())
		}
	}
	return &marked
}

// describe names what stands there, for the Found of a fault, never a text.
func (n *node) describe() string {
	switch n.kind {
	case kindNull:
		return "null"
	case kindBool:
		return "a boolean"
	case kindNumber:
		return "a number"
	case kindText:
		return "a string"
	case kindList:
		return "a list"
	case kindMap:
		return "a map"
	default:
		return fmt.Sprintf("a Go value of type %T", n.value)
	}
}

// show returns what stands there as it was written, bounded and escaped.
func (n *node) show() string {
	if n.origin.Variable != "" {
		return "${" + n.origin.Variable + "}"
	}
	switch n.kind {
	case kindText:
		return strconv.Quote(shortened(withoutUserinfo(n.text)))
	case kindBool, kindNumber:
		return printable(n.text)
	default:
		return n.describe()
	}
}
