package config

import (
	"fmt"
	"math"
	"reflect"
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
		// A map that is merged counts two, as an alias within the merge key.
		"merge.yaml": func(n int) string {
			return "x-a: &a {k: 1}\nservers: {a: {k: " + nested("{k: ", "}", "{<<: *a}", n-6) + "}}"
		},
	} {
		_, err := Parse(name, []byte(text(deepest)))
		require.NoError(t, err, name)
		_, err = Parse(name, []byte(text(deepest+1)))
		assert.ErrorContains(t, err, "nested more than 100 levels deep", name)
	}
}

// So may Go values, whose interfaces are no levels and whose pointers are.
func TestDepthOfGoValuesIsBoundedExactly(t *testing.T) {
	maps := func(levels int) map[string]any {
		tree := map[string]any{"k": 1}
		for range levels - 1 {
			tree = map[string]any{"k": tree}
		}
		return tree
	}
	_, err := FromMap(maps(deepest))
	require.NoError(t, err)
	_, err = FromMap(maps(deepest + 1))
	require.ErrorContains(t, err, "nested more than 100 levels deep, or contains itself")

	pointers := func(levels int) any {
		var value any = 1
		for range levels {
			inner := value
			value = &inner
		}
		return value
	}
	_, err = encodeGo(pointers(deepest))
	require.NoError(t, err)
	_, err = encodeGo(pointers(deepest + 1))
	require.ErrorContains(t, err, "nested more than 100 levels deep, or contains itself")
	type loop *loop
	var itself loop
	itself = &itself
	_, err = encodeGo(itself)
	require.ErrorContains(t, err, "nested more than 100 levels deep, or contains itself")
}

// A struct may be nested as deep as the bound says, and not one level deeper. A list
// of structs is three levels: the list, its items and their keys.
func TestDepthOfStructsIsBoundedExactly(t *testing.T) {
	nested := func(levels int, level reflect.Type, around func(reflect.Type) reflect.Type) error {
		for range levels {
			level = reflect.StructOf([]reflect.StructField{{Name: "K", Type: around(level), Tag: `config:"k"`}})
		}
		_, err := shapeOf(level)
		return err
	}
	itself := func(inner reflect.Type) reflect.Type { return inner }
	for _, innermost := range []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[struct{}]()} {
		require.NoError(t, nested(deepestShape, innermost, itself))
		require.ErrorContains(t, nested(deepestShape+1, innermost, itself), "nested more than 16 levels deep")
	}
	items := func(inner reflect.Type) reflect.Type {
		if inner.Kind() == reflect.Struct {
			return reflect.SliceOf(inner)
		}
		return inner
	}
	require.NoError(t, nested(deepestShape/3+1, reflect.TypeFor[int](), items))
	require.ErrorContains(t, nested(deepestShape/3+2, reflect.TypeFor[int](), items), "nested more than 16 levels deep")
}

// A struct that contains itself is nested too deep.
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

// A file may have as many values as the bound says, and not one more. In YAML and
// TOML the signs that begin one count, wherever they stand.
func TestNumberOfValuesIsBoundedExactly(t *testing.T) {
	for name, text := range map[string]func(values int) string{
		"a.yaml": func(n int) string { return "servers: {}\n#" + strings.Repeat(",", n-4) },
		"a.toml": func(n int) string { return "servers = {}\n#" + strings.Repeat(",", n-4) },
		"a.json": func(n int) string { return `{"servers": {}, "x-": [1` + strings.Repeat(",1", n-4) + "]}" },
	} {
		_, err := Parse(name, []byte(text(mostValues)))
		require.NoError(t, err, name)
		_, err = Parse(name, []byte(text(mostValues+1)))
		require.ErrorContains(t, err, "more than 200000 values", name)
	}
}

// A file of variables may have as many bytes as the bound says, whoever reads it.
func TestSizeOfAnEnvFileIsBoundedExactly(t *testing.T) {
	variables := func(size int) error {
		from := &source{readFile: func(string) ([]byte, error) { return []byte("A=" + strings.Repeat("x", size-2)), nil }}
		_, err := EnvFile{path: "/vars", source: from}.Variables()
		return err
	}
	require.NoError(t, variables(largestReferencedFile))
	require.EqualError(t, variables(largestReferencedFile+1), "/vars: the file is larger than 1 MiB")
}

// Places are the same in whatever order they are asked for.
func TestPositionsInAnyOrder(t *testing.T) {
	const text = "ab\nçd\n\nef"
	want := map[int]string{0: "1:1", 1: "1:2", 2: "1:3", 3: "2:1", 5: "2:2", 6: "2:3", 7: "3:1", 8: "4:1", 9: "4:2", 10: "4:3"}
	for first := range want {
		for second := range want {
			at := newPositions("a", 0, []byte(text))
			for _, offset := range []int{first, second} {
				assert.Equal(t, "a:"+want[offset], at.at(offset).String(), "%d, then %d", first, second)
			}
		}
	}
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
