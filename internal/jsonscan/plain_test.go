package jsonscan

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plainReading is what PlainText is to find, read byte by byte.
func plainReading(data []byte, pos int) (end int, ok bool) {
	if pos < 0 || pos >= len(data) || data[pos] != '"' {
		return 0, false
	}
	length := bytes.IndexByte(data[pos+1:], '"')
	if length < 0 {
		return 0, false
	}
	inner := data[pos+1 : pos+1+length]
	for _, c := range inner {
		if c == '\\' || c < ' ' {
			return 0, false
		}
	}
	return pos + length + 2, utf8.Valid(inner)
}

// comparePlain checks that PlainText finds what a plain reading does, and that what
// it accepts is a string for the general scanner, with the same end.
func comparePlain(t *testing.T, data []byte, pos int) {
	t.Helper()
	want, wantOK := plainReading(data, pos)
	end, ok := PlainText(data, pos)
	require.Equal(t, wantOK, ok, "%q at %d", data, pos)
	if !ok {
		require.Zero(t, end, "%q at %d", data, pos)
		return
	}
	require.Equal(t, want, end, "%q at %d", data, pos)
	checked, err := Value(data, pos)
	require.NoError(t, err, "%q at %d", data, pos)
	require.Equal(t, checked, end, "%q at %d", data, pos)
}

func TestPlainText(t *testing.T) {
	for text, want := range map[string]struct {
		end int
		ok  bool
	}{
		`""`: {2, true}, `"a"`: {3, true}, `" "`: {3, true}, `"a" and more`: {3, true}, "\"\x7f\"": {3, true},
		`"größer"`: {10, true}, `"日本語の文字列です"`: {29, true}, `"seven b"`: {9, true}, `"eight by"`: {10, true},
		``: {}, `"`: {}, `a`: {}, `a"`: {}, `"a`: {}, `"eight by`: {}, `"é`: {}, `{}`: {}, `1`: {}, ` "a"`: {},
		`"\n"`: {}, `"\""`: {}, `"\u0041"`: {}, "\"\n\"": {}, "\"\x00\"": {}, "\"\x1f\"": {}, "\"\xff\"": {}, "\"\xc3\"": {}, "\"\xed\xa0\x80\"": {},
	} {
		end, ok := PlainText([]byte(text), 0)
		assert.Equal(t, want.ok, ok, "%q", text)
		assert.Equal(t, want.end, end, "%q", text)
	}
}

// An offset may be any: outside of the text, and on what is no quote, there is no
// string.
func TestPlainTextAtEveryOffset(t *testing.T) {
	data := []byte(`{"name":"größer than a word or two","other":"\n"}`)
	for pos := -2; pos < len(data)+3; pos++ {
		comparePlain(t, data, pos)
	}
	end, ok := PlainText(data, 1)
	assert.True(t, ok)
	assert.Equal(t, `"name"`, string(data[1:end]))
}

// Whatever makes a difference stands at every place of a string of every length up
// to three words, with an end of the data at every distance behind it.
func TestPlainTextAtEveryPlace(t *testing.T) {
	for length := range 27 {
		for _, before := range []string{"", `[1,`} {
			for _, behind := range []string{"", `,"next one":1`} {
				for _, filler := range []string{"a", " ", "~"} {
					whole := []byte(before + `"` + strings.Repeat(filler, length) + `"` + behind)
					comparePlain(t, whole, len(before))
					for at := range length + 1 {
						comparePlain(t, whole[:len(before)+1+at], len(before))
						for _, different := range []string{`"`, `\`, "\x00", "\x1f", "\n", "\x7f", "\x80", "\xff", "\xc3", "é", "€", "😀", "\xed\xa0\x80"} {
							data := bytes.Clone(whole)
							copy(data[len(before)+1+at:], different)
							comparePlain(t, data, len(before))
						}
					}
				}
			}
		}
	}
}

func FuzzPlainText(f *testing.F) {
	for _, text := range texts() {
		f.Add([]byte(text), 0)
	}
	f.Add([]byte(`{"message":"step 4711, größer"}`), 11)
	f.Fuzz(comparePlain)
}
