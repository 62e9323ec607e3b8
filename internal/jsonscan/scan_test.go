package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// texts is a spread of valid and broken JSON; fuzz tests start from it.
func texts() []string {
	return []string{
		``, ` `, `{}`, `[]`, ` { } `, ` [ ] `, `""`, `null`, `true`, `false`, `0`, `-0`, `1`, `-1.5e+10`,
		`nul`, `nulll`, `True`, `01`, `-`, `-x`, `+1`, `1.`, `.5`, `1e`, `1e+`, `1E-3`, `0x1`, `1 2`, `NaN`,
		`{"a":1}`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{'a':1}`, `{"a" : [1 , 2 ] , "b":{ } }`, `{,}`, `{"a":1 "b":2}`,
		`[1,]`, `[,1]`, `[1 2]`, `[1`, `{"a":1`, `{"a`, `]`, `}`, `[}`, `{]`, `[[[]]]`, `[[[]]`, `{"a":[{"b":[]}]}`, `{"a":1]`, `[1}`,
		`"\n\t\"\\\/\b\f\r"`, `"\u00e9\ud83d\ude00"`, `"\ud800"`, `"\u12g4"`, `"\u12`, `"\x"`, `"\`, `"abc`, `"tab	inside"`,
		"\"new\nline\"", "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\"caf\xc3\xa9 and \xe2\x82\xac\"", "\"cut \xe2\x82\"", "\ufeff{}",
		`"1234567"`, `"12345678"`, `"123456789"`, `"1234567\n"`, `"12345678\n9"`, `{"key of some length":"value of some length, with an escape \" in it"}`,
		"\"1234567\x01\"", "\"12345678\x01\"", "\"aaaaaaaaaaaaaaa\xffaaaaaaaaaaaaaaaaa\"", "{}\x00", "{} x", "[1]\n\n",
	}
}

func TestCheckAgreesWithTheStandardLibrary(t *testing.T) {
	for _, text := range texts() {
		compare(t, []byte(text))
	}
}

// compare holds Check to json.Valid; the one difference is UTF-8.
func compare(t *testing.T, data []byte) {
	t.Helper()
	err := Check(data)
	var position *Error
	if err != nil {
		require.ErrorAs(t, err, &position)
		assert.LessOrEqual(t, position.Offset, len(data), "%q", data)
	}
	switch {
	case errors.Is(err, ErrUTF8):
		assert.False(t, utf8.Valid(data), "%q", data)
		assert.False(t, utf8.Valid(data[position.Offset:]), "%q: offset is at the malformed byte", data)
	case errors.Is(err, ErrDepth):
		assert.Greater(t, strings.Count(string(data), "[")+strings.Count(string(data), "{"), MaxDepth)
	default:
		assert.Equal(t, json.Valid(data), err == nil, "%q: %v", data, err)
		if err == nil {
			assert.True(t, utf8.Valid(data), "%q", data)
		}
	}
}

func TestEveryTruncationIsAnError(t *testing.T) {
	text := []byte(`{"a":[1,-2.5e3,true,false,null,"\u00e9\n"],"é":{"c":"12345678901234567890"}}`)
	require.True(t, Valid(text))
	for end := range text {
		assert.ErrorIs(t, Check(text[:end]), ErrSyntax, "%s", text[:end])
	}
}

func TestDepthIsLimited(t *testing.T) {
	nest := func(depth int) []byte {
		return []byte(strings.Repeat(`[{"a":`, depth/2) + "1" + strings.Repeat(`}]`, depth/2))
	}
	require.NoError(t, Check(nest(MaxDepth)))
	require.ErrorIs(t, Check(nest(MaxDepth+2)), ErrDepth)
	require.ErrorIs(t, Check([]byte(strings.Repeat("[", 1<<20))), ErrDepth)

	// A cursor's own levels count as well.
	cursor := NewCursor(nest(MaxDepth + 2))
	require.True(t, cursor.Array())
	require.True(t, cursor.Element())
	cursor.Value()
	require.ErrorIs(t, cursor.Err(), ErrDepth)
}

func TestNestingKeepsObjectsAndArraysApart(t *testing.T) {
	// Each level is of another kind than its neighbour, over all words of the
	// bit set; one wrong bracket anywhere must be noticed.
	text := strings.Repeat(`[{"a":`, MaxDepth/2) + "1" + strings.Repeat(`}]`, MaxDepth/2)
	for at := strings.IndexByte(text, '}'); at < len(text); at++ {
		wrong := []byte(text)
		wrong[at] ^= '}' ^ ']'
		require.ErrorIs(t, Check(wrong), ErrSyntax, "offset %d", at)
	}
}

func TestValueStopsBehindTheValue(t *testing.T) {
	data := []byte(`xx{"a":"}"},1`)
	end, err := Value(data, 2)
	require.NoError(t, err)
	assert.Equal(t, `{"a":"}"}`, string(data[2:end]))
	_, err = Value(data, len(data))
	require.ErrorIs(t, err, ErrSyntax)
}

func TestErrorsSayWhatAndWhere(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,}`:     "not valid JSON: expected a quoted member name at byte 7",
		`{"a" 1}`:      "not valid JSON: expected a colon at byte 5",
		`[1 2]`:        "not valid JSON: expected a comma or the closing bracket at byte 3",
		`[tru]`:        "not valid JSON: expected true, false or null at byte 1",
		`hello`:        "not valid JSON: expected a value at byte 0",
		`{} {}`:        "not valid JSON: more text after the value at byte 3",
		"\"a\nb\"":     "not valid JSON: control character in a string at byte 2",
		`"\q"`:         "not valid JSON: unknown escape in a string at byte 1",
		`-a`:           "not valid JSON: malformed number at byte 1",
		`[`:            "not valid JSON: unexpected end at byte 1",
		"\"ab\xff\"":   "JSON string is not valid UTF-8: malformed character at byte 3",
		`{"a":"b","c"`: "not valid JSON: unexpected end at byte 12",
	} {
		assert.EqualError(t, Check([]byte(text)), want, "%q", text)
	}
}

func TestScanningAllocatesNothing(t *testing.T) {
	data := []byte(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"line\nline é"}]}}`)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if Check(data) != nil || Skip(data, 0) != len(data) {
			t.Fatal("scan failed")
		}
		if _, found := Find(data, "result"); !found {
			t.Fatal("not found")
		}
		if _, twice := Duplicate(data); twice {
			t.Fatal("duplicate")
		}
	}))
}

func FuzzCheck(f *testing.F) {
	for _, text := range texts() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		compare(t, data)
		// The trusting half must end and stay in bounds on anything; on valid
		// text it must agree with the validating half.
		start := SkipSpace(data, 0)
		end := Skip(data, start)
		require.LessOrEqual(t, end, len(data))
		Find(data, "a")
		Duplicate(data)
		if Check(data) == nil {
			want, err := Value(data, start)
			require.NoError(t, err)
			require.Equal(t, want, end)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	small := `{"jsonrpc":"2.0","id":123,"result":{"content":[{"type":"text","text":"hello world, this is an echo"}],"isError":false}}`
	prose := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`twenty-four plain bytes,\n`, 40_000) + `"}]}}`
	tools := `[` + strings.Repeat(`{"name":"a_tool","description":"Does this and that.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer","minimum":0}},"required":["path"]}},`, 2_000) + `{}]`
	for _, c := range []struct{ name, text string }{{"small", small}, {"prose", prose}, {"tools", tools}} {
		data := []byte(c.text)
		b.Run(c.name+"/standard", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				json.Valid(data)
			}
		})
		b.Run(c.name+"/Check", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := Check(data); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/Skip", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				Skip(data, 0)
			}
		})
	}
}
