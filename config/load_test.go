package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// The same configuration in every format, with the same positions asked of each.
func formats() map[string]string {
	return map[string]string{
		"mcp.yaml": `defaults:
  request_timeout: 60s
servers:
  zebra:
    type: http
    headers: {X-Team: platform, X-Version: 1.10}
  github.com:
    type: stdio
    command:
      - npx
      - -y
    big: 123456789012345678901234567890
    when: 2025-11-25
`,
		"mcp.toml": `[defaults]
request_timeout = "60s"
[servers.zebra]
type = "http"
headers = {X-Team = "platform", X-Version = 1.10}
[servers."github.com"]
type = "stdio"
command = ["npx",
  "-y"]
big = "123456789012345678901234567890"
when = 2025-11-25
`,
		"mcp.json": `{
"defaults": {"request_timeout": "60s"},
"servers": {
 "zebra": {
  "type": "http",
  "headers": {"X-Team": "platform", "X-Version": 1.10}
 },
 "github.com": {
  "type": "stdio",
  "command": ["npx",
   "-y"],
  "big": 123456789012345678901234567890,
  "when": "2025-11-25"
 }
}}
`,
	}
}

func TestEveryFormatGivesTheSameValues(t *testing.T) {
	for name, text := range formats() {
		t.Run(name, func(t *testing.T) {
			c := parse(t, name, text)
			require.Empty(t, c.Faults())
			require.Equal(t, []string{"zebra", "github.com"}, c.Names(), "order of the file; a dot in a name does not split it")
			require.Equal(t, name, c.Source())

			var web struct {
				Type           string            `config:"type,required"`
				RequestTimeout Duration          `config:"request_timeout"`
				Headers        map[string]string `config:"headers"`
			}
			zebra, ok := c.Server("zebra")
			require.True(t, ok)
			require.Empty(t, zebra.Decode(&web))
			assert.Equal(t, "http", web.Type)
			assert.Equal(t, "1m0s", web.RequestTimeout.String())
			assert.Equal(t, map[string]string{"X-Team": "platform", "X-Version": "1.10"}, web.Headers, "numbers as written")

			var local struct {
				Type    string   `config:"type,required"`
				Command []string `config:"command,required"`
				Big     string   `config:"big"`
				When    string   `config:"when"`
			}
			host, ok := c.Server("github.com")
			require.True(t, ok)
			require.Empty(t, host.Decode(&local))
			assert.Equal(t, []string{"npx", "-y"}, local.Command)
			assert.Equal(t, "123456789012345678901234567890", local.Big, "no digit is lost")
			assert.Equal(t, "2025-11-25", local.When, "a date is text as written")
		})
	}
}

func TestOriginsInEveryFormat(t *testing.T) {
	positions := map[string]map[string]string{
		"mcp.yaml": {"": "7:3", "type": "8:5", "command[1]": "11:9", "big": "12:5", "request_timeout": "2:3"},
		"mcp.toml": {"": "6:10", "type": "7:1", "command[1]": "9:3", "big": "10:1", "request_timeout": "2:1"},
		"mcp.json": {"": "8:2", "type": "9:3", "command[1]": "11:4", "big": "12:3", "request_timeout": "2:14"},
	}
	for name, text := range formats() {
		t.Run(name, func(t *testing.T) {
			host, _ := parse(t, name, text).Server("github.com")
			for key, want := range positions[name] {
				fault := host.Fault(key, "wrong")
				if key == "command[1]" {
					var dst struct {
						Command []int `config:"command"`
					}
					_, faults := host.Take(&dst)
					require.Len(t, faults, 2)
					fault = faults[1]
					require.Equal(t, key, fault.Key)
				}
				assert.Equal(t, want, fmt.Sprintf("%d:%d", fault.Line, fault.Column), key)
				assert.Equal(t, name, fault.File)
				assert.Equal(t, "github.com", fault.Server)
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	directory := t.TempDir()
	missing := filepath.Join(directory, "missing.yaml")

	_, err := Load(missing)
	require.ErrorIs(t, err, fs.ErrNotExist)
	configuration, ok := errors.AsType[*errors.ServerConfigurationError](err)
	require.True(t, ok)
	require.Len(t, configuration.Faults, 1)
	assert.Equal(t, missing, configuration.Faults[0].File)
	assert.Equal(t, 1, strings.Count(err.Error(), missing), "the path appears once, as given: %v", err)

	_, err = Load(directory)
	require.ErrorContains(t, err, "not a regular file")
	_, err = Load()
	require.ErrorContains(t, err, "no configuration file")

	large := filepath.Join(directory, "large.yaml")
	require.NoError(t, os.WriteFile(large, nil, 0o600))
	require.NoError(t, os.Truncate(large, largestFile+1))
	_, err = Load(large)
	require.ErrorContains(t, err, "larger than 16 MiB")
}

func TestBrokenFiles(t *testing.T) {
	deep := strings.Repeat("[", deepest+5)
	tests := []struct {
		title, name, text string
		place             string
		message           string
	}{
		{"yaml syntax", "a.yaml", "servers:\n  a: [1\nb: 2\n", "a.yaml:2", "not valid YAML"},
		{"yaml syntax in the first line", "a.yaml", "servers: [1", "a.yaml:1: ", "not valid YAML"},
		{"yaml indentation", "a.yaml", "servers:\n  a: 1\n b: 2\n", "a.yaml:3: ", "did not find expected key"},
		{"yaml tab", "a.yaml", "servers:\n\ta: 1\n", "a.yaml:2", "not valid YAML"},
		{"yaml reference in braces", "a.yaml", "servers:\n  a: {token: ${T}}\n", "a.yaml:2", "only in quotes"},
		{"yaml duplicate", "a.yaml", "servers:\n  a: {}\n  b: {}\n  a: {}\n", "a.yaml:4:3", "the key a is given twice, first in line 2"},
		{"yaml duplicate, spelled in two ways", "a.yml", "servers:\n  80: {}\n  \"80\": {}\n", "a.yml:3:3", "given twice"},
		{"yaml two documents", "a.yaml", "servers: {}\n---\nservers: {}\n", "a.yaml:2:1", "second YAML document"},
		{"yaml list", "a.yaml", "- a\n", "a.yaml:1:1", "not a map"},
		{"yaml scalar", "a.yaml", "\n hunter2\n", "a.yaml:2:2", "not a map"},
		{"yaml octal key", "a.yaml", "servers:\n  010: {}\n", "a.yaml:2:3", "the key 010"},
		{"yaml null key", "a.yaml", "servers:\n  ~: {}\n", "a.yaml:2:3", "the key in quotes"},
		{"yaml map as key", "a.yaml", "servers:\n  {a: b}: {}\n", "a.yaml:2:3", "must be a string"},
		{"yaml unknown anchor", "a.yaml", "x: 1 # *gone\nservers: *gone\n", "a.yaml:2", "an anchor that does not stand before it"},
		{"yaml anchor in itself", "a.yaml", "# x\nservers: &a {b: *a}\n", "a.yaml:2", "contains itself"},
		{"yaml too deep", "a.yaml", "servers: " + deep, "a.yaml", ""},
		{"yaml deep", "a.yaml", "servers: " + deep + strings.Repeat("]", deepest+5), "a.yaml:1:110", "more than 100 levels"},
		{"toml syntax", "a.toml", "servers = \n", "a.toml:1:11", "not valid TOML"},
		{"toml duplicate", "a.toml", "[servers.a]\ntype = 'x'\ncwd = '/'\ntype = 'y'\n", "a.toml:4:1", "the key type is given twice, first in line 2"},
		{"toml duplicate inline", "a.toml", "servers = {a = 1, a = 2}\n", "a.toml:1:19", "given twice"},
		{"toml table twice", "a.toml", "[servers.a]\n[servers.a]\n", "a.toml:2:10", "the table is given twice"},
		{"toml value as table", "a.toml", "servers = 1\n[servers.a]\n", "a.toml:2:2", "not a table"},
		{"toml redefined", "a.toml", "[servers]\na = {b = 1}\n[servers.a.c]\nd = 1\n", "a.toml", ""},
		{"toml leading zero", "a.toml", "a = 010\n", "a.toml:1", "not valid TOML"},
		{"toml deep", "a.toml", "a = " + strings.Repeat("[", 150_000), "a.toml:1", "more than 100 levels"},
		{"toml deep key", "a.toml", strings.Repeat("a.", 300) + "a = 1", "a.toml:1:1", "more than 100 levels"},
		{"json syntax", "a.json", "{\n\"servers\": {,}}", "a.json:2:13", "not valid JSON"},
		{"json duplicate", "a.json", "{\"servers\": {\n\"a\": {}, \"a\": {}}}", "a.json:2:10", "the key a is given twice, first in line 2"},
		{"json early end", "a.json", "{\"servers\": {", "a.json:1:13", "not valid JSON"},
		{"json empty", "a.json", "", "a.json:1:1", "not valid JSON"},
		{"json more", "a.json", "{}\n{}", "a.json:2:1", "not valid JSON"},
		{"json list", "a.json", "[]", "a.json:1:1", "not a map"},
		{"json word", "a.json", "{\"a\": [1, tru]}", "a.json:1:14", "not valid JSON"},
		{"json string", "a.json", "{\"a\": \"\t\"}", "a.json:1:8", "not valid JSON"},
		{"json comment that is not closed", "a.json", "{} /* no\n", "a.json:1:4", "not valid JSON"},
		{"json behind a comment", "a.json", "{// yes\n/* x */ tru}", "a.json:2:9", "not valid JSON"},
		{"json only a comma", "a.json", "{\n,}", "a.json:2:1", "not valid JSON"},
		{"json two commas", "a.json", "{\"a\": [1,,]}", "a.json:1:10", "not valid JSON"},
		{"json deep", "a.json", "{\"a\":" + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}", "a.json:1", "more than 100 levels"},
		{"no extension, JSON", "mcp", "\n{\n\"a\": tru}", "mcp:3:9", "not valid JSON"},
		{"no extension, TOML", "mcp", "# x\n[a]\nb = @", "mcp:3:5", "not valid TOML"},
		{"no extension, YAML", "mcp.conf", "a: 1\nb: [", "mcp.conf:2", "not valid YAML"},
	}
	for _, test := range tests {
		t.Run(test.title, func(t *testing.T) {
			c, err := Parse(test.name, []byte(test.text))
			require.Error(t, err)
			require.Nil(t, c)
			configuration, ok := errors.AsType[*errors.ServerConfigurationError](err)
			require.True(t, ok, "%T", err)
			require.NotEmpty(t, configuration.Faults)
			assert.Equal(t, test.name, configuration.Faults[0].File)
			assert.True(t, strings.HasPrefix(err.Error(), test.place), "%v", err)
			assert.Contains(t, err.Error(), test.message)
			assert.NotContains(t, err.Error(), "hunter2")
			assert.Less(t, len(err.Error()), 500)
		})
	}
}

// A file of any name is read as what it looks like.
func TestTheFormatOfOtherFiles(t *testing.T) {
	for text, want := range map[string]format{
		"": formatYAML, "# only a comment": formatYAML, "servers:\n  a: {x: 'a=b'}": formatYAML, "---\n": formatYAML, "word": formatYAML,
		"{}": formatJSON, " \n // x\n{": formatJSON, "/* x */ {": formatJSON,
		"# c\n\n[servers.a]": formatTOML, "strict = true": formatTOML, "servers.a.url = 'http://x'": formatTOML,
	} {
		assert.Equal(t, want, formatOf(".mcp", []byte(text)), text)
	}
	assert.Equal(t, formatJSON, formatOf("settings.JSONC", nil))
	assert.Equal(t, formatYAML, formatOf("a.yml", []byte("{}")), "the extension goes first")
}

// Reading a file must not take long, whatever it holds.
func TestFilesWithTooManyValues(t *testing.T) {
	for name, parts := range map[string][3]string{
		"a.yaml": {"servers: {a: [", "a,", "]}"},
		"b.yaml": {"servers:\n  a:\n", "  - a\n", ""},
		"c.toml": {"a = [", "1,", "]"},
		"d.json": {`{"a": [`, "1,", "1]}"},
	} {
		_, err := Parse(name, []byte(parts[0]+strings.Repeat(parts[1], mostValues)+parts[2]))
		require.ErrorContains(t, err, name+": the file has more than 200000 values, which is no configuration")
		few := []byte(parts[0] + strings.Repeat(parts[1], mostValues/50) + parts[2])
		_, err = Parse(name, few)
		require.NoError(t, err, name)
	}
	text := `{"servers": {}, "x-": "` + strings.Repeat(",", mostValues) + `"}`
	assert.Empty(t, parse(t, "a.json", text).Faults(), "signs in strings do not count in JSON")
}

func TestFilesWithNothingInThem(t *testing.T) {
	for name, text := range map[string]string{
		"a.yaml": "", "b.yaml": "# only a comment\n", "c.yaml": "---\n", "d.yaml": "~\n",
		"a.toml": "", "b.toml": "# comment", "a.json": "{}", "e.yaml": "servers:\n", "bom.json": "\xef\xbb\xbf{}",
	} {
		c := parse(t, name, text)
		require.Empty(t, c.Names(), name)
		require.Len(t, c.Faults(), 1, name)
		assert.Equal(t, "servers", c.Faults()[0].Key)
		assert.Contains(t, c.Faults()[0].Message, "no map of servers")
	}
	assert.Empty(t, parse(t, "a.yaml", "servers: {}").Faults(), "an empty map is a choice")
}

func TestLayers(t *testing.T) {
	directory := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(directory, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	base := write("base.yaml", `
defaults: {request_timeout: 10s, headers: {A: base, B: base}}
servers:
  one: {type: http, timeout: 20s, headers: {B: one}, list: [1, 2, 3]}
  two: {type: http}
  gone: {type: http, headers: {C: c}}
`)
	over := write("over.toml", `
[defaults]
headers.A = "over"
[servers.three]
type = "sse"
[servers.one]
request_timeout = 30
list = [4]
`)
	local := write("local.json", `{"servers": {"two": {"type": "stdio"}, "gone": null}}`)

	c, err := Load(base, over, local)
	require.NoError(t, err)
	require.Empty(t, c.Faults())
	require.Equal(t, []string{"one", "two", "gone", "three"}, c.Names())
	require.Equal(t, base+", "+over+", "+local, c.Source())

	type server struct {
		Type    string            `config:"type,required"`
		Timeout Duration          `config:"request_timeout,alias=timeout"`
		Headers map[string]string `config:"headers"`
		List    []int             `config:"list"`
	}
	var one, two server
	first, _ := c.Server("one")
	require.Empty(t, first.Decode(&one), "a later file's key overrides an earlier one's alias")
	assert.Equal(t, server{"http", Seconds(30), map[string]string{"A": "over", "B": "one"}, []int{4}}, one)

	second, _ := c.Server("two")
	require.Empty(t, second.Decode(&two))
	assert.Equal(t, server{"stdio", Seconds(10), map[string]string{"A": "over", "B": "base"}, nil}, two)

	fault := second.Fault("type", "wrong")
	assert.Equal(t, local, fault.File)
	fault = second.Fault("headers.A", "wrong")
	assert.Equal(t, over, fault.File, "a default's origin stays in its file")
	assert.Equal(t, 3, fault.Line)
	fault = second.Fault("headers.B", "wrong")
	assert.Equal(t, base, fault.File)

	gone, ok := c.Server("gone")
	require.True(t, ok)
	_, faults := gone.Take(&two)
	require.Len(t, faults, 1)
	assert.Equal(t, "null", faults[0].Found)
	assert.Equal(t, local, faults[0].File)
}

func TestLoadWithReadsThroughItsOptions(t *testing.T) {
	files := map[string]string{
		"etc/a.yaml":   "servers: {s: {type: \"${KIND}\", key: \"${file:/run/key}\"}}",
		"/run/key":     "from file\n",
		"etc/big.yaml": strings.Repeat("#", largestFile+1),
	}
	options := Options{
		LookupEnv: func(name string) (string, bool) { return "env " + name, name == "KIND" },
		ReadFile: func(path string) ([]byte, error) {
			if text, ok := files[path]; ok {
				return []byte(text), nil
			}
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		},
	}
	c, err := LoadWith(options, "etc/a.yaml")
	require.NoError(t, err)
	s, _ := c.Server("s")
	kind, ok := s.String("type")
	require.True(t, ok)
	assert.Equal(t, "env KIND", kind)
	key, ok := s.String("key")
	require.True(t, ok)
	assert.Equal(t, "from file", key)

	_, err = LoadWith(options, "etc/a.yaml", "etc/none.yaml")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = LoadWith(options, "etc/big.yaml")
	require.ErrorContains(t, err, "larger than 16 MiB")
}

func TestYAMLAnchorsAndMergeKeys(t *testing.T) {
	c := parse(t, "mcp.yaml", `servers:
  base: &base
    type: http
    headers: &team {X-Team: a}
    timeout: 1s
  more: &more {timeout: 2s, cwd: /more}
  derived:
    <<: *base
    timeout: 3s
  both:
    <<: [*more, *base]
    headers:
      <<: *team
      X-Own: b
`)
	type server struct {
		Type    string            `config:"type"`
		Timeout Duration          `config:"timeout"`
		Cwd     string            `config:"cwd"`
		Headers map[string]string `config:"headers"`
	}
	for name, want := range map[string]server{
		"derived": {"http", Seconds(3), "", map[string]string{"X-Team": "a"}},
		"both":    {"http", Seconds(2), "/more", map[string]string{"X-Team": "a", "X-Own": "b"}},
	} {
		s, _ := c.Server(name)
		var got server
		require.Empty(t, s.Decode(&got))
		assert.Equal(t, want, got, name)
	}
	both, _ := c.Server("both")
	assert.Equal(t, 4, both.Fault("headers.X-Team", "").Line, "a merged key has the place where it is written")
	assert.Equal(t, 14, both.Fault("headers.X-Own", "").Line)
	assert.Equal(t, 6, both.Fault("timeout", "").Line, "of several merged maps the first wins")
}

func TestAliasesThatMultiplyAreRefused(t *testing.T) {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 10; i++ {
		refs := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", ")
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, refs)
	}
	_, err := Parse("bomb.yaml", []byte(text))
	require.ErrorContains(t, err, "excessive aliasing")
}

func TestColumnsCountCharacters(t *testing.T) {
	for name, text := range map[string]string{
		"a.json": `{"servers": {"日本": {}, "日本": {}}}`,
		"a.yaml": `{"servers": {"日本": {}, "日本": {}}}`,
		"a.toml": `servers = {'日本' = {}, '日本 ' = {}, '日本' = {}}`,
	} {
		_, err := Parse(name, []byte(text))
		configuration, ok := errors.AsType[*errors.ServerConfigurationError](err)
		require.True(t, ok)
		want := map[string]int{"a.json": 24, "a.yaml": 24, "a.toml": 35}[name]
		assert.Equal(t, want, configuration.Faults[0].Column, name)
	}
}

// Files are laid over each other as koanf does it, for every pair of kinds.
func TestFilesAreLaidOverEachOtherAsKoanfDoes(t *testing.T) {
	kinds := []string{"1", "x", "null", "[1, 2]", "{}", "{b: 1}", "{c: {d: 1}}", "{c: 2, e: [{f: 1}]}"}
	for _, first := range kinds {
		for _, second := range kinds {
			for _, third := range kinds {
				var laid layers
				merged := koanf.New(".")
				for i, text := range []string{first, second, third} {
					data := []byte("a: " + text + "\nz: {y: " + text + "}\n")
					require.NoError(t, laid.add(fmt.Sprintf("%d.yaml", i), data))
					require.NoError(t, merged.Load(rawbytes.Provider(data), yaml.Parser()))
				}
				want, err := newNode(merged.Raw(), nil, Origin{})
				require.NoError(t, err)
				assert.Equal(t, plainly(t, want), plainly(t, laid.root), "%s, %s, %s", first, second, third)
			}
		}
	}
}

// plainly is a node as plain Go values.
func plainly(t *testing.T, n *node) any {
	t.Helper()
	decoder := &decoder{section: &Section{}}
	value, ok := decoder.plain("", n)
	require.True(t, ok)
	return value
}
