package jsonscan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Knowing the longest string changes nothing but the time.
func TestTheLongestStringIsPassedOver(t *testing.T) {
	long := `"` + strings.Repeat(`a \" quoted \\ word and more of it, `, 60) + `"`
	longer := `"` + strings.Repeat(`[{,:}] `, 400) + `"`
	for _, text := range []string{
		long,
		`{"content":[{"type":"text","text":` + long + `}],"isError":false}`,
		`{"content":[{"text":` + long + `},{"text":` + longer + `,"type":"text"}],"resultType":"complete"}`,
		`[` + longer + `,` + long + `]`,
		`{"a":{"b":[[` + longer + `]]},` + long + `:1}`,
		`{"short":"text"}`,
	} {
		data := []byte(text)
		checked := NewCursor(data)
		checked.Value()
		require.NoError(t, checked.End())
		longest := checked.Longest()
		if strings.Contains(text, longer) {
			assert.Equal(t, longer, text[longest.From:longest.To])
		}
		var want, got strings.Builder
		plain, knowing := TrustedCursor(data), TrustedCursorAround(data, longest)
		flatten(&plain, &want)
		flatten(&knowing, &got)
		assert.Equal(t, want.String(), got.String())
		assert.Equal(t, plain.End(), knowing.End())
		for _, key := range []string{"resultType", "isError", "content", "a", "none"} {
			value, found := Find(data, key)
			known, foundToo := FindAround(data, key, longest)
			assert.Equal(t, found, foundToo)
			assert.Equal(t, value, known)
		}
	}
}

// A span that is not the text's own may lead to nonsense, but not out of it.
func TestAWrongSpanStaysWithinTheText(t *testing.T) {
	data := []byte(`{"a":"one","b":["two",{"c":"three"}],"d":4}`)
	for from := -2; from < len(data)+2; from++ {
		for to := -2; to < len(data)+3; to++ {
			cursor := TrustedCursorAround(data, Span{from, to})
			var out strings.Builder
			flatten(&cursor, &out)
			_ = cursor.End()
			_, _ = FindAround(data, "d", Span{from, to})
		}
	}
}

func TestSpansWithin(t *testing.T) {
	span := Span{10, 20}
	assert.Equal(t, Span{5, 15}, span.Within(5, 25))
	assert.Equal(t, Span{0, 10}, span.Within(10, 20))
	assert.Zero(t, span.Within(11, 30))
	assert.Zero(t, span.Within(0, 19))
	assert.Zero(t, Span{}.Within(0, 19))
}
