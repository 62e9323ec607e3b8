package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Section is the configuration of one server, or of another group of keys, with
// the origin of each. It is immutable and safe for concurrent use.
type Section struct {
	server string
	prefix string   // goes before the keys in faults, for sections that are no server
	root   *node    // what has not been taken
	full   *node    // everything, for origins
	known  []*shape // what has been taken
	source *source
	broken bool // not a map, and a fault has said so
}

// Server returns the configured name; "" for a section that is no server.
func (s *Section) Server() string { return s.server }

// Has reports whether the section has a top-level key that was not taken and is
// not null.
func (s *Section) Has(key string) bool {
	field := s.root.fields[key]
	return field != nil && field.kind != kindNull
}

// Keys returns the top-level keys that were not taken, null ones included, in
// the order of the file; those from defaults come last.
func (s *Section) Keys() []string { return slices.Clone(s.root.keys) }

// String returns a scalar at the top level, with references resolved and as it
// was written. ok is false if the key is absent, taken or null, is no scalar, or
// has a reference that cannot be resolved (which Take and Decode report).
func (s *Section) String(key string) (text string, ok bool) {
	field := s.root.fields[key]
	if field == nil {
		return "", false
	}
	switch field.kind {
	case kindBool, kindNumber:
		return field.text, true
	case kindText:
		text, problems := s.scopeOf(field).expand(field.text)
		return text, len(problems) == 0
	}
	return "", false
}

// scopeOf is what the references of a text at n are resolved in.
func (s *Section) scopeOf(n *node) scope {
	return scope{source: s.source, dir: n.origin.dir, server: s.server}
}

// Fault returns a fault about a key, a path with dots, with its origin filled
// in; a key that is not there gets the origin of the nearest group around it. Keys
// that were taken are found too. An empty key means the section as a whole.
//
// What is put into Found should be what was written. Where it may be what a
// reference stands for, pass the fault through AsWritten, as the factory does with
// all of them.
func (s *Section) Fault(key, message string) errors.Fault {
	at, _ := s.find(key)
	return s.faultAt(at, key, message)
}

// Path returns what a path means that stands under key: ~ and ~/... are in the home
// folder, and a relative one is taken from the folder of the file that key stands
// in. A Go value stands in none: then it stays as it is, and so does a ~ where no
// home folder is known.
func (s *Section) Path(key, path string) string {
	at, _ := s.find(key)
	if resolved, wrong := s.scopeOf(at).path(path); wrong == nil {
		return resolved
	}
	return path
}

// splitKey returns the longest leading part of a dotted path that is a key of n,
// since a key may itself contain dots.
func (n *node) splitKey(path string) (name, rest string) {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if _, exists := n.fields[path[:end]]; exists {
			return path[:end], strings.TrimPrefix(path[end:], ".")
		}
	}
	return path, ""
}

func (s *Section) faultAt(at *node, key, message string) errors.Fault {
	fault := faultAt(at.origin, message)
	fault.Server, fault.Key = s.server, shownKey(joinKey(s.prefix, key))
	return fault
}

func joinKey(prefix, key string) string {
	if prefix == "" || key == "" {
		return prefix + key
	}
	return prefix + "." + key
}

// Take decodes the keys that dst knows, a pointer to a struct with config tags,
// and returns the section without them, with their faults, nil if there are none.
// Fields with faults keep their zero value. Keys that dst does not know stay in
// rest, also those inside a group that dst knows in part.
func (s *Section) Take(dst any) (rest *Section, faults []errors.Fault) {
	target, known, err := targetOf(dst)
	if err != nil {
		return s, []errors.Fault{s.faultAt(s.root, "", err.Error())}
	}
	remaining := *s
	remaining.known = append(slices.Clone(s.known), known)
	if s.root.kind != kindMap {
		if !s.broken {
			faults = append(faults, s.notAMap())
		}
		remaining.broken = true
		return &remaining, faults
	}
	decoder := &decoder{section: s}
	decoder.structure("", s.root, known, target)
	remaining.root = without(s.root, known)
	return &remaining, decoder.result()
}

// Decode decodes what was not taken into dst, a pointer to a struct with config
// tags, and returns every fault, nil if there are none: a key that neither dst nor
// an earlier Take knows is one, with the nearest known key. Unknown keys that
// come from defaults are passed over, for another server may know them.
func (s *Section) Decode(dst any) []errors.Fault {
	rest, faults := s.Take(dst)
	if s.root.kind == kindMap {
		faults = append(faults, rest.unknown(rest.known, false)...)
	}
	sortFaults(faults)
	return faults
}

// Unknown returns a fault for every key that none of known has, which are
// structs, or pointers to them, with config tags. It is for Config.Defaults, whose
// keys need only be known to one kind of server.
func (s *Section) Unknown(known ...any) []errors.Fault {
	shapes := slices.Clone(s.known)
	for _, value := range known {
		shape, err := shapeOfValue(value)
		if err != nil {
			return []errors.Fault{s.faultAt(s.root, "", err.Error())}
		}
		shapes = append(shapes, shape)
	}
	faults := s.unknown(shapes, true)
	sortFaults(faults)
	return faults
}

func (s *Section) notAMap() errors.Fault {
	fault := s.faultAt(s.root, "", "the section is not a map of keys")
	fault.Found, fault.Allowed = s.root.describe(), "a map"
	if s.server != "" {
		fault.Allowed = "a map with the key type"
	}
	return fault
}

// targetOf checks dst, a programmer's matter, and returns the struct it points to.
func targetOf(dst any) (reflect.Value, *shape, error) {
	pointer := reflect.ValueOf(dst)
	if pointer.Kind() != reflect.Pointer || pointer.IsNil() || pointer.Elem().Kind() != reflect.Struct {
		return reflect.Value{}, nil, fmt.Errorf("the program decodes into a %T; allowed: a pointer to a struct", dst)
	}
	known, err := shapeOf(pointer.Elem().Type())
	return pointer.Elem(), known, err
}

// shapeOfValue reads the tags of a struct, or of what a pointer points to.
func shapeOfValue(value any) (*shape, error) {
	t := reflect.TypeOf(value)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("a %T has no config tags; allowed: a struct", value)
	}
	return shapeOf(t)
}

// without returns n without what known has. A group goes when nothing is left.
func without(n *node, known *shape) *node {
	left := newMap(n.origin)
	for _, key := range n.keys {
		value := n.fields[key]
		f := known.find(key)
		if f != nil && f.nested != nil && value.kind == kindMap {
			if value = without(value, f.nested); len(value.keys) == 0 {
				continue
			}
		} else if f != nil {
			continue
		}
		left.set(key, value)
	}
	return left
}

// sortFaults puts faults in the order of the file; those without a place stay
// where they are among themselves, in front.
func sortFaults(faults []errors.Fault) {
	slices.SortStableFunc(faults, func(a, b errors.Fault) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
