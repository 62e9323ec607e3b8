package config

import "reflect"

// Words is a list of words, such as a command line, that may also be written as
// a single word: `command: node` is `command: [node]`. A string with blanks is
// refused, since no shell is there that would split it.
type Words []string

// ConfigType names the type in documentation.
func (Words) ConfigType() string { return "list of string" }

// word decodes a single word into a list of type Words.
func (d *decoder) word(path string, n *node, dst reflect.Value) bool {
	text, ok := d.expand(path, n)
	if !ok {
		return false
	}
	dst.Set(reflect.ValueOf(Words{text}))
	return true
}
