package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadList(t *testing.T) {
	write := func(text string) string {
		name := filepath.Join(t.TempDir(), "list.txt")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	breaks, err := readList(write("# why\n\nX001 . TestA a.go\nno version\n-\tone\n-\ttwo\n+\tthree\n\nX002 b TestB b/b.go\nno text\n-x\n+y\n"))
	require.NoError(t, err)
	require.Len(t, breaks, 2)
	assert.Equal(t, brk{"X001", test{".", "TestA"}, "a.go", "no version", "\tone\n\ttwo", "\tthree"}, *breaks[0])
	for _, wrong := range []string{"- a\n", "X001 . TestA\nx\n-a\n+b\n", "X001 . TestA a.go\nx\n-a\n", "X001 . TestA a.go\n-a\n+b\n"} {
		_, err := readList(write(wrong))
		require.Error(t, err, wrong)
	}
}

// What a test does not notice, what does not compile and what is not there are told
// from what is noticed.
func TestBreaks(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.org/m\n\ngo 1.26\n",
		"m.go":      "package m\n\nfunc sum(a, b int) int { return a + b }\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif sum(2, 2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	t.Chdir(root)
	b := func(before, after string) *brk {
		return &brk{requirement: "X001", test: test{".", "TestSum"}, file: "m.go", what: "sums", before: before, after: after}
	}
	require.NoError(t, b("a + b", "a - b").isNoticed())
	require.ErrorContains(t, b("a + b", "a * b").isNoticed(), "mcpclient.TestSum passes though this was broken: sums")
	require.ErrorContains(t, b("a + b", "a + c").isNoticed(), "did not run")
	require.ErrorContains(t, b("a % b", "a + b").isNoticed(), "0 places")
	require.ErrorContains(t, (test{".", "TestNothing"}).passes(""), "did not run")

	require.NoError(t, b("", "").isNamed("| X001 | `mcpclient.TestSum` |\n"))
	require.Error(t, b("", "").isNamed("| X002 | `mcpclient.TestSum` |\n| X001 | `a.TestSum` |\n"))
}
