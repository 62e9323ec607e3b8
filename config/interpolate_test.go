package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testSource knows a few variables and files and nothing else.
func testSource() *source {
	variables := map[string]string{"A": "a", "PORT": "8080", "EMPTY": "", "TRICK": "${A}", "_x1": "under", "HOME": "/home/me", "USERPROFILE": "/home/me"}
	files := map[string]string{
		"/run/key": "secret\n", "/run/two": "x\n\n", "/run/crlf": "x\r\n", "/run/cr": "x\r", "/run/none": "", "/run/trick": "${A}",
		"/home/me/key": "at home\n", "/run/big": strings.Repeat("x", largestReferencedFile+1), "/run/max": strings.Repeat("x", largestReferencedFile),
	}
	return newSource(Options{
		LookupEnv: func(name string) (string, bool) { value, ok := variables[name]; return value, ok },
		ReadFile: func(path string) ([]byte, error) {
			if text, ok := files[path]; ok {
				return []byte(text), nil
			}
			return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOENT}
		},
	}, nil)
}

func TestInterpolation(t *testing.T) {
	for written, want := range map[string]string{
		"":                         "",
		"plain":                    "plain",
		"$A $ { } $":               "$A $ { } $",
		"${A}":                     "a",
		"x${A}y${PORT}z":           "xay8080z",
		"${_x1}":                   "under",
		"${EMPTY}":                 "",
		"${EMPTY:-d}":              "d",
		"${NONE:-d}":               "d",
		"${NONE:-}":                "",
		"${A:-d}":                  "a",
		"${NONE:-http://x:1/?a}":   "http://x:1/?a",
		"${NONE:-a:-b}":            "a:-b",
		"$${A}":                    "${A}",
		"$${":                      "${",
		"$$${A}":                   "$${A}",
		"$${${A}}":                 "${a}",
		"${A}$${A}":                "a${A}",
		"${TRICK}":                 "${A}",
		"${TRICK}${A}":             "${A}a",
		"${NONE:-$A}":              "$A",
		"${env:A}":                 "a",
		"${env:NONE:-d}":           "d",
		"${file:~/key}":            "at home",
		"${file:/run/key}":         "secret",
		"${file:/run/two}":         "x\n",
		"${file:/run/crlf}":        "x",
		"${file:/run/cr}":          "x\r",
		"${file:/run/none}":        "",
		"${file:/run/trick}":       "${A}",
		"Bearer ${file:/run/key}.": "Bearer secret.",
	} {
		got, problems := scope{source: testSource()}.expand(written)
		assert.Empty(t, problems, written)
		assert.Equal(t, want, got, written)
	}
	got, problems := scope{source: testSource()}.expand("${file:/run/max}")
	assert.Empty(t, problems)
	assert.Len(t, got, largestReferencedFile)
}

func TestInterpolationProblems(t *testing.T) {
	for written, want := range map[string]string{
		"${NONE}":              "the environment variable is not set and has no default; found ${NONE}",
		"hunter2${NONE}":       "the environment variable is not set and has no default; found ${NONE}",
		"${NONE":               "a reference is not closed with }; found ${; allowed: " + referenceSyntax,
		"${hunter2 x":          "a reference is not closed with }; found ${; allowed: " + referenceSyntax,
		"${}":                  "not a reference; found ${; allowed: " + referenceSyntax,
		"${hunter 2}":          "not a reference; found ${; allowed: " + referenceSyntax,
		"${1A}":                "not a reference; found ${; allowed: " + referenceSyntax,
		"${A:hunter2}":         "not a reference; found ${; allowed: " + referenceSyntax,
		"${A-hunter2}":         "not a reference; found ${; allowed: " + referenceSyntax,
		"${env:TOKEN}":         "the environment variable is not set and has no default; found ${env:TOKEN}",
		"${input:key}":         "there is nobody here who could be asked for input; found ${input:key}; allowed: ${VAR} or ${file:path} in its place",
		"${env:hunter 2}":      "not a reference; found ${; allowed: " + referenceSyntax,
		"${env:}":              "not a reference; found ${; allowed: " + referenceSyntax,
		"${env:NONE:-${A}}":    "a default cannot contain a reference; found ${env:NONE:-...}; allowed: " + referenceSyntax,
		"${input:hunter 2}":    "not a reference; found ${; allowed: " + referenceSyntax,
		"${NONE:-${A}}":        "a default cannot contain a reference; found ${NONE:-...}; allowed: " + referenceSyntax,
		"${file:run/key}":      "a relative path needs a configuration file to be relative to; found ${file:run/key}; allowed: ${file:/path}",
		"${file:}":             "the reference names no file; found ${file:}; allowed: ${file:path}",
		"${file:/run/missing}": "the file cannot be read: no such file or directory; found ${file:/run/missing}",
		"${file:/run/big}":     "the file is larger than 1 MiB; found ${file:/run/big}",
	} {
		_, problems := scope{source: testSource()}.expand(written)
		require.Len(t, problems, 1, written)
		assert.Equal(t, want, problems[0].String(), written)
		assert.NotContains(t, problems[0].String(), "hunter2")
	}
	_, problems := scope{source: testSource()}.expand("${NONE} ${A} ${NADA} ${")
	assert.Len(t, problems, 3, "every problem of a string is reported")
}

func TestInterpolatedValuesHaveAnyType(t *testing.T) {
	options := Options{LookupEnv: func(name string) (string, bool) {
		value, ok := map[string]string{
			"PORT": "8080", "ON": "true", "WAIT": "30", "LONG": "5m", "HOST": "example.com", "MODE": "none", "BAD": "hunter2", "OCTAL": "010",
		}[name]
		return value, ok
	}}
	text := `{"servers": {"s": {
		"type": "${HOST}", "int": "${PORT}", "flag": "${ON}", "timeout": "${WAIT}", "delay": "${LONG}", "inherit_env": "${MODE}",
		"words": ["${HOST}:${PORT}", "$${HOST}"], "headers": {"${HOST}": "${HOST}"}, "any": {"a": ["${HOST}"]}, "maybe_int": "${PORT}"
	}, "bad": {
		"type": "x", "int": "${BAD}", "flag": "${BAD}", "timeout": "${BAD}", "inherit_env": "${BAD}", "count": "${OCTAL}",
		"words": ["${NONE}"], "headers": {"A": "${NONE}"}, "any": ["${NONE}"], "env": {"A": "${NONE}"}, "token": "${file:/none/x}"
	}}}`
	c, err := ParseWith(options, "a.json", []byte(text))
	require.NoError(t, err)

	var got everything
	s, _ := c.Server("s")
	require.Empty(t, s.Decode(&got))
	assert.Equal(t, "example.com", got.Type)
	assert.Equal(t, 8080, got.Int)
	assert.True(t, got.Flag)
	assert.Equal(t, Seconds(30), got.Timeout)
	assert.Equal(t, Seconds(300), got.Delay)
	assert.Equal(t, mode("none"), got.Inherit)
	assert.Equal(t, []string{"example.com:8080", "${HOST}"}, got.Words)
	assert.Equal(t, map[string]string{"${HOST}": "example.com"}, got.Headers, "keys are never interpolated")
	assert.Equal(t, map[string]any{"a": []any{"example.com"}}, got.Any)
	assert.Equal(t, 8080, *got.MaybeI)

	bad, _ := c.Server("bad")
	faults := bad.Decode(&everything{})
	require.Len(t, faults, 10)
	for _, fault := range faults {
		assert.NotContains(t, fault.String(), "hunter2", "a fault shows the reference, not the value")
		assert.Contains(t, fault.Found, "${")
		assert.Positive(t, fault.Line)
	}
}

// FuzzInterpolate holds that expand never panics, that text without references
// is left alone, that what comes from outside is never scanned, and that escaping
// every reference gives the text back.
func FuzzInterpolate(f *testing.F) {
	for _, seed := range []string{"", "${A}", "$${A}", "${NONE:-x}", "${file:/run/key}", "${", "$$${A}", "a$b{c}", "${TRICK}$${TRICK}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, problems := scope{source: testSource()}.expand(text)
		if !strings.Contains(text, "${") {
			if got != text || problems != nil {
				t.Fatalf("%q became %q", text, got)
			}
		}
		for _, problem := range problems {
			if problem.message == "" || len(problem.String()) > 700 {
				t.Fatalf("%q: bad problem %q", text, problem)
			}
		}
		const marker = "\x01${A}\x01"
		constant := &source{
			lookupEnv: func(string) (string, bool) { return marker, true },
			readFile:  func(string) ([]byte, error) { return []byte(marker), nil },
		}
		if got, problems := (scope{source: constant}).expand("${X}" + strings.ReplaceAll(text, "$", "") + "${file:/x}"); len(problems) > 0 ||
			got != marker+strings.ReplaceAll(text, "$", "")+marker {
			t.Fatalf("%q: a value was changed: %q %v", text, got, problems)
		}
		if got, problems := (scope{source: constant}).expand(strings.ReplaceAll(text, "${", "$${")); len(problems) > 0 || got != text {
			t.Fatalf("%q: escaped, it became %q %v", text, got, problems)
		}
	})
}

func ExampleLoad() {
	directory, err := os.MkdirTemp("", "config")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(directory) }()
	path := filepath.Join(directory, "mcp.yaml")
	text := `
servers:
  github:
    type: http
    base_url: https://api.example.com/mcp
    token: ${EXAMPLE_TOKEN:-none}
    read_timout: 30s
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	c, err := Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	var server struct {
		Type        string   `config:"type,required"`
		BaseURL     string   `config:"base_url,required,alias=url"`
		Token       Secret   `config:"token"`
		ReadTimeout Duration `config:"read_timeout" default:"30s"`
	}
	section, _ := c.Server("github")
	for _, fault := range section.Decode(&server) {
		fault.File = filepath.Base(fault.File)
		fmt.Println(fault)
	}
	fmt.Println(server.BaseURL, server.Token, server.ReadTimeout)
	// Output:
	// mcp.yaml:7:5: server "github": read_timout: unknown key; did you mean "read_timeout"?
	// https://api.example.com/mcp *** 30s
}
