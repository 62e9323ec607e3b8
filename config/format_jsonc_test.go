package config

import (
	stdjson "encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommentsInJSON(t *testing.T) {
	for written, want := range map[string]string{
		`{"a": 1}`:                     `{"a": 1}`,
		"{ // x\n\"a\": 1}":            "{     \n\"a\": 1}",
		"{/* \"x\"\n, */\"a\": 1}":     "{      \n    \"a\": 1}",
		`{"a": "// /* ,} \" //"}`:      `{"a": "// /* ,} \" //"}`,
		`{"a": [1, 2, ], }`:            `{"a": [1, 2  ]  }`,
		"{\"a\": 1, // x\n/* y */ }":   "{\"a\": 1      \n        }",
		`{"a\\": 1, "b": "\\", }`:      `{"a\\": 1, "b": "\\"  }`,
		`[1,,]`:                        `[1,,]`,
		`[,]`:                          `[,]`,
		`{,}`:                          `{,}`,
		`{"a": /}`:                     `{"a": /}`,
		`{} //`:                        `{}   `,
		`{} /*`:                        `{} /*`,
		`{} /*/`:                       `{} /*/`,
		`{"a": "not closed, }`:         `{"a": "not closed, }`,
		"{\"a\": 1,\r\n// x\r\n}\r\n":  "{\"a\": 1 \r\n    \r\n}\r\n",
		`{"a": [1, /* b */ /* c */ ]}`: `{"a": [1                  ]}`,
	} {
		got := string(withoutComments([]byte(written)))
		assert.Equal(t, want, got)
		assert.Len(t, got, len(written))
	}
	plain := []byte(`{"a": [1]}`)
	assert.Same(t, &plain[0], &withoutComments(plain)[0], "nothing is copied for nothing")
}

// FuzzComments holds that positions stay, that JSON stays what it is, and that a
// comment between two tokens of JSON changes nothing.
func FuzzComments(f *testing.F) {
	for _, seed := range []string{`{"a": [1, "b\\\"", {}]}`, "// x\n{}", `{"a": "//",}`, "/**/", `["\`, "[1,]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := withoutComments([]byte(text))
		if len(got) != len(text) || strings.Count(string(got), "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q became %q", text, got)
		}
		if !stdjson.Valid([]byte(text)) {
			return
		}
		if string(got) != text {
			t.Fatalf("valid JSON %q became %q", text, got)
		}
		commented := "/*\n*/" + text + "// x"
		if !stdjson.Valid(withoutComments([]byte(commented))) {
			t.Fatalf("%q is no longer valid", commented)
		}
	})
}

func TestJSONForPeople(t *testing.T) {
	c := parse(t, "a.jsonc", `{
  // what is served
  "servers": {
    "a": {"type": "http", /* where */ "url": "http://x//y", "int": 1.5,},
  },
}`)
	require.Empty(t, c.Faults())
	s, _ := c.Server("a")
	var got everything
	faults := s.Decode(&got)
	require.Len(t, faults, 2)
	assert.Equal(t, 4, faults[0].Line)
	assert.Equal(t, 39, faults[0].Column, "comments do not move what stands behind them")
}
