package config

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Origin is where a key stands. The zero Origin is a Go value's.
type Origin struct {
	// File is the name as it was given to Load or Parse; empty for Go values.
	File string
	// Line and Column count from 1, Column in characters; 0 if not known.
	Line, Column int
	// Defaults reports that the key stands under the top-level key defaults.
	Defaults bool
	// Variable names the environment variable that overrides the key; empty where
	// none does. File is empty then.
	Variable string

	// dir is the folder of the file, absolute; "" for Go values and variables.
	dir string
	// layer is the position of the file among those that were loaded.
	layer int
}

// String returns "file:line:column", shorter where parts are not known, or the name
// of the variable.
func (o Origin) String() string {
	if o.Variable != "" {
		return "environment variable " + o.Variable
	}
	text := o.File
	if o.Line > 0 {
		text += ":" + strconv.Itoa(o.Line)
		if o.Column > 0 {
			text += ":" + strconv.Itoa(o.Column)
		}
	}
	return text
}

// outranks reports whether a key at o overrides one at other: any server's own
// key one from defaults, then a later file an earlier one.
func (o Origin) outranks(other Origin) bool {
	if o.Defaults != other.Defaults {
		return other.Defaults
	}
	return o.layer > other.layer
}

// place is the shape of a file beside its values, which come from koanf's
// parsers and keep neither positions nor spelling: one place per value, with
// the position of its key (of itself in a list) and, for a scalar, its text as
// written.
type place struct {
	origin  Origin
	written string
	keys    []string // of a map, in the order of the file
	fields  map[string]*place
	items   []*place
}

func newMapPlace(origin Origin) *place {
	return &place{origin: origin, fields: map[string]*place{}}
}

// set adds a field, or replaces it in its position.
func (p *place) set(key string, field *place) {
	if _, exists := p.fields[key]; !exists {
		p.keys = append(p.keys, key)
	}
	p.fields[key] = field
}

// field is nil safe, and nil for what has no such field.
func (p *place) field(key string) *place {
	if p == nil {
		return nil
	}
	return p.fields[key]
}

// item is nil safe, and nil for what has no such item.
func (p *place) item(index int) *place {
	if p == nil || index >= len(p.items) {
		return nil
	}
	return p.items[index]
}

// positions turns byte offsets of a file into lines and columns.
type positions struct {
	name  string
	dir   string
	layer int
	data  []byte
	lines []int // offset of the first byte of each line

	// The column is counted on from the last place in the same line that was asked
	// for: lines may be as long as the file.
	lastOffset, lastColumn int
}

func newPositions(name string, layer int, data []byte) *positions {
	lines := []int{0}
	for offset := 0; ; {
		next := bytes.IndexByte(data[offset:], '\n')
		if next < 0 {
			return &positions{name: name, dir: folderOf(name), layer: layer, data: data, lines: lines}
		}
		offset += next + 1
		lines = append(lines, offset)
	}
}

// folderOf is the absolute folder of a file; "" if it cannot be told.
func folderOf(name string) string {
	path, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	return filepath.Dir(path)
}

func (p *positions) at(offset int) Origin {
	offset = max(0, min(offset, len(p.data)))
	line, exact := slices.BinarySearch(p.lines, offset)
	if !exact {
		line--
	}
	from, column := p.lines[line], 1
	if from <= p.lastOffset && p.lastOffset <= offset {
		from, column = p.lastOffset, max(1, p.lastColumn)
	}
	column += utf8.RuneCount(p.data[from:offset])
	p.lastOffset, p.lastColumn = offset, column
	return p.line(line+1, column)
}

func (p *positions) line(line, column int) Origin {
	return Origin{File: p.name, Line: line, Column: column, dir: p.dir, layer: p.layer}
}
