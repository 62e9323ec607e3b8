package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

func TestText(t *testing.T) {
	tests := map[string]struct {
		secrets    []string
		text, want string
	}{
		"nothing known":         {nil, "any text", "any text"},
		"as it is":              {[]string{"s3cr3t-1"}, "a s3cr3t-1, b s3cr3t-1", "a ***, b ***"},
		"too short":             {[]string{"true", "12345"}, "true 12345", "true 12345"},
		"one begins another":    {[]string{"secret", "secret-and-more"}, "a secret-and-more b secret", "a *** b ***"},
		"the other way":         {[]string{"secret-and-more", "secret"}, "a secret-and-more b secret", "a *** b ***"},
		"one within another":    {[]string{"middle", "a-middle-z"}, "x a-middle-z x", "x *** x"},
		"two overlap":           {[]string{"abcdefgh", "efghijkl"}, "xabcdefghijklx", "x***x"},
		"it overlaps itself":    {[]string{"abaabaab"}, "-abaabaabaab-", "-***-"},
		"white space around it": {[]string{" s3cr3t-1\n"}, "as3cr3t-1b", "a***b"},
		"with a scheme":         {[]string{"Bearer s3cr3t-1"}, "token s3cr3t-1", "token ***"},
		"basic":                 {[]string{"Basic " + base64.StdEncoding.EncodeToString([]byte("user:s3cr3t-1"))}, "no s3cr3t-1 here", "no *** here"},
		"in a URL":              {[]string{"postgres://user:s3cr3t-1@host/db"}, "password s3cr3t-1 refused", "password *** refused"},
		"each line":             {[]string{"-----BEGIN\nMIIabcdef\n-----END"}, "bad key MIIabcdef", "bad key ***"},
		"solidus escaped":       {[]string{"abc/def+x"}, `{"a":"abc\/def+x"}`, `{"a":"***"}`},
		"code points":           {[]string{"abc<def"}, `abc\u003cdef \u0061bc\u003Cde\x66`, `*** ***`},
		"a surrogate pair":      {[]string{"abc😀def"}, `x abc\ud83d\ude00def y`, `x *** y`},
		"JSON within JSON":      {[]string{`abc"/def`}, `{"a":"{\"b\":\"abc\\\"\\/def\"}"}`, `{"a":"{\"b\":\"***\"}"}`},
		"percent":               {[]string{"abc/def+x"}, "q=abc%2Fdef%2bx&r=1", "q=***&r=1"},
		"percent twice":         {[]string{"abc/def+x"}, "q=abc%252Fdef%252bx&r=1", "q=***&r=1"},
		"a blank as plus":       {[]string{"two words here"}, "q=two+words+here", "q=***"},
		"a literal escape":      {[]string{`abc\u0041%41def`}, `x abc\u0041%41def x`, `x *** x`},
		"a part of an escape":   {[]string{"0041abc"}, `x\u0041abc`, `x\u***`}, // not JSON: nothing to keep valid
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			filter := New(test.secrets...)
			assert.Equal(t, test.want, filter.Text(test.text))
			assert.Equal(t, test.want, string(filter.Bytes([]byte(test.text))))
		})
	}
}

func TestBase64WhereverItBegins(t *testing.T) {
	for _, secret := range []string{"s3cr3t-v", "s3cr3t-va", "s3cr3t-val", "\xff\xfe\xfd\xfc\xfb\xfa"} {
		filter := New(secret)
		for before := range 5 {
			for after := range 4 {
				text := strings.Repeat("u", before) + secret + strings.Repeat("z", after)
				for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
					shown := filter.Text("x=" + encoding.EncodeToString([]byte(text)))
					assert.Contains(t, shown, Mask, "%d before, %d after", before, after)
				}
			}
		}
	}
}

func TestJSON(t *testing.T) {
	filter := New("s3cr3t/1", "nabcdefg")
	tests := map[string]struct{ raw, want string }{
		"message":         {`{"code":1,"message":"bad s3cr3t/1"}`, `{"code":1,"message":"bad ***"}`},
		"nested":          {`{"data":[{"a":["s3cr3t\/1",1]}]}`, `{"data":[{"a":["***",1]}]}`},
		"a name":          {`{"s3cr3t\u002f1":1}`, `{"***":1}`},
		"nothing":         {`{"a":"s3cr3t","b":"/1"}`, `{"a":"s3cr3t","b":"/1"}`},
		"a quote inside":  {`{"a":"\"s3cr3t/1\""}`, `{"a":"\"***\""}`},
		"all escaped":     {`"\u0073\u0033\u0063\u0072\u0033\u0074\u002F\u0031"`, `"***"`},
		"JSON in JSON":    {`"{\"a\":\"s3cr3t\\/1\"}"`, `"{\"a\":\"***\"}"`},
		"no torn escape":  {`"\nabcdefg nabcdefg"`, `"\nabcdefg ***"`},
		"white space":     {" { \"a\" :\t\"s3cr3t/1\" } ", " { \"a\" :\t\"***\" } "},
		"cut off":         {`{"a":"s3cr3t/1`, `{"a":"***`},
		"not JSON at all": {`s3cr3t/1 "`, `s3cr3t/1 "`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, string(filter.JSON(json.RawMessage(test.raw))))
		})
	}
}

func TestNothingToHideCostsNoCopy(t *testing.T) {
	raw := json.RawMessage(`{"a":"nothing\/here"}`)
	filter := New("s3cr3t/1")
	require.Same(t, &raw[0], &filter.JSON(raw)[0])
	require.Same(t, &raw[0], &filter.Bytes(raw)[0])
	require.Same(t, &raw[0], &(*Filter)(nil).JSON(raw)[0])
	require.True(t, New("short").IsEmpty())
	require.Zero(t, (*Filter)(nil).Reach())
	require.GreaterOrEqual(t, filter.Reach(), len(`\u0000`)*len("s3cr3t/1"))
}

func TestLongTextIsCutAtACharacter(t *testing.T) {
	filter := New("s3cr3t/1")
	for _, unit := range []string{"x", "é", "😀", `\n`, `\u00e9`, `\ud83d\ude00`} {
		for _, shift := range []int{0, 3, 7} {
			raw := json.RawMessage(`{"a":"` + strings.Repeat("y", shift) + strings.Repeat(unit, maxText/len(unit)+20) + `s3cr3t/1","b":1}`)
			hidden := filter.JSON(raw)
			require.Less(t, len(hidden), len(raw))
			require.True(t, jsonscan.Valid(hidden), "unit %s, shift %d", unit, shift)
			require.True(t, strings.HasSuffix(string(hidden), `...","b":1}`))
		}
	}
	text := filter.Text(strings.Repeat("é", maxText) + "s3cr3t/1")
	require.True(t, utf8.ValidString(text))
	require.LessOrEqual(t, len(text), maxText+len(cutMark))
}

// However a secret is written in JSON, nothing of it is left and the rest stays.
func FuzzJSON(f *testing.F) {
	f.Add("s3cr3t/1", "before", "after", byte(0))
	f.Add("ab\"c\\d<e", `\`, "\u2028", byte(3))
	f.Add("nnnnnn", "\n", "%41", byte(1))
	f.Fuzz(func(t *testing.T, secret, before, after string, how byte) {
		if !utf8.ValidString(before+" "+secret+" "+after) || len(strings.TrimSpace(secret)) < MinimumLength || strings.ContainsAny(secret, "\n*") {
			return
		}
		secret = strings.TrimSpace(secret)
		quoted := map[byte]func(string) string{
			0: func(s string) string { raw, _ := json.Marshal(s); return string(raw) },
			1: func(s string) string { return string(jsonscan.AppendString(nil, s)) },
			2: codePoints,
			3: func(s string) string { return strings.ReplaceAll(string(jsonscan.AppendString(nil, s)), "/", `\/`) },
		}[how%4]
		raw := json.RawMessage(`{"a":` + quoted(before+secret+after) + `,"b":[1,true,null]}`)
		hidden := New(secret).JSON(raw)
		require.True(t, jsonscan.Valid(hidden), "%s", hidden)
		var shown struct {
			A string
			B []any
		}
		require.NoError(t, json.Unmarshal(hidden, &shown))
		require.Contains(t, shown.A, Mask)
		require.NotContains(t, shown.A, secret)
		require.Len(t, shown.B, 3)
	})
}

func codePoints(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r > 0xffff {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\u%04X`, r)
	}
	return `"` + b.String() + `"`
}

// FuzzText looks for what may go wrong on any bytes at all.
func FuzzText(f *testing.F) {
	f.Add("s3cr3t/1", []byte(`x s3cr3t\/1 %41 \ud83d\u0041 \x4`))
	f.Add("%%%%%%", []byte(`%25%25%2525%%%%%%\`))
	f.Fuzz(func(t *testing.T, secret string, text []byte) {
		filter := New(secret)
		shown := filter.Bytes(text)
		if part := strings.TrimSpace(secret); len(part) >= MinimumLength && !strings.Contains(part, "*") {
			require.NotContains(t, string(shown), part)
			require.NotContains(t, filter.Text("a"+url.PathEscape(part)+"b"), url.PathEscape(part))
		}
		if jsonscan.Valid(text) {
			require.True(t, jsonscan.Valid(filter.JSON(text)))
		}
		filter.JSON(text)
	})
}
