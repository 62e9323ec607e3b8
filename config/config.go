package config

import (
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

const (
	keyServers  = "servers"
	keyDefaults = "defaults"
	keyStrict   = "strict"
	keyStore    = "store"
	keyInputs   = "inputs"

	// keySchema names the file's schema to editors.
	keySchema = "$schema"
	// extensionPrefix begins top-level keys that are passed over. They are the
	// place for what YAML's anchors name.
	extensionPrefix = "x-"
	// storeMemory is the type of the store that there is without any.
	storeMemory = "memory"
)

// topLevelKeys are the keys that a configuration may have outside servers.
func topLevelKeys() []string {
	return []string{keyServers, keyDefaults, keyStrict, keyStore, keyInputs}
}

// Config is a configuration that has been read but not checked: the servers as
// sections, and what stands beside them. It is immutable and safe for
// concurrent use.
type Config struct {
	name     string
	root     *node // a map, with overrides
	servers  *node // a map, empty if there is none
	defaults *node // a map, empty if there is none
	store    *node // nil if absent
	inputs   *node // nil if absent
	strict   bool
	faults   []errors.Fault
	warnings []errors.Fault
	source   *source

	// For Watch; empty if the configuration was not loaded from files.
	paths   []string
	options Options
	content [32]byte // a digest of the files
	blank   string   // a file with nothing in it
}

// newConfig takes the top level apart.
func newConfig(name string, root *node, options Options) *Config {
	declared, faults := readInputs(root.fields[keyInputs], options)
	c := &Config{
		name: name, root: root, servers: newMap(root.origin), defaults: newMap(root.origin),
		inputs: root.fields[keyInputs], faults: faults, source: newSource(options, declared),
	}
	for _, key := range root.keys {
		value := root.fields[key]
		switch key {
		case keyServers:
			c.readGroup(&c.servers, key, value)
			c.readNameless()
		case keyDefaults:
			c.readGroup(&c.defaults, key, value.asDefaults())
		case keyStrict:
			c.readStrict(value)
		case keyStore:
			c.readStore(value)
		case keyInputs, keySchema:
		default:
			if !strings.HasPrefix(key, extensionPrefix) {
				c.readUnknown(key, value)
			}
		}
	}
	if !hasOwn(root, keyServers) {
		fault := c.fault(root, keyServers, "there is no map of servers")
		fault.Allowed = "servers: a map of names"
		c.faults = append(c.faults, fault)
	}
	sortFaults(c.faults)
	return c
}

func (c *Config) readGroup(into **node, key string, value *node) {
	switch value.kind {
	case kindMap:
		*into = value
	case kindNull:
	default:
		fault := c.fault(value, key, "not a map")
		fault.Found, fault.Allowed = value.describe(), "a map"
		c.faults = append(c.faults, fault)
	}
}

// readNameless leaves a server without a name out: nobody could tell its faults
// from those that concern no server.
func (c *Config) readNameless() {
	nameless := c.servers.fields[""]
	if nameless == nil {
		return
	}
	fault := c.fault(nameless, keyServers, "a server needs a name")
	fault.Found = `""`
	c.faults = append(c.faults, fault)
	named := newMap(c.servers.origin)
	for _, name := range c.servers.keys {
		if name != "" {
			named.set(name, c.servers.fields[name])
		}
	}
	c.servers = named
}

// readUnknown reports a key that is none of ours.
func (c *Config) readUnknown(key string, value *node) {
	fault := c.fault(value, key, "unknown top-level key")
	fault.Allowed = strings.Join(topLevelKeys(), ", ")
	fault.Nearest = nearest(key, topLevelKeys())
	if slices.Contains([]string{keyDesktopServers, keyZedServers, keyCodexServers}, key) {
		fault.Message = "another program's servers stand beside servers: one file has one kind"
		fault.Nearest = ""
	}
	c.faults = append(c.faults, fault)
}

func (c *Config) readStrict(value *node) {
	root := newMap(value.origin)
	root.set(keyStrict, value)
	var top struct {
		Strict bool `config:"strict"`
	}
	section := &Section{root: root, full: root, source: c.source}
	c.faults = append(c.faults, section.Decode(&top)...)
	c.strict = top.Strict
}

// readStore accepts the short form, a string, for a map with only a type. Which
// types there are, and their keys, is known to the factory.
func (c *Config) readStore(value *node) {
	switch value.kind {
	case kindMap:
		c.store = value
	case kindText:
		c.store = newMap(value.origin)
		c.store.set("type", value)
	case kindNull:
	default:
		fault := c.fault(value, keyStore, "not a store")
		fault.Found, fault.Allowed = value.describe(), "the name of a type, or a map with the key type"
		c.faults = append(c.faults, fault)
	}
}

func (c *Config) fault(at *node, key, message string) errors.Fault {
	fault := faultAt(at.origin, message)
	fault.Key = shownKey(key)
	return fault
}

// Names returns the servers in the order of the file, those of a later file
// after those of an earlier one; of Go values sorted.
func (c *Config) Names() []string { return slices.Clone(c.servers.keys) }

// Server returns the section of a server, with the defaults merged under it: the
// server's keys win, maps merge, lists are replaced. ok is false if there is no
// such server. Each call returns a new Section.
func (c *Config) Server(name string) (section *Section, ok bool) {
	own, ok := c.servers.fields[name]
	if !ok {
		return nil, false
	}
	if own.kind == kindMap {
		own = mergeNodes(c.defaults, own)
	}
	return &Section{server: name, root: own, full: own, source: c.source}, true
}

// Defaults returns the keys under defaults as a section of their own, whose
// Server is "". Unknown checks them against all that may be a server.
func (c *Config) Defaults() *Section {
	return &Section{prefix: keyDefaults, root: c.defaults, full: c.defaults, source: c.source}
}

// Store returns the top-level key store as a section whose Server is ""; ok is
// false if the key is absent. "store: memory" is the same as
// "store: {type: memory}". The factory checks it.
func (c *Config) Store() (section *Section, ok bool) {
	if c.store == nil {
		return nil, false
	}
	return &Section{prefix: keyStore, root: c.store, full: c.store, source: c.source}, true
}

// Strict reports whether the top-level key strict is true: one fault anywhere
// refuses the whole configuration. Default false.
func (c *Config) Strict() bool { return c.strict }

// Faults returns what is wrong outside any server, in the order of the file:
// unknown top-level keys, wrong types there, no servers at all.
func (c *Config) Faults() []errors.Fault { return slices.Clone(c.faults) }

// Warnings returns what does no harm but has not the effect that its author may
// expect, in the order of the file: keys of other programs' files that have no
// meaning here, environment variables that override nothing. Nothing is refused
// for them, not even by strict.
func (c *Config) Warnings() []errors.Fault { return slices.Clone(c.warnings) }

// Source names where the configuration came from, for messages: the files as
// given, joined with commas.
func (c *Config) Source() string { return c.name }
