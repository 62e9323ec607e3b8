package jsonscan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Hexadecimal digits have either case, and their neighbours are none.
func TestHexadecimalDigits(t *testing.T) {
	for r := range 0x10000 {
		for _, format := range []string{`"\u%04x"`, `"\u%04X"`} {
			quoted := fmt.Sprintf(format, r)
			var want string
			require.NoError(t, json.Unmarshal([]byte(quoted), &want))
			got, ok := String([]byte(quoted))
			if !ok || got != want {
				t.Fatalf("%s: %q, %v", quoted, got, ok)
			}
		}
	}
	for _, c := range "/:@G`g\x7f" {
		for at := range 4 {
			digits := []byte("0000")
			digits[at] = byte(c)
			assert.Error(t, Check(fmt.Appendf(nil, `"\u%s"`, digits)), "%q", digits)
		}
	}
}

// A text may end anywhere, and the cursor says so: behind a comma too.
func TestCursorOfTruncatedTexts(t *testing.T) {
	text := `{"a":[1,"two",{"b":null}], "c" : {"d":true , "e":"\u00e9"}}`
	for end := range len(text) {
		cursor := NewCursor([]byte(text[:end]))
		var out strings.Builder
		flatten(&cursor, &out)
		assert.Error(t, cursor.End(), "%s", text[:end])
	}
}

// Only what is long is worth remembering.
func TestShortValuesAreNotRemembered(t *testing.T) {
	for length, remembered := range map[int]bool{2: false, leastSpan - 1: false, leastSpan: true, leastSpan + 1: true} {
		cursor := NewCursor([]byte(`{"a":"` + strings.Repeat("x", length-2) + `"}`))
		cursor.Value()
		require.NoError(t, cursor.End())
		assert.Equal(t, remembered, cursor.Longest() != Span{}, length)
	}
	assert.Equal(t, 1024, leastSpan)
}

// Every text of up to five characters that numbers are made of is a number here
// that is one for the standard library.
func TestNumbers(t *testing.T) {
	alphabet := "-019.eE+"
	var try func(text string)
	try = func(text string) {
		if text != "" && (Check([]byte(text)) == nil) != json.Valid([]byte(text)) {
			t.Errorf("%q: %v", text, Check([]byte(text)))
		}
		if len(text) < 5 {
			for _, c := range alphabet {
				try(text + string(c))
			}
		}
	}
	try("")
	for digit := range 10 {
		require.NoError(t, Check(fmt.Append(nil, digit)))
		require.NoError(t, Check(fmt.Append(nil, -digit)))
	}
}
