package config

import (
	"slices"

	"github.com/mcp-client-go/mcpclient/errors"
)

// UnknownKey is the message of a fault about a key that nobody knows.
const UnknownKey = "unknown key"

// unknown returns a fault for every key of what was not taken that no shape has.
// Keys from defaults are passed over unless defaults is true.
func (s *Section) unknown(shapes []*shape, defaults bool) []errors.Fault {
	if s.root.kind != kindMap {
		return nil
	}
	return s.unknownIn(s.root, "", shapes, shapes, defaults)
}

func (s *Section) unknownIn(n *node, prefix string, level, all []*shape, defaults bool) []errors.Fault {
	var faults []errors.Fault
	for _, key := range n.keys {
		value, path := n.fields[key], joinKey(prefix, key)
		known, nested := lookUp(level, key)
		switch {
		case nested != nil && value.kind == kindMap:
			faults = append(faults, s.unknownIn(value, path, nested, all, defaults)...)
		case known, value.origin.Defaults && !defaults:
		default:
			faults = append(faults, s.unknownKey(value, path, key, prefix, level, all))
		}
	}
	return faults
}

// lookUp reports whether a shape has the key, and the groups it stands for.
func lookUp(level []*shape, key string) (known bool, nested []*shape) {
	for _, candidate := range level {
		if f := candidate.find(key); f != nil {
			known = true
			if f.nested != nil {
				nested = append(nested, f.nested)
			}
		}
	}
	return known, nested
}

func (s *Section) unknownKey(at *node, path, key, prefix string, level, all []*shape) errors.Fault {
	fault := s.faultAt(at, path, UnknownKey)
	var siblings []string
	for _, candidate := range level {
		for i := range candidate.fields {
			siblings = append(siblings, candidate.fields[i].names()...)
		}
	}
	if near := nearest(key, siblings); near != "" {
		fault.Nearest = joinKey(prefix, near)
	} else {
		fault.Nearest = elsewhere(all, key)
	}
	return fault
}

// elsewhere finds a key that exists, but in another group.
func elsewhere(all []*shape, key string) string {
	var paths []string
	for _, candidate := range all {
		for _, known := range candidate.list("") {
			if known.name == key {
				paths = append(paths, known.path)
			}
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return slices.Min(paths)
}
