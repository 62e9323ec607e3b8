package jsonscan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// flatten walks everything with a cursor's own iteration and writes it down.
func flatten(c *Cursor, b *strings.Builder) {
	switch {
	case c.Object():
		b.WriteByte('{')
		for name, ok := c.Member(); ok; name, ok = c.Member() {
			fmt.Fprintf(b, "%q:", name)
			flatten(c, b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case c.Array():
		b.WriteByte('[')
		for c.Element() {
			flatten(c, b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	default:
		b.Write(c.Value())
	}
}

func TestCursorWalksNestedValues(t *testing.T) {
	text := ` { "a" : [ 1 , { } , [ ] , { "b" : null } ] , "\u0063" : "x\"y" , "d" : -1.5e3 } `
	for _, cursor := range []Cursor{NewCursor([]byte(text)), TrustedCursor([]byte(text))} {
		var b strings.Builder
		flatten(&cursor, &b)
		require.NoError(t, cursor.End())
		assert.Equal(t, `{"a":[1,{},[],{"b":null,},],"c":"x\"y","d":-1.5e3,}`, b.String())
	}
}

func TestCursorFindsTheFaultsThatCheckFinds(t *testing.T) {
	for _, text := range texts() {
		data := []byte(text)
		cursor := NewCursor(data)
		flatten(&cursor, &strings.Builder{})
		err := cursor.End()
		assert.Equal(t, Check(data) == nil, err == nil, "%q: %v", text, err)
		assert.Equal(t, errors.Is(Check(data), ErrUTF8), errors.Is(err, ErrUTF8), "%q", text)
	}
}

func TestCursorStaysStoppedAfterAnError(t *testing.T) {
	cursor := NewCursor([]byte(`{"a":tru,"b":1}`))
	require.True(t, cursor.Object())
	_, ok := cursor.Member()
	require.True(t, ok)
	assert.Nil(t, cursor.Value())
	assert.Nil(t, cursor.Value())
	assert.Zero(t, cursor.Kind())
	assert.False(t, cursor.Object())
	assert.False(t, cursor.Element())
	_, ok = cursor.Member()
	assert.False(t, ok)
	_, ok = cursor.Text()
	assert.False(t, ok)
	require.ErrorIs(t, cursor.End(), ErrSyntax)
}

func TestCursorText(t *testing.T) {
	cursor := NewCursor([]byte(`["plain","\u00e9\n",7,{"a":1},null]`))
	require.True(t, cursor.Array())
	var got []string
	var kinds []bool
	for cursor.Element() {
		text, ok := cursor.Text()
		got, kinds = append(got, text), append(kinds, ok)
	}
	require.NoError(t, cursor.End())
	assert.Equal(t, []string{"plain", "é\n", "", "", ""}, got)
	assert.Equal(t, []bool{true, true, false, false, false}, kinds)
}

func TestCursorSliceCannotBeAppendedInto(t *testing.T) {
	data := []byte(`[1,2]`)
	cursor := NewCursor(data)
	cursor.Array()
	cursor.Element()
	_ = append(cursor.Value(), "xx"...)
	assert.Equal(t, `[1,2]`, string(data))
}

func TestMembers(t *testing.T) {
	var got []string
	err := Members([]byte(` {"a":1,"\u0062":[2]} `), func(name, value []byte) error {
		got = append(got, string(name)+"="+string(value))
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"a=1", "b=[2]"}, got)

	stop := errors.New("stop")
	assert.Equal(t, stop, Members([]byte(`{"a":1,"b":2}`), func(_, _ []byte) error { return stop }))

	nothing := func(_, _ []byte) error { return nil }
	for _, text := range []string{`[]`, `1`, ``, `{"a":1`, `{"a":1}x`, `{"a":x}`} {
		assert.ErrorIs(t, Members([]byte(text), nothing), ErrSyntax, "%q", text)
	}
}

func TestFind(t *testing.T) {
	object := []byte(`{"a":{"b":"no"},"text":"\"b\":1","b\u0062":[1,2],"b":"yes","b":"second"}`)
	for key, want := range map[string]string{"b": `"yes"`, "bb": `[1,2]`, "a": `{"b":"no"}`} {
		value, found := Find(object, key)
		require.True(t, found, key)
		assert.Equal(t, want, string(value))
	}
	for _, c := range []struct{ object, key string }{{`{"a":1}`, "A"}, {`{}`, "a"}, {`["a"]`, "a"}, {`"a"`, "a"}, {``, "a"}, {`{"a":`, "a"}} {
		_, found := Find([]byte(c.object), c.key)
		assert.False(t, found, "%q in %q", c.key, c.object)
	}
}

func TestDuplicate(t *testing.T) {
	var many strings.Builder
	many.WriteString(`{`)
	for i := range 60 {
		fmt.Fprintf(&many, `"key%d":%d,`, i, i)
	}
	for text, want := range map[string]string{
		`{"a":1,"b":2}`:              "",
		`{"a":1,"b":2,"a":3}`:        "a",
		`{"a":1,"\u0061":2}`:         "a",
		`{"a":{"b":1},"c":{"b":1}}`:  "",
		`{"A":1,"a":1}`:              "",
		`[1,1]`:                      "",
		many.String() + `"x":1}`:     "",
		many.String() + `"key3":1}`:  "key3",
		many.String() + `"key59":1}`: "key59",
		many.String() + `"key24":1}`: "key24",
	} {
		name, found := Duplicate([]byte(text))
		assert.Equal(t, want, name, "%.40s", text)
		assert.Equal(t, want != "", found, "%.40s", text)
	}
}

func TestCursorTellsWhereItIs(t *testing.T) {
	cursor := NewCursor([]byte(` [ {"a":1} , 2 ] `))
	require.True(t, cursor.Array())
	require.True(t, cursor.Element())
	start := cursor.Pos()
	require.True(t, cursor.Object())
	for _, ok := cursor.Member(); ok; _, ok = cursor.Member() {
		cursor.Value()
	}
	assert.Equal(t, `{"a":1}`, string(cursor.Slice(start)))
	assert.Equal(t, len(` , 2 ] `), cursor.Remaining())
	require.True(t, cursor.Element())
	assert.Equal(t, byte('0'), cursor.Kind())
	assert.False(t, cursor.Object(), "a value of another kind stays")
	assert.Equal(t, "2", string(cursor.Value()))
	require.False(t, cursor.Element())
	require.NoError(t, cursor.End())

	deep := NewCursor([]byte(strings.Repeat("[", MaxDepth+1)))
	for range MaxDepth {
		require.True(t, deep.Array())
		require.True(t, deep.Element())
	}
	require.False(t, deep.Array())
	require.ErrorIs(t, deep.Err(), ErrDepth)
}

func TestHasRawNewline(t *testing.T) {
	assert.False(t, HasRawNewline([]byte(`{"a":"\n"}`)))
	assert.True(t, HasRawNewline([]byte("{\n}")))
	assert.True(t, HasRawNewline([]byte("{\r}")))
}

func TestStringAgreesWithTheStandardLibrary(t *testing.T) {
	for _, text := range append(texts(), `"\ud83d\ude00 \ud83dx \ude00\ud83d \ud83d\u0041 \ud83d\ud83d\ude00"`, `"\u0000\u001f"`) {
		compareString(t, []byte(text))
	}
	for _, text := range []string{``, `"`, `"a`, `a"`, `1`, `"\"`, `"\u12"`, `"\u12g4"`, `"\x"`} {
		_, ok := String([]byte(text))
		assert.False(t, ok, text)
	}
}

func compareString(t *testing.T, data []byte) {
	t.Helper()
	if Check(data) != nil || len(data) == 0 || data[0] != '"' || data[len(data)-1] != '"' {
		return
	}
	var want string
	require.NoError(t, json.Unmarshal(data, &want))
	got, ok := String(data)
	assert.True(t, ok, "%q", data)
	assert.Equal(t, want, got, "%q", data)
}

func FuzzString(f *testing.F) {
	f.Add("plain", []byte(`"\ud83d\ude00\n"`))
	f.Add("\x00\x1f\"\\\b\f\n\r\t\u2028\u2029<>&\xff é 😀", []byte(`""`))
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		compareString(t, raw)
		String(raw)
		// What AppendString writes is valid, one line, and decodes to the same
		// text as what encoding/json writes.
		encoded := AppendString(nil, text)
		require.NoError(t, Check(encoded))
		require.False(t, HasRawNewline(encoded))
		require.NotContains(t, string(encoded), "\u2028")
		standard, err := json.Marshal(text)
		require.NoError(t, err)
		var want, got string
		require.NoError(t, json.Unmarshal(standard, &want))
		require.NoError(t, json.Unmarshal(encoded, &got))
		require.Equal(t, want, got)
	})
}

// A shared string is the string, without a copy where there are no escapes.
func TestSharedStrings(t *testing.T) {
	for _, text := range []string{`""`, `"plain"`, `"größe"`, `"a\nb"`, `"\ud83d\ude00"`, `"\ud83d"`, `"`, ``, `1`, `"\x"`, `null`, `{"a":"b"}`} {
		want, wantOK := String([]byte(text))
		got, ok := SharedString([]byte(text))
		require.Equal(t, want, got, text)
		require.Equal(t, wantOK, ok, text)
		cursor, shared := NewCursor([]byte(text)), NewCursor([]byte(text))
		want, wantOK = cursor.Text()
		got, ok = shared.SharedText()
		require.Equal(t, want, got, text)
		require.Equal(t, wantOK, ok, text)
		require.Equal(t, cursor.End(), shared.End(), text)
	}
	raw := []byte(`"the quick brown fox jumps over the lazy dog"`)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = SharedString(raw) }))
}
