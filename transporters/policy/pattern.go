package policy

import (
	"path"
	"strings"
)

// A pattern is a glob as path.Match knows it: * is any run of characters, ? is
// one, [a-z] is one of a class, \ takes the meaning from the next character.
// There is one difference: / is a character like any other, so that * passes
// it. A name is not a path, and a rule `deny: ["*"]` that let "admin/reset"
// through would be a trap.

// slash stands in for / on both sides of a match. It is a noncharacter of
// Unicode: no real name contains it.
const slash = "\uFDD0"

// matches reports whether name fits pattern. onMalformed is the answer for a
// pattern that is none, which Check would have refused.
func matches(pattern, name string, onMalformed bool) bool {
	fits, err := path.Match(hideSlashes(pattern), hideSlashes(name))
	if err != nil {
		return onMalformed
	}
	return fits
}

// isPattern reports whether pattern is well-formed.
func isPattern(pattern string) bool {
	_, err := path.Match(hideSlashes(pattern), "")
	return err == nil
}

func hideSlashes(text string) string { return strings.ReplaceAll(text, "/", slash) }
