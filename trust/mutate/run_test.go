package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const counted = `package counted

type kind int

const many kind = 1 << 2

func is(k kind, loud bool) (bool, string) {
	n := 0
	for i := 0; i < 10; i++ {
		if i == 3 {
			continue
		}
		n += i
	}
	if n > 1000 {
		return false, "never"
	}
	return k&many != 0 && loud || n == -1, "a" + "b"
}
`

const countedTest = `package counted

import "testing"

func TestIs(t *testing.T) {
	if got, text := is(many, true); !got || text != "ab" {
		t.Fatal(text)
	}
	if got, _ := is(many, false); got {
		t.Fatal(got)
	}
	if got, _ := is(0, true); got {
		t.Fatal(got)
	}
}

func TestNothing(t *testing.T) {}
`

// All changes of a package run in one binary, but for those of constants; what does
// not compile counts nowhere, what the tests do not tell from the code is seen.
func TestRun(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "counted")
	require.NoError(t, os.Mkdir(folder, 0o700))
	for name, text := range map[string]string{"go.mod": "module example.org/m\n\ngo 1.26\n", "counted/counted.go": counted, "counted/counted_test.go": countedTest} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	t.Chdir(root)
	p, err := load("counted")
	require.NoError(t, err)
	p.patience = 2 * time.Second

	at := func(kind string, line, column int) *mutant {
		return &mutant{Type: kind, Line: line, Column: column, file: "counted/counted.go"}
	}
	constant := at("INVERT_BITWISE", 5, 21)
	unseen := []*mutant{
		at("INVERT_ASSIGNMENTS", 13, 5),
		at("REMOVE_SELF_ASSIGNMENTS", 13, 5),
		at("CONDITIONALS_BOUNDARY", 9, 16),
		at("CONDITIONALS_BOUNDARY", 15, 7),
		at("INVERT_LOOPCTRL", 11, 4),
		at("INVERT_NEGATIVES", 18, 37),
	}
	seen := []*mutant{
		at("CONDITIONALS_NEGATION", 15, 7),
		at("INVERT_BITWISE", 18, 10),
		at("INVERT_LOGICAL", 18, 21),
		at("CONDITIONALS_NEGATION", 18, 16),
		at("CONDITIONALS_NEGATION", 18, 34),
	}
	forever := at("INCREMENT_DECREMENT", 9, 23)
	text := at("ARITHMETIC_BASE", 18, 45)

	mutants := append(append([]*mutant{constant, text, forever}, unseen...), seen...)
	compiling, err := p.compiling(mutants)
	require.NoError(t, err)
	require.Len(t, compiling, len(mutants)-1)
	require.NotContains(t, compiling, text)

	together, alone := p.divide(compiling)
	require.Equal(t, []int{0}, alone, "a constant is built alone")
	require.Len(t, together["counted/counted.go"], len(compiling)-1)

	outcomes, err := p.run(compiling, 2)
	require.NoError(t, err)
	for i, m := range compiling {
		switch {
		case m == forever:
			assert.Equal(t, endless, outcomes[i])
		case m == constant:
			assert.Equal(t, noticed, outcomes[i])
		case i < 2+len(unseen):
			assert.Equal(t, unnoticed, outcomes[i], "%+v", m)
		default:
			assert.Equal(t, noticed, outcomes[i], "%+v", m)
		}
	}
}
