package config

import (
	"encoding/json"
	"math"
	"net/netip"
	"testing"
	"time"

	koanfjson "github.com/knadh/koanf/parsers/json"
	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFromKoanf(t *testing.T) {
	type server struct {
		common
		Headers map[string]string `config:"headers"`
		Since   string            `config:"since"`
		Int     int               `config:"int"`
	}
	files := formatsOfKoanf()
	for name, load := range files {
		t.Run(name, func(t *testing.T) {
			for path, k := range map[string]*koanf.Koanf{"": load(t, ""), "app.mcp": load(t, "app.mcp")} {
				c, err := FromKoanf(k, path)
				require.NoError(t, err)
				require.Empty(t, c.Faults())
				assert.True(t, c.Strict())
				assert.Equal(t, []string{"a", "github.com"}, c.Names(), "a dot in a name does not split it")
				s, ok := c.Server("github.com")
				require.True(t, ok)
				var got server
				require.Empty(t, s.Decode(&got))
				assert.Equal(t, server{common{"http", Seconds(7)}, map[string]string{"A": "8080"}, "2025-11-25", 5}, got)

				fault := s.Fault("type", "wrong")
				assert.Zero(t, fault.Line)
				assert.Empty(t, fault.File)
			}
		})
	}
}

// formatsOfKoanf loads one tree, as a host program would, at a path.
func formatsOfKoanf() map[string]func(*testing.T, string) *koanf.Koanf {
	texts := map[string]struct {
		parser     koanf.Parser
		root, path string
	}{
		"yaml": {
			yaml.Parser(),
			"strict: true\ndefaults: {timeout: 7}\nservers: {github.com: {type: http, headers: {A: 8080}, since: 2025-11-25, int: 5}, a: {}}",
			"app: {mcp: {strict: true, defaults: {timeout: 7}, servers: {github.com: {type: http, headers: {A: 8080}, since: 2025-11-25, int: 5}, a: {}}}}",
		},
		"toml": {
			toml.Parser(),
			"strict = true\ndefaults.timeout = 7\nservers.a = {}\n[servers.'github.com']\ntype = 'http'\nheaders.A = 8080\nsince = 2025-11-25\nint = 5",
			"[app.mcp]\nstrict = true\ndefaults.timeout = 7\nservers.a = {}\n[app.mcp.servers.'github.com']\ntype = 'http'\nheaders.A = 8080\nsince = 2025-11-25\nint = 5",
		},
		"json": {
			koanfjson.Parser(),
			`{"strict": true, "defaults": {"timeout": 7}, "servers": {"github.com": {"type": "http", "headers": {"A": 8080}, "since": "2025-11-25", "int": 5}, "a": {}}}`,
			`{"app": {"mcp": {"strict": true, "defaults": {"timeout": 7}, "servers": {"github.com": {"type": "http", "headers": {"A": 8080}, "since": "2025-11-25", "int": 5}, "a": {}}}}}`,
		},
	}
	loaders := map[string]func(*testing.T, string) *koanf.Koanf{}
	for name, text := range texts {
		loaders[name] = func(t *testing.T, path string) *koanf.Koanf {
			content := text.root
			if path != "" {
				content = text.path
			}
			k := koanf.New(".")
			require.NoError(t, k.Load(rawbytes.Provider([]byte(content)), text.parser))
			return k
		}
	}
	return loaders
}

func TestFromKoanfWithoutATree(t *testing.T) {
	k := koanf.New(".")
	require.NoError(t, k.Load(confmap.Provider(map[string]any{"a": 1}, "."), nil))
	for _, path := range []string{"none", "a"} {
		_, err := FromKoanf(k, path)
		require.ErrorContains(t, err, "no map at "+path)
	}
	_, err := FromKoanf(nil, "")
	require.Error(t, err)
	c, err := FromKoanf(koanf.New("."), "")
	require.NoError(t, err)
	require.Len(t, c.Faults(), 1)

	flat := koanf.New("/")
	require.NoError(t, flat.Load(confmap.Provider(map[string]any{"servers/s/type": "x", "servers/s/int": "5", "servers/s/flag": "true"}, "/"), nil))
	c, err = FromKoanf(flat, "")
	require.NoError(t, err)
	s, _ := c.Server("s")
	var got everything
	require.Empty(t, s.Decode(&got), "an environment provider has strings only")
	assert.Equal(t, 5, got.Int)
}

func TestFromMap(t *testing.T) {
	t.Setenv("CONFIG_TEST_TOKEN", "from env")
	headers := map[string]string{"A": "1"}
	words := []string{"a", "b"}
	yes := true
	tree := map[string]any{
		"defaults": map[string]any{"timeout": 5 * time.Second},
		"servers": map[string]any{
			"b": map[string]any{
				"type": "x", "words": words, "headers": headers, "token": LiteralSecret("${x"), "int": int32(3), "count": uint16(4), "ratio": float32(0.1),
				"maybe_bool": &yes, "numbers": []any{1, int64(2), 3.0}, "inherit_env": mode("all"), "delay": Of(0), "any": map[any]any{1: []string{"x"}},
				"env": map[string]any{"A": "${CONFIG_TEST_TOKEN}", "B": Secret{}}, "flag": "true", "maybe_int": (*int)(nil),
			},
			"a": common{Type: "y"},
		},
	}
	c, err := FromMap(tree)
	require.NoError(t, err)
	headers["A"], words[0] = "changed", "changed"
	tree["servers"].(map[string]any)["c"] = map[string]any{}

	require.Empty(t, c.Faults())
	require.Equal(t, []string{"a", "b"}, c.Names(), "sorted, and captured")
	var got everything
	s, _ := c.Server("b")
	require.Empty(t, s.Decode(&got))
	assert.Equal(t, map[string]string{"A": "1"}, got.Headers)
	assert.Equal(t, []string{"a", "b"}, got.Words)
	assert.Equal(t, LiteralSecret("${x"), got.Token)
	assert.Equal(t, 3, got.Int)
	assert.Equal(t, uint(4), got.Count)
	assert.InDelta(t, 0.1, got.Ratio, 0)
	assert.Equal(t, []int{1, 2, 3}, got.Numbers)
	assert.Equal(t, mode("all"), got.Inherit)
	assert.Equal(t, Of(0), got.Delay)
	assert.Equal(t, Seconds(5), got.Timeout)
	assert.Equal(t, map[string]any{"1": []any{"x"}}, got.Any)
	assert.True(t, got.Flag)
	assert.True(t, *got.MaybeB)
	assert.Nil(t, got.MaybeI)
	token, err := got.Env["A"].Reveal()
	require.NoError(t, err)
	assert.Equal(t, "from env", token)
	for _, entry := range s.Explain() {
		assert.NotContains(t, entry.Value, "${x")
	}
}

// stdioServer is how a program names the type of a struct that has none.
type stdioServer struct {
	Type string `config:"type"`
	stdioConfig
}

type stdioConfig struct {
	Command []string          `config:"command,required"`
	Inherit mode              `config:"inherit_env" default:"safe"`
	Token   Secret            `config:"token"`
	Timeout Duration          `config:"request_timeout" default:"60s"`
	Retry   bool              `config:"retry" default:"true"`
	Maybe   *bool             `config:"maybe" default:"true"`
	Group   *group            `config:"group"`
	Nested  group             `config:"nested"`
	Headers map[string]string `config:"headers"`
}

func TestFromServers(t *testing.T) {
	no := false
	settings := stdioConfig{
		Command: []string{"npx", "-y"}, Inherit: "none", Token: NewSecret("x"), Timeout: Off(), Maybe: &no,
		Group: &group{Window: Off()}, Headers: map[string]string{"A": "b"},
	}
	c, err := FromServers(map[string]any{
		"struct":  stdioServer{"stdio", settings},
		"pointer": &stdioServer{"stdio", settings},
		"map":     map[string]any{"type": "stdio", "command": []string{"x"}},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"map", "pointer", "struct"}, c.Names())
	for _, name := range []string{"struct", "pointer"} {
		var got stdioServer
		s, _ := c.Server(name)
		require.Empty(t, s.Decode(&got))
		want := settings
		want.Retry = true
		want.Group, want.Nested = &group{3, Off()}, group{3, Seconds(60)}
		assert.Equal(t, stdioServer{"stdio", want}, got, "a zero field counts as not written and gets its default")
	}

	c, err = FromServers(map[string]any{"s": stdioServer{"stdio", stdioConfig{Timeout: Of(-1), Command: []string{""}}}})
	require.NoError(t, err)
	s, _ := c.Server("s")
	faults := s.Decode(&stdioServer{})
	require.Len(t, faults, 1, "Go values are checked like a file's")
	assert.Equal(t, "a duration cannot be negative", faults[0].Message)
}

// Of a struct, a map or a group that is there counts as written, though it is empty,
// and a struct without anything in its keys does not.
func TestEmptyGoValues(t *testing.T) {
	type noted struct {
		Restarts int `config:"max_restarts" default:"3"`
		Note     string
	}
	type server struct {
		Type    string            `config:"type"`
		Wait    *Duration         `config:"wait"`
		Nested  noted             `config:"nested"`
		Headers map[string]string `config:"headers"`
		Group   *group            `config:"group"`
	}
	c, err := FromServers(map[string]any{"s": server{Type: "x", Nested: noted{Note: "not a key"}, Headers: map[string]string{}, Group: &group{}}})
	require.NoError(t, err)
	s, _ := c.Server("s")
	assert.Equal(t, []string{"type", "headers", "group"}, s.Keys())
	var got server
	require.Empty(t, s.Decode(&got))
	assert.Equal(t, server{Type: "x", Nested: noted{Restarts: 3}, Headers: map[string]string{}, Group: &group{3, Seconds(60)}}, got)
}

func TestGoValuesThatCannotBeConfiguration(t *testing.T) {
	loop := map[string]any{}
	loop["loop"] = loop
	type twice struct {
		Type string `config:"type"`
		common
	}
	for message, server := range map[string]any{
		"servers: s: a: a Go value of type chan int": map[string]any{"a": make(chan int)},
		"a Go value of type func()":                  map[string]any{"a": func() {}},
		"contains itself":                            loop,
		"with two types":                             map[string]any{"a": map[any]any{1: 1, "1": 2}},
		"has the key type twice":                     twice{},
		"[1]: a Go value of type complex128":         map[string]any{"a": []any{1, 1i}},
	} {
		_, err := FromServers(map[string]any{"s": server})
		require.ErrorContains(t, err, message)
	}
	c, err := FromMap(nil)
	require.NoError(t, err)
	require.Len(t, c.Faults(), 1)
	c, err = FromServers(nil)
	require.NoError(t, err)
	require.Empty(t, c.Faults())
}

func TestGoNumbersAndTimes(t *testing.T) {
	c, err := FromServers(map[string]any{"s": map[string]any{
		"type": "x", "count": uint64(math.MaxUint64), "small": json.Number("12"), "ratio": json.Number("1.50"),
		"headers": map[string]any{
			"big": json.Number("99999999999999999999"), "float": 1e21, "whole": 3.0, "date": time.Date(2025, 11, 25, 0, 0, 0, 0, time.UTC),
			"time": time.Date(2025, 11, 25, 1, 2, 3, 0, time.UTC), "wait": time.Second, "ip": netip.MustParseAddr("::1"),
		},
	}})
	require.NoError(t, err)
	s, _ := c.Server("s")
	var got everything
	require.Empty(t, s.Decode(&got))
	assert.Equal(t, uint(math.MaxUint64), got.Count)
	assert.Equal(t, int8(12), got.Small)
	assert.InDelta(t, 1.5, got.Ratio, 0)
	assert.Equal(t, map[string]string{
		"big": "99999999999999999999", "float": "1e+21", "whole": "3", "date": "2025-11-25", "time": "2025-11-25T01:02:03Z", "wait": "1s", "ip": "::1",
	}, got.Headers)
}

func TestTypesThatDoNotFit(t *testing.T) {
	c, err := FromServers(map[string]any{"s": map[string]any{
		"text": LiteralSecret(canary), "int": LiteralSecret(canary), "token": Off(), "words": mode("x"), "flag": Seconds(1), "type": Seconds(5),
	}})
	require.NoError(t, err)
	s, _ := c.Server("s")
	var got everything
	faults := s.Decode(&got)
	require.Len(t, faults, 5)
	for _, fault := range faults {
		assert.NotContains(t, fault.String(), canary)
	}
	c, err = FromServers(map[string]any{"s": map[string]any{"token": NewSecret(canary + "${CONFIG_TEST_UNSET}")}})
	require.NoError(t, err)
	s, _ = c.Server("s")
	faults = s.Decode(&struct {
		Token Secret `config:"token"`
	}{})
	require.Len(t, faults, 1)
	assert.Equal(t, "cannot resolve a secret: the environment variable is not set and has no default; found ${CONFIG_TEST_UNSET}", faults[0].Message)
	assert.Equal(t, "5s", got.Type, "a Duration is text where text is wanted")
}
