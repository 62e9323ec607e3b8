package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Text is read in words of eight bytes. What matters stands at every place of a word
// here: at its begin, at its end, across two, and in what is left behind the last.

func TestMalformedTextAtEveryPlace(t *testing.T) {
	for length := range 27 {
		plain := `"` + strings.Repeat("a", length) + `"`
		pos, bad := text([]byte(plain+strings.Repeat(" ", 9)), 0)
		require.Equal(t, faultNone, bad)
		require.Equal(t, len(plain), pos)
		for at := range length {
			for _, behind := range []string{"", strings.Repeat(" ", 9)} {
				escaped := []byte(plain[:1+length] + `\n"` + behind)
				escaped[1+at] = 0xff
				pos, bad := text(escaped, 0)
				require.Equal(t, faultUTF8, bad, "%q", escaped)
				require.Equal(t, 1+at, pos, "%q", escaped)
				wrong := []byte(plain + behind)
				wrong[1+at] = 0xff
				pos, bad = text(wrong, 0)
				require.Equal(t, faultUTF8, bad, "%q", wrong)
				require.Equal(t, 1+at, pos, "%q", wrong)
			}
		}
	}
}

func TestEscapesThatEndEarly(t *testing.T) {
	for given, want := range map[string]struct {
		pos int
		bad fault
	}{
		`"\u0041`: {7, faultEnd}, `"\u00`: {1, faultEnd}, `"\u`: {1, faultEnd}, `"\`: {1, faultEnd}, `"\u004"`: {1, faultEscape}, `"\u0041"`: {8, faultNone},
	} {
		pos, bad := text([]byte(given), 0)
		assert.Equal(t, want.bad, bad, given)
		if bad == faultNone || given == `"\u0041` {
			assert.Equal(t, want.pos, pos, given)
		}
	}
}

func TestSkippingTextOfEveryLength(t *testing.T) {
	for length := range 80 {
		for slashes := range 6 {
			for _, behind := range []string{"", `,"next","x"`} {
				value := `"` + strings.Repeat("a", length) + strings.Repeat(`\\`, slashes) + `"`
				require.Equal(t, len(value), skipText([]byte(value+behind), 0), value)
				value = `"` + strings.Repeat("a", length) + strings.Repeat(`\\`, slashes) + `\"` + `"`
				require.Equal(t, len(value), skipText([]byte(value+behind), 0), value)
				value = `"` + strings.Repeat(`\\`, slashes) + strings.Repeat("a", length) + `\"b\"` + strings.Repeat("c", length) + `"`
				require.Equal(t, len(value), skipText([]byte(value+behind), 0), value)
			}
		}
	}
}

func TestDecodingTextOfEveryLength(t *testing.T) {
	for before := range 20 {
		for behind := range 20 {
			quoted := `"` + strings.Repeat("a", before) + `\n` + strings.Repeat("b", behind) + `\u00e9` + strings.Repeat("c", behind) + `"`
			var want string
			require.NoError(t, json.Unmarshal([]byte(quoted), &want))
			got, ok := String([]byte(quoted))
			require.True(t, ok)
			require.Equal(t, want, got)
			name := decodedName([]byte(quoted + "more")[:len(quoted)])
			require.Equal(t, want, string(name))
		}
	}
	name := decodedName([]byte(`"name" and more`)[:6])
	assert.Equal(t, "name", string(name))
	assert.Equal(t, 4, cap(name), "what follows is not to be written over")
	assert.Empty(t, decodedName([]byte(`""`)))
}

func TestAppendingTheSmallest(t *testing.T) {
	assert.Equal(t, `"a b"`, string(AppendString(nil, "a b")))
	assert.Equal(t, "\"\uFFFD\"", string(AppendString(nil, "\x80")))
	assert.Equal(t, "\"\x7f\"", string(AppendString(nil, "\x7f")))
	assert.Equal(t, `"\u001f"`, string(AppendString(nil, "\x1f")))
}

func TestLineEndsAtTheBegin(t *testing.T) {
	for text, want := range map[string]bool{"\n1": true, "\r1": true, "1": false, "1\n": true, "1\r": true} {
		assert.Equal(t, want, HasRawNewline([]byte(text)), "%q", text)
	}
}

func TestSpanTakesTheLongest(t *testing.T) {
	var s Span
	s.Offer(100, 100+leastSpan-1)
	assert.Equal(t, Span{}, s)
	s.Offer(100, 100+leastSpan)
	assert.Equal(t, Span{100, 100 + leastSpan}, s)
	s.Offer(5000, 5000+leastSpan)
	assert.Equal(t, 100, s.From, "the first of two that are as long")
	s.Offer(5000, 5001+leastSpan)
	assert.Equal(t, Span{5000, 5001 + leastSpan}, s)
	assert.Equal(t, leastSpan+1, s.Len())
}

func TestSpanEndsAValue(t *testing.T) {
	for text, want := range map[string]bool{
		`""`: true, `{}`: true, `[]`: true, `"}`: false, `{"`: false, `[}`: false, `{]`: false, `x"`: false, `"x`: false,
		`x}`: false, `{x`: false, `x]`: false, `[x`: false, `"`: false, ``: false, `"]`: false, `["`: false,
	} {
		assert.Equal(t, want, Span{0, len(text)}.endsValueIn([]byte(text)), text)
		assert.Equal(t, want, Span{1, 1 + len(text)}.endsValueIn([]byte("x"+text+"x")), text)
	}
	assert.False(t, Span{0, 3}.endsValueIn([]byte(`""`)))
	assert.False(t, Span{-1, 1}.endsValueIn([]byte(`""`)))
}

// Maps and lists in maps and lists, deeper than one word of marks.
func TestDeepNestingOfBothKinds(t *testing.T) {
	for first := range 130 {
		value := strings.Repeat(`{"a":`, first) + strings.Repeat("[", 130-first) + strings.Repeat("]", 130-first) + strings.Repeat("}", first)
		require.True(t, Valid([]byte(value)), "%d", first)
		value = strings.Repeat("[", first) + strings.Repeat(`{"a":`, 130-first) + "1" + strings.Repeat("}", 130-first) + strings.Repeat("]", first)
		require.True(t, Valid([]byte(value)), "%d", first)
		wrong := strings.Repeat(`{"a":`, first) + strings.Repeat("[", 130-first) + strings.Repeat("]", 129-first) + "}" + strings.Repeat("}", first)
		require.False(t, Valid([]byte(wrong)), "%d", first)
	}
}

func TestDepthIsBoundedExactly(t *testing.T) {
	for _, pair := range []string{"[]", "{}"} {
		open, shut := pair[:1], pair[1:]
		if open == "{" {
			open = `{"a":`
		}
		nested := func(levels int) []byte {
			return []byte(strings.Repeat(open, levels-1) + pair + strings.Repeat(shut, levels-1))
		}
		require.True(t, Valid(nested(MaxDepth)))
		require.ErrorIs(t, Check(nested(MaxDepth+1)), ErrDepth)
	}
	c := TrustedCursor(nil)
	require.Nil(t, c.Value())
	require.ErrorIs(t, c.Err(), ErrSyntax)
}

// Values beside each other are not nested, however many there are.
func TestManyValuesBesideEachOther(t *testing.T) {
	text := "[" + strings.Repeat("[],{},", 20_000) + "[]]"
	c := TrustedCursor([]byte(text))
	require.True(t, c.Array())
	n := 0
	for c.Element() {
		n++
		if c.Kind() == '[' {
			require.True(t, c.Array(), "%d", n)
			require.False(t, c.Element())
		} else {
			require.True(t, c.Object(), "%d", n)
			_, more := c.Member()
			require.False(t, more)
		}
	}
	require.NoError(t, c.Err())
	require.Equal(t, 40_001, n)
}
