package jsonscan

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// compareInPlace checks that decoding in place gives what String does, and that the
// string can be had back, byte for byte.
func compareInPlace(t *testing.T, quoted []byte) {
	t.Helper()
	want, _ := String(quoted)
	inner := bytes.Clone(quoted[1 : len(quoted)-1])
	length, gaps, ok := DecodeInPlace(inner)
	if !ok {
		require.Equal(t, quoted[1:len(quoted)-1], inner, "it is to be as it was")
		return
	}
	require.Equal(t, want, string(inner[:length]))
	EncodeInPlace(inner, length, gaps)
	require.Equal(t, quoted[1:len(quoted)-1], inner)
}

func TestDecodeInPlace(t *testing.T) {
	long := strings.Repeat("The quick brown fox. ", 40)
	for text, decodes := range map[string]bool{
		``: true, `plain`: true, long: true, `\n`: true, `\"\\\b\f\n\r\t`: true, `a\nb`: true, `0123456\n`: true,
		`01234567\n89abcdef\n`: true, `\\n`: true, long + `\n` + long + long + `\t`: true, `\\\\\\\\\\`: true,
		strings.Repeat(`{\"a\": 1}\n`, 100): true, strings.Repeat("x", 255) + `\n`: true, strings.Repeat("x", 254) + `\n` + strings.Repeat("x", 510) + `\n`: true,
		`größer\n`: true, `\u00e9`: false, `\/`: false, `a\nb\u000ac`: false, long + `\n` + long + `\/`: false, `\n\u0041`: false,
	} {
		compareInPlace(t, []byte(`"`+text+`"`))
		_, _, ok := DecodeInPlace([]byte(text))
		require.Equal(t, decodes, ok, text)
	}
}

// Every place of an escape among every number of bytes.
func TestDecodeInPlaceAtEveryPlace(t *testing.T) {
	for length := range 40 {
		for first := range length + 1 {
			for second := first; second <= length; second++ {
				text := []byte("0123456789abcdefghijklmnopqrstuvwxyzABCD")[:length]
				quoted := `"` + string(text[:first]) + `\n` + string(text[first:second]) + `\"` + string(text[second:]) + `"`
				compareInPlace(t, []byte(quoted))
			}
		}
	}
}

// Escapes and long text in turns: what stands between two escapes moves by more
// bytes the more of them came before, and by words as soon as it can.
func TestDecodeInPlaceOfManyEscapes(t *testing.T) {
	plain := strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz", 3)
	for escapes := range 20 {
		for length := range 40 {
			between := plain[:length]
			compareInPlace(t, []byte(`"`+strings.Repeat(`\n`, escapes)+between+`\"`+plain+`\t`+between+`"`))
			compareInPlace(t, []byte(`"`+strings.Repeat(`\n`, escapes)+between+`\"`+between+`\u0041"`))
		}
	}
}

// What is kept of a string is little more than where its escapes stand: room for
// it is made once where they come evenly, and is an eighth of the string and a
// little where its beginning promises more than comes.
func TestGapsTakeLittleRoom(t *testing.T) {
	const length = 1 << 16
	decode := func(text string) (gaps []byte, allocations float64) {
		inner := []byte(text)
		allocations = testing.AllocsPerRun(5, func() {
			var ok bool
			copy(inner, text)
			if _, gaps, ok = DecodeInPlace(inner); !ok {
				t.Fatal("not decoded")
			}
		})
		return gaps, allocations
	}
	for _, every := range []int{9, 10, 12, 20, 50, 100, 250, 1000, 4000} {
		gaps, allocations := decode(strings.Repeat(strings.Repeat("x", every-2)+`\n`, length/every))
		require.Equal(t, 1.0, allocations, "%d", every)
		require.LessOrEqual(t, cap(gaps), len(gaps)*5/4+length/200, "%d", every)
	}
	late := strings.Repeat("x", length-2) + `\n`
	gaps, allocations := decode(late)
	require.Equal(t, 1.0, allocations)
	require.LessOrEqual(t, cap(gaps), length/200)
	gaps, _ = decode(strings.Repeat(`\n`, 2<<10) + late)
	require.LessOrEqual(t, cap(gaps), length/7)
}

func FuzzDecodeInPlace(f *testing.F) {
	f.Add([]byte(`a\nb`))
	f.Add([]byte(`{\"path\": \"src\"}\n\u0041`))
	f.Add([]byte(strings.Repeat(`a`, 300) + `\t`))
	f.Fuzz(func(t *testing.T, inner []byte) {
		quoted := append(append([]byte{'"'}, inner...), '"')
		if Valid(quoted) {
			compareInPlace(t, quoted)
			return
		}
		// What was never validated is not to break anything else.
		_, _, _ = DecodeInPlace(bytes.Clone(inner))
	})
}

func escapedText() []byte {
	const lines = `{\"path\": \"src/main.go\", \"line\": 42, \"kind\": \"match\"}\n` +
		`The quick brown fox jumps over the lazy dog while the band plays on and on.\n` +
		`Pack my box with five dozen liquor jugs, then send it to the usual address.\n`
	return []byte(`"` + strings.Repeat(lines, 1<<20/len(lines)) + `"`)
}

func BenchmarkDecode(b *testing.B) {
	quoted := escapedText()
	b.Run("copied", func(b *testing.B) {
		b.SetBytes(int64(len(quoted)))
		b.ReportAllocs()
		for b.Loop() {
			String(quoted)
		}
	})
	b.Run("in place", func(b *testing.B) {
		b.SetBytes(int64(len(quoted)))
		b.ReportAllocs()
		text := bytes.Clone(quoted)
		for b.Loop() {
			copy(text, quoted)
			DecodeInPlace(text[1 : len(text)-1])
		}
	})
	b.Run("and back", func(b *testing.B) {
		b.SetBytes(int64(len(quoted)))
		b.ReportAllocs()
		text := bytes.Clone(quoted)
		for b.Loop() {
			length, gaps, _ := DecodeInPlace(text[1 : len(text)-1])
			EncodeInPlace(text[1:len(text)-1], length, gaps)
		}
	})
}
