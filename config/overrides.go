package config

import (
	"math"
	"os"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// An environment variable overrides one key of the files:
//
//	MCPCLIENT_SERVERS__GITHUB__REQUEST_TIMEOUT=90s
//	MCPCLIENT_SERVERS__GITHUB__TOOLS__ALLOW=list_*,get_*
//	MCPCLIENT_DEFAULTS__REQUEST_TIMEOUT=90s
//	MCPCLIENT_STRICT=true
//
// Two underscores go one level down. A part names the key that is the same but for
// case, and for _ in the place of every character that is no letter or digit:
// MY_SERVER_IO is my-server.io. Where no such key is there, a part is a new key in
// lower case; under env it is the variable's name as it is, under headers the
// header's with - for _. A server must be there.
//
// The key gets a reference to the variable, so that nothing but the name of the
// variable is ever shown, and so that its value is not looked at for references.
// What the key's type makes of the text is the decoder's matter, which knows it:
// lists and maps are read by overridden.

// overridePrefix begins the names of variables that override keys.
const overridePrefix = "MCPCLIENT_"

// overrideLayer is above every file.
const overrideLayer = math.MaxInt

// overriding is the work of laying variables over the files.
type overriding struct {
	root     *node
	overlay  *node
	faults   []errors.Fault
	warnings []errors.Fault
}

// override lays the environment's overrides over a tree of our keys.
func override(root *node, options Options) (*node, []errors.Fault, []errors.Fault) {
	o := &overriding{root: root, overlay: newMap(root.origin)}
	for _, name := range overrideNames(options) {
		o.apply(name)
	}
	if len(o.overlay.keys) == 0 {
		return root, o.faults, o.warnings
	}
	return layNode(root, o.overlay), o.faults, o.warnings
}

// overrideNames returns the names of variables that begin as overrides do, sorted.
func overrideNames(options Options) []string {
	environ := options.Environ
	switch {
	case options.NoOverrides:
		return nil
	case environ == nil && options.LookupEnv != nil:
		return nil
	case environ == nil:
		environ = os.Environ
	}
	var names []string
	for _, variable := range environ() {
		name, _, found := strings.Cut(variable, "=")
		if found && strings.HasPrefix(name, overridePrefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// apply puts one override into the overlay.
func (o *overriding) apply(name string) {
	parts := strings.Split(strings.TrimPrefix(name, overridePrefix), "__")
	top := o.topLevel(parts[0])
	isGroup := top == keyServers || top == keyDefaults || top == keyStore
	switch {
	case len(parts) == 1 && top != keyStrict && top != keyStore:
		return // a variable with another purpose
	case top == "" || len(parts) > 1 && !isGroup:
		o.unknown(name, parts[0])
		return
	case !isVariableName(name) || slices.Contains(parts, ""):
		o.warn(name, "a part of the name is empty, or it is no name that can be referred to")
		return
	}
	at := cursor{existing: o.root.fields[top], overlay: o.overlay, key: top}
	rest := parts[1:]
	if top == keyServers {
		var ok bool
		if at, rest, ok = o.server(name, at, rest); !ok {
			return
		}
	}
	for _, part := range rest {
		key, ambiguous := matchingKey(at.existing, part)
		if ambiguous != "" {
			o.fault(name, "the name fits two keys, "+key+" and "+ambiguous)
			return
		}
		if key == "" {
			key = newKey(at.key, part)
		}
		if !at.descend(name) {
			o.fault(name, "another variable, "+at.overlay.fields[at.key].origin.Variable+", sets the whole of what this one sets a part of")
			return
		}
		at = cursor{existing: fieldOf(at.existing, key), overlay: at.overlay.fields[at.key], key: key}
	}
	at.overlay.set(at.key, newText("${"+name+"}", Origin{Variable: name, layer: overrideLayer}))
}

// cursor is one key on the way down.
type cursor struct {
	existing *node // what stands there in the files, with defaults beneath; nil if nothing does
	overlay  *node // the map of the overlay that the key is set in
	key      string
}

// descend makes a map of the overlay's key; false if it has a value already.
func (c cursor) descend(name string) bool {
	switch present := c.overlay.fields[c.key]; {
	case present == nil:
		origin := Origin{Variable: name, layer: overrideLayer}
		if c.existing != nil {
			origin = c.existing.origin // a map that is there stays where it is
		}
		c.overlay.set(c.key, newMap(origin))
	case present.kind != kindMap:
		return false
	}
	return true
}

func fieldOf(n *node, key string) *node {
	if n == nil {
		return nil
	}
	return n.fields[key]
}

// topLevel returns the top-level key that a part names, "" if there is none.
func (o *overriding) topLevel(part string) string {
	for _, key := range topLevelKeys() {
		if key != keyInputs && asVariable(key) == part {
			return key
		}
	}
	return ""
}

// server finds the server that the first parts name, whose name may itself have
// two underscores in a row.
func (o *overriding) server(variable string, at cursor, parts []string) (cursor, []string, bool) {
	for end := len(parts) - 1; end > 0; end-- {
		name, ambiguous := matchingKey(at.existing, strings.Join(parts[:end], "__"))
		switch {
		case ambiguous != "":
			o.fault(variable, "the name fits two servers, "+shownKey(name)+" and "+shownKey(ambiguous))
			return at, nil, false
		case name != "":
			at.descend(variable)
			existing := mergeNodes(o.root.fields[keyDefaults], at.existing.fields[name])
			return cursor{existing: existing, overlay: o.overlay.fields[keyServers], key: name}, parts[end:], true
		}
	}
	o.unknownServer(variable, at.existing, parts)
	return at, nil, false
}

// matchingKey returns the key of n that a part of a variable's name means, and a
// second one if there are two.
func matchingKey(n *node, part string) (key, ambiguous string) {
	if n == nil {
		return "", ""
	}
	for _, candidate := range n.keys {
		switch {
		case asVariable(candidate) != asVariable(part):
		case key != "":
			return key, candidate
		default:
			key = candidate
		}
	}
	return key, ""
}

// asVariable is a key as it is written in a variable's name.
func asVariable(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, key)
}

// newKey is the key that a part means where none is there, within the map group.
func newKey(group, part string) string {
	switch group {
	case "env":
		return part
	case "headers":
		return strings.ReplaceAll(part, "_", "-")
	}
	return strings.ToLower(part)
}

func (o *overriding) fault(name, message string) {
	o.faults = append(o.faults, faultAt(Origin{Variable: name}, message))
}

func (o *overriding) warn(name, message string) *errors.Fault {
	o.warnings = append(o.warnings, faultAt(Origin{Variable: name}, message+"; it overrides nothing"))
	return &o.warnings[len(o.warnings)-1]
}

func (o *overriding) unknown(name, part string) {
	fault := o.warn(name, "no key that can be overridden has this name")
	fault.Allowed = overridePrefix + "SERVERS__..., DEFAULTS__..., STORE__..., STRICT"
	fault.Nearest = nearest(part, []string{"SERVERS", "DEFAULTS", "STRICT", "STORE"})
}

// unknownServer is a warning: the variable may be meant for another program's
// configuration.
func (o *overriding) unknownServer(name string, servers *node, parts []string) {
	if len(parts) < 2 {
		o.warn(name, "it names a server, but no key of it").Allowed = name + "__KEY"
		return
	}
	fault := o.warn(name, "there is no such server")
	if servers == nil {
		return
	}
	var known []string
	for _, server := range servers.keys {
		known = append(known, asVariable(server))
	}
	fault.Nearest = nearest(parts[0], known)
}
