package config

import (
	"fmt"
	"strings"

	"github.com/knadh/koanf/v2"

	"github.com/mcp-client-go/mcpclient/errors"
)

// FromKoanf takes the tree that a program's own koanf holds at path, "" being
// its root; servers, defaults, strict and store are looked for there. The tree is
// copied. Its values have no origin, and its map keys are sorted. It fails if
// there is no map at path.
//
// A server whose name contains k's delimiter keeps it as long as the tree was
// loaded by a parser; koanf splits it if it came as a flat key.
func FromKoanf(k *koanf.Koanf, path string) (*Config, error) {
	if k == nil {
		return nil, goValueFailure(errors.New("the koanf is nil"))
	}
	tree, name := k.Raw(), "koanf"
	if path != "" {
		at, isMap := k.Get(path).(map[string]any)
		if !isMap {
			return nil, goValueFailure(fmt.Errorf("koanf has no map at %s", printable(path)))
		}
		tree, name = at, "koanf "+path
	}
	return fromTree(name, tree)
}

// FromMap takes a tree of Go values with the same keys as a file. It is copied:
// later changes to it are not seen. References such as ${VAR} in its strings are
// resolved as in a file; LiteralSecret holds a text that must not be. Values have
// no origin, and map keys are sorted. It fails if a value cannot be configuration
// (a channel, a function, a struct without config tags); see FromServers.
func FromMap(tree map[string]any) (*Config, error) { return fromTree("Go values", tree) }

// FromServers takes one Go value per server, a map or a struct (or a pointer to
// one) with config tags, such as
//
//	struct {
//		Type string `config:"type"`
//		stdiolink.Config
//	}
//
// Of a struct, fields with a config tag are taken under their name; an embedded
// struct is part of its parent; a field that is zero (for Secret and Duration:
// absent) counts as not written, so a false or a 0 that differs from the default
// needs a pointer or a map. Secret, Duration and types with UnmarshalConfig stay
// the values they are, for a field of the same type; time.Duration becomes a
// Duration, a type with MarshalText its text. Maps, slices and scalars become
// what they would be in a file. The values are checked like a file's.
func FromServers(servers map[string]any) (*Config, error) {
	tree := map[string]any{}
	for name, server := range servers {
		tree[name] = server
	}
	return FromMap(map[string]any{keyServers: tree})
}

func fromTree(name string, tree map[string]any) (*Config, error) {
	if tree == nil {
		tree = map[string]any{}
	}
	root, err := encodeGo(tree)
	if err != nil {
		return nil, goValueFailure(err)
	}
	return newConfig(name, root, Options{}), nil
}

func goValueFailure(err error) error {
	return failure(Origin{}, strings.TrimSpace("the configuration cannot be read: "+err.Error()))
}
