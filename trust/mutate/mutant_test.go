package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChanges(t *testing.T) {
	const source = "package p\n\nfunc f(a, b int) bool { return a >= b && a<<2 != 0 }\n"
	for _, test := range []struct {
		kind   string
		column int
		want   string
	}{
		{"CONDITIONALS_BOUNDARY", 34, "return a > b && a<<2 != 0"},
		{"CONDITIONALS_NEGATION", 34, "return a < b && a<<2 != 0"},
		{"INVERT_LOGICAL", 39, "return a >= b || a<<2 != 0"},
		{"INVERT_BITWISE", 43, "return a >= b && a>>2 != 0"},
		{"CONDITIONALS_NEGATION", 47, "return a >= b && a<<2 == 0"},
	} {
		changed, err := (&mutant{Type: test.kind, Line: 3, Column: test.column}).changed([]byte(source))
		require.NoError(t, err)
		assert.Contains(t, string(changed), test.want)
	}
	for _, wrong := range []*mutant{{Type: "INVERT_LOGICAL", Line: 3, Column: 1}, {Type: "INVERT_LOGICAL", Line: 9, Column: 1}, {Type: "INVERT_LOGICAL", Line: 3, Column: 999}, {Type: "?", Line: 3, Column: 39}} {
		_, err := wrong.changed([]byte(source))
		require.Error(t, err)
	}
}
