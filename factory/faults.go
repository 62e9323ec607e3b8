package factory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// withChecked joins the faults of decoding and those of checking what was
// decoded. All of a section's faults are told at once, so checking is done even
// if decoding found some; what it then says of a key that was not decoded is
// left out, for it saw no value there.
func withChecked(decoding, checking []errors.Fault) []errors.Fault {
	all := slices.Clone(decoding)
	for _, fault := range checking {
		isTold := func(told errors.Fault) bool { return covers(told.Key, fault.Key) || covers(fault.Key, told.Key) }
		if !slices.ContainsFunc(decoding, isTold) {
			all = append(all, fault)
		}
	}
	return all
}

// covers reports whether key is outer or within it: an item of a list, a key of
// a group. The empty key is the whole section.
func covers(outer, key string) bool {
	rest, found := strings.CutPrefix(key, outer)
	return found && (outer == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// explained tells of unknown keys that are known to another type.
func (f *TransporterFactory) explained(typeName string, faults []errors.Fault) []errors.Fault {
	for i := range faults {
		if faults[i].Message != config.UnknownKey {
			continue
		}
		if owners := f.ownersOf(faults[i].Key); len(owners) > 0 {
			faults[i].Message = "unknown key for type " + typeName + ": it belongs to type " + strings.Join(owners, " and ")
			faults[i].Nearest = ""
		}
	}
	return faults
}

// ownersOf returns the types that have the key.
func (f *TransporterFactory) ownersOf(key string) []string {
	return slices.DeleteFunc(f.Types(), func(name string) bool {
		return !slices.ContainsFunc(f.Keys(name), func(field config.Field) bool {
			group, _, _ := strings.Cut(field.Key, ".")
			return key == field.Key || key == group || slices.Contains(field.Aliases, key)
		})
	})
}

func (f *TransporterFactory) unknownType(section *config.Section, found string) errors.Fault {
	fault := section.Fault("type", "unknown type")
	fault.Found = errors.PeerText(found, 80)
	fault.Allowed = strings.Join(f.Types(), ", ")
	fault.Nearest = config.Nearest(found, f.Types())
	if strings.Contains(strings.ToLower(found), "streamable") { // other programs' name for it
		fault.Nearest = typeHTTP
	}
	return fault
}

func sortFaults(faults []errors.Fault) {
	slices.SortStableFunc(faults, func(a, b errors.Fault) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
