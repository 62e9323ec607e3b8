package config

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Maps and lists may be nested as deep as the bound says, in every format, and
// not one level deeper.
func TestDepthIsBoundedExactly(t *testing.T) {
	nested := func(before, after, value string, levels int) string {
		return strings.Repeat(before, levels) + value + strings.Repeat(after, levels)
	}
	for name, text := range map[string]func(levels int) string{
		"maps.json":  func(n int) string { return `{"servers":{"a":{"k":` + nested(`{"k":`, "}", "1", n-3) + `}}}` },
		"lists.json": func(n int) string { return `{"servers":{"a":{"k":` + nested("[", "]", "1", n-3) + `}}}` },
		"maps.yaml":  func(n int) string { return `servers: {a: {k: ` + nested("{k: ", "}", "1", n-3) + `}}` },
		"lists.yaml": func(n int) string { return `servers: {a: {k: ` + nested("[", "]", "1", n-3) + `}}` },
		// A table's header counts for itself.
		"maps.toml":  func(n int) string { return "[servers.a]\nk = " + nested("{k = ", "}", "1", n-1) },
		"lists.toml": func(n int) string { return "[servers.a]\nk = " + nested("[", "]", "1", n-1) },
		"dotted.toml": func(n int) string {
			return "[servers.a]\n" + strings.TrimSuffix(strings.Repeat("k.", n), ".") + " = 1"
		},
		"alias.yaml": func(n int) string {
			return "x-a: &a " + nested("[", "]", "1", n-5) + "\nservers: {a: {k: [*a]}}"
		},
	} {
		_, err := Parse(name, []byte(text(deepest)))
		require.NoError(t, err, name)
		_, err = Parse(name, []byte(text(deepest+1)))
		assert.ErrorContains(t, err, "nested more than 100 levels deep", name)
	}
}

// A struct may be nested as deep as the bound says.
func TestDepthOfStructsIsBounded(t *testing.T) {
	type level struct {
		Next *level `config:"next"`
	}
	_, err := shapeOfValue(level{})
	require.ErrorContains(t, err, "nested more than 16 levels deep")
	type lists struct {
		A [][][][][][][][][][][][][][][]string `config:"a"` // 15
	}
	_, err = shapeOfValue(lists{})
	require.NoError(t, err)
	type more struct {
		A [][][][][][][][][][][][][][][][]string `config:"a"` // 16
	}
	_, err = shapeOfValue(more{})
	require.ErrorContains(t, err, "nested more than 16 levels deep")
	type maps struct {
		A map[string]map[string]map[string]map[string]map[string]map[string]map[string]map[string]map[string]map[string]map[string]map[string]map[string]map[string]map[string]map[string]int `config:"a"`
	}
	_, err = shapeOfValue(maps{})
	require.ErrorContains(t, err, "nested more than 16 levels deep")
	type items struct {
		Next []struct {
			Next []items16 `config:"next"`
		} `config:"next"`
	}
	_, err = shapeOfValue(items{})
	require.ErrorContains(t, err, "nested more than 16 levels deep")
}

type items16 struct {
	Next []items16 `config:"next"`
}

// A file may be as long as the bound says.
func TestSizeOfAFileIsBoundedExactly(t *testing.T) {
	const text = `{"servers": {"a": {"type": "http"}}}`
	full := text + strings.Repeat(" ", largestFile-len(text))
	_, err := Parse("a.json", []byte(full))
	require.NoError(t, err)
	_, err = Parse("a.json", []byte(full+" "))
	require.ErrorContains(t, err, "larger than 16 MiB")
}

// A fault shows the first 80 bytes, up to the border of a rune, and nothing that
// would not print.
func TestShownText(t *testing.T) {
	exact := strings.Repeat("x", longestShown)
	assert.Equal(t, exact, shortened(exact))
	assert.Equal(t, exact+"...", shortened(exact+"y"))
	assert.Equal(t, strings.Repeat("x", 78)+"...", shortened(strings.Repeat("x", 78)+"€€"))
	assert.Equal(t, strings.Repeat("x", 77)+"€...", shortened(strings.Repeat("x", 77)+"€€"))
	assert.Equal(t, "...", shortened(strings.Repeat("\x80", 100)), "no rune begins at all")

	assert.Equal(t, "token...", shownKey("token:abc"))
	assert.Equal(t, "token...", shownKey("token=abc"))
	assert.Equal(t, ":abc", shownKey(":abc"))
	assert.Equal(t, `"a\tb"`, shownKey("a\tb"))
}

// A message of a parser is shown up to where it quotes the file; signs of the grammar
// are no secrets.
func TestMessagesOfParsers(t *testing.T) {
	for message, want := range map[string]string{
		"nothing is quoted":               "nothing is quoted",
		"expected ':' after the key":      "expected ':' after the key",
		`expected "}" or '],' here`:       `expected "}" or '],' here`,
		"expected `{` there":              "expected `{` there",
		"cannot read: 'secret' as number": "cannot read",
		`cannot read "secret"`:            "cannot read",
		"cannot read `secret`":            "cannot read",
		"an open 'end":                    "an open",
		"an open '":                       "an open",
		"an empty '' one":                 "an empty",
		"a letter 'a' is one":             "a letter",
		"a digit '1' is one":              "a digit",
		"signs '---' are three":           "signs",
		"first ':' then 'secret'":         "first ':' then",
		"':' '}' 'x'":                     "':' '}'",
		"don't":                           "don",
	} {
		assert.Equal(t, want, unquoted(message), message)
	}
}

// The signs at both ends of what is allowed, and their neighbours.
func TestLettersAndDigits(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "z": true, "A": true, "Z": true, "_": true, "a0": true, "a9": true, "0a": false, "9": false,
		"`": false, "{": false, "@": false, "[": false, "a/": false, "a:": false, "": false, "a-b": false,
		strings.Repeat("a", 200): true, strings.Repeat("a", 201): false,
	} {
		assert.Equal(t, want, isVariableName(name), name)
	}
	assert.Equal(t, "AZAZ09_____", asVariable("azAZ09`{@[-"))
	for text, want := range map[string]bool{"00": true, "09": true, "0/": false, "0:": false, "0": false, "-01": true, "10": false, "0.5": false} {
		assert.Equal(t, want, hasLeadingZero(text), text)
	}
	for text, want := range map[string]bool{"1": true, "-1": true, "+1": true, "--1": false, "-": false, "+": false, "": false, "1-": false} {
		assert.Equal(t, want, isInteger(text), text)
	}
}

// User and password of a URL are not shown, wherever its host ends.
func TestUserinfo(t *testing.T) {
	for text, want := range map[string]string{
		"https://a:b@host/path": "https://***@host/path", "https://@host": "https://***@host", "https://host/@x": "https://host/@x",
		"https:///a@b": "https:///a@b", "https://?a@b": "https://?a@b", "a@b": "a@b",
	} {
		assert.Equal(t, want, withoutUserinfo(text), text)
	}
}

// An origin is as long as is known.
func TestOriginAsText(t *testing.T) {
	assert.Equal(t, "a", Origin{File: "a"}.String())
	assert.Equal(t, "a", Origin{File: "a", Line: -1, Column: 2}.String())
	assert.Equal(t, "a:1", Origin{File: "a", Line: 1}.String())
	assert.Equal(t, "a:1:2", Origin{File: "a", Line: 1, Column: 2}.String())
	p := &place{items: []*place{{written: "x"}}}
	assert.Equal(t, "x", p.item(0).written)
	assert.Nil(t, p.item(1))
}

// What is as long as the bound may still be a mistake for another word.
func TestNearestIsBoundedExactly(t *testing.T) {
	word := strings.Repeat("x", longestShown)
	assert.Equal(t, word, nearest(word, []string{word + "y", word}))
	assert.Empty(t, nearest(word+"y", []string{word}))
	assert.Empty(t, nearest(word, []string{word + "y"}))
	assert.Equal(t, "first", nearest("fist", []string{"first", "fast"}), "of two that are as close, the first")
}

// Seconds at the ends of what a time.Duration holds.
func TestSecondsAtTheEnds(t *testing.T) {
	assert.Equal(t, time.Duration(math.MaxInt64), Seconds(math.MaxInt64/1e9).Or(0))
	assert.Equal(t, time.Duration(math.MinInt64), Seconds(math.MinInt64/1e9).Or(0))
	d, wrong := parseDuration("0.000000001")
	require.Nil(t, wrong)
	assert.Equal(t, time.Nanosecond, d.Or(0))
	_, wrong = parseDuration("0.0000000009")
	require.NotNil(t, wrong)
}

// Comments at the very end, and in the very first place.
func TestCommentsAtTheEnds(t *testing.T) {
	for text, want := range map[string]string{
		"1//": "1  ", "1/": "1/", "1/**/": "1    ", "1/*": "1/*", "/**/1": "    1", "//\n1": "  \n1", ",}": ",}", "[1,]": "[1 ]", "[1,/**/]": "[1     ]", "[1 ]": "[1 ]",
	} {
		assert.Equal(t, want, string(withoutComments([]byte(text))), text)
	}
}

// Text that YAML would change is quoted; other text is not.
func TestTextInYAML(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "a b": false, "a\nb": false, " a": true, "a ": true, "\na": true, "a\n": false, "a\tb": true, "a\x7fb": true, "a~b": false, "a\x1fb": true,
	} {
		assert.Equal(t, want, yamlText(text).Style != 0, fmt.Sprintf("%q", text))
	}
	cfg := parse(t, "a.yaml", "servers: {a: {big: .inf, small: -.inf}}")
	converted, err := Convert(cfg, YAML)
	require.NoError(t, err)
	assert.Contains(t, string(converted), "small: -.inf")
	assert.Contains(t, string(converted), "big: .inf")
}
