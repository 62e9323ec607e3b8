package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

func largeResult() []byte {
	const lines = `{"path": "src/main.go", "line": 42, "kind": "match"}` + "\n" +
		"The quick brown fox jumps over the lazy dog while the band plays on and on.\n" +
		"Pack my box with five dozen liquor jugs, then send it to the usual address.\n"
	text, _ := json.Marshal(strings.Repeat(lines, 1<<20/len(lines)))
	return []byte(`{"content":[{"type":"text","text":` + string(text) + `}],"isError":false}`)
}

// scanned is the result as a link hands it on.
func scanned(raw []byte) Result {
	cursor := jsonscan.NewCursor(raw)
	cursor.Value()
	return ResultOf(&Message{Result: raw, LongValue: cursor.Longest()})
}

func BenchmarkLargeCheck(b *testing.B) {
	raw := largeResult()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		_ = jsonscan.Check(raw)
	}
}

func BenchmarkLargeType(b *testing.B) {
	raw := largeResult()
	b.SetBytes(int64(len(raw)))
	result := scanned(raw)
	for b.Loop() {
		_ = result.Type()
	}
}

func BenchmarkLargeParse(b *testing.B) {
	raw := largeResult()
	b.SetBytes(int64(len(raw)))
	result := scanned(raw)
	for b.Loop() {
		_, _ = ParseCallToolResult(result)
	}
}

func BenchmarkLargeText(b *testing.B) {
	raw := largeResult()
	b.SetBytes(int64(len(raw)))
	r, _ := ParseCallToolResult(scanned(raw))
	for b.Loop() {
		_ = r.Text()
	}
}

// What a link noticed about a long value changes nothing but the time.
func TestLargeResults(t *testing.T) {
	long := strings.Repeat(`line \"quoted\"\n`, 200)
	for _, raw := range []string{
		string(largeResult()),
		`{"content":[{"type":"text","text":"` + long + `"},{"text":"` + long + `x","type":"text"},{"type":"image","data":"` + long + `y"}]}`,
		`{"structuredContent":{"a":"` + long + `"},"content":[{"type":"text","text":"short"}],"isError":true,"_meta":{"k":"v"},"resultType":"task"}`,
	} {
		known, plain := scanned([]byte(raw)), NewResult([]byte(raw))
		require.NotZero(t, known.long)
		require.Equal(t, plain.Type(), known.Type())
		require.Equal(t, plain.Meta(), known.Meta())
		want, err := ParseCallToolResult(plain)
		require.NoError(t, err)
		got, err := ParseCallToolResult(known)
		require.NoError(t, err)
		require.Equal(t, want.Text(), got.Text())
		require.Equal(t, want.IsError, got.IsError)
		require.Equal(t, slices.Collect(want.Content()), slices.Collect(got.Content()))
		wantStructured, _ := want.Structured()
		gotStructured, _ := got.Structured()
		require.Equal(t, wantStructured, gotStructured)
	}
}

// result, err := ...; return result.Text(), err is an easy mistake.
func TestANilResultIsEmpty(t *testing.T) {
	var result *CallToolResult
	require.Empty(t, result.Text())
	require.Empty(t, slices.Collect(result.Content()))
	_, found := result.Structured()
	require.False(t, found)
	require.Nil(t, result.Meta())
	require.Nil(t, result.Raw())
}
