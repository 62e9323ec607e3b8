package config

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTakeAndDecodeShareTheKeys(t *testing.T) {
	s := section(t, "type: x\ntimeout: 5\nbase_url: http://x\ntools: {allow: [a], deny: [b], denny: [c]}\nread_timout: 3s\nmax_restarts: 3")

	var first struct {
		common
		Tools struct {
			Allow []string `config:"allow"`
		} `config:"tools"`
	}
	rest, faults := s.Take(&first)
	require.Nil(t, faults)
	assert.Equal(t, "x", first.Type)
	assert.Equal(t, Seconds(5), first.Timeout)
	assert.Equal(t, []string{"a"}, first.Tools.Allow)
	assert.Equal(t, []string{"type", "timeout", "base_url", "tools", "read_timout", "max_restarts"}, s.Keys(), "the section itself is unchanged")
	assert.Equal(t, []string{"base_url", "tools", "read_timout", "max_restarts"}, rest.Keys())
	assert.True(t, s.Has("type"))
	assert.False(t, rest.Has("type"))
	assert.Equal(t, 3, rest.Fault("type", "").Line, "a taken key still has its origin")

	var second struct {
		BaseURL     string   `config:"base_url,alias=url"`
		ReadTimeout Duration `config:"read_timeout"`
		Tools       struct {
			Deny []string `config:"deny"`
		} `config:"tools"`
		Supervision *struct {
			MaxRestarts int `config:"max_restarts"`
		} `config:"supervision"`
	}
	faults = rest.Decode(&second)
	require.Len(t, faults, 3)
	for i, want := range []struct{ key, nearest string }{
		{"tools.denny", "tools.deny"}, {"read_timout", "read_timeout"}, {"max_restarts", "supervision.max_restarts"},
	} {
		assert.Equal(t, want.key, faults[i].Key)
		assert.Equal(t, "unknown key", faults[i].Message)
		assert.Equal(t, want.nearest, faults[i].Nearest)
		assert.Equal(t, "s", faults[i].Server)
	}
	assert.Equal(t, "http://x", second.BaseURL)
	assert.Equal(t, []string{"b"}, second.Tools.Deny)
}

// A group of which all was taken goes, and nothing that stands behind it.
func TestAGroupThatWasTakenGoes(t *testing.T) {
	var taken struct {
		Nested group `config:"nested"`
	}
	rest, faults := section(t, "nested: {max_restarts: 1}\nlast: x").Take(&taken)
	require.Empty(t, faults)
	assert.Equal(t, []string{"last"}, rest.Keys())
}

// An unknown map is one fault, and what stands in a map of names is none.
func TestUnknownMaps(t *testing.T) {
	var got everything
	faults := section(t, "type: x\nhedaers: {A: b, C: d}").Decode(&got)
	require.Len(t, faults, 1)
	assert.Equal(t, "hedaers", faults[0].Key)
	assert.Equal(t, "headers", faults[0].Nearest)

	c := parse(t, "a.yaml", "defaults: {headers: {A: b}, tree: {C: {d: 1}}}\nservers: {}")
	assert.Empty(t, c.Defaults().Unknown(everything{}))
}

func TestNearestKnowsWhatWasTaken(t *testing.T) {
	rest, _ := section(t, "type: x\nrequestTimeout: 3s\ntimeuot: 1s\nqwerty: 1").Take(&common{})
	faults := rest.Decode(&struct{}{})
	require.Len(t, faults, 3)
	assert.Equal(t, "request_timeout", faults[0].Nearest)
	assert.Equal(t, "timeout", faults[1].Nearest)
	assert.Equal(t, "s", rest.Server())
	assert.Empty(t, faults[2].Nearest)
	assert.Equal(t, `mcp.yaml:6:5: server "s": qwerty: unknown key`, faults[2].String())
}

func TestServersThatAreNoMaps(t *testing.T) {
	c := parse(t, "a.yaml", "servers:\n  a: ~\n  b: hunter2\n  c: [1]\n")
	for name, found := range map[string]string{"a": "null", "b": "a string", "c": "a list"} {
		s, ok := c.Server(name)
		require.True(t, ok)
		faults := s.Decode(&common{})
		require.Len(t, faults, 1, "required keys are not reported on top")
		assert.Equal(t, found, faults[0].Found)
		assert.Equal(t, name, faults[0].Server)
		assert.Positive(t, faults[0].Line)

		rest, faults := s.Take(&common{})
		require.Len(t, faults, 1)
		assert.Empty(t, rest.Decode(&common{}), "reported once")
		assert.False(t, s.Has("type"))
		assert.Empty(t, s.Keys())
		_, ok = s.String("type")
		assert.False(t, ok)
		assert.NotContains(t, faults[0].String(), "hunter2")
		assert.Equal(t, []Entry{{Value: found, Origin: s.full.origin}}, s.Explain())
	}
	_, ok := c.Server("d")
	assert.False(t, ok)
}

func TestDefaultsOfOtherTypesAreNotFaults(t *testing.T) {
	c := parse(t, "a.yaml", `
defaults: {request_timeout: 9s, read_timeout: 1s, tls: {ca: x, cb: y}, nested: {other: 1}, raed_timeout: 2s}
servers:
  s: {type: x, nested: {max_restarts: 1}}
  t: {type: x, raed_timeout: 3s}
`)
	var got struct {
		common
		Nested group `config:"nested"`
	}
	s, _ := c.Server("s")
	require.Empty(t, s.Decode(&got))
	assert.Equal(t, Seconds(9), got.Timeout)
	assert.Equal(t, 1, got.Nested.Restarts)

	other, _ := c.Server("t")
	faults := other.Decode(&got)
	require.Len(t, faults, 1, "the server's own unknown key is a fault")
	assert.Equal(t, 5, faults[0].Line)

	type web struct {
		ReadTimeout Duration `config:"read_timeout"`
		TLS         struct {
			CA string `config:"ca"`
		} `config:"tls"`
	}
	unknown := c.Defaults().Unknown(got, &web{})
	require.Len(t, unknown, 3)
	assert.Equal(t, "defaults.tls.cb", unknown[0].Key)
	assert.Equal(t, "defaults.nested.other", unknown[1].Key)
	assert.Equal(t, "defaults.raed_timeout", unknown[2].Key)
	assert.Equal(t, "read_timeout", unknown[2].Nearest)
	assert.Empty(t, unknown[2].Server)
	assert.NotEmpty(t, c.Defaults().Unknown(nil), "a nil type is reported")
}

func TestADefaultWithAWrongValueIsPlacedInDefaults(t *testing.T) {
	c := parse(t, "a.yaml", "defaults:\n  timeout: never\nservers:\n  s: {type: x}\n  t: {type: x, request_timeout: 1s}\n")
	s, _ := c.Server("s")
	faults := s.Decode(&common{})
	require.Len(t, faults, 1)
	assert.Equal(t, `a.yaml:2:3: server "s": timeout: not a duration; found "never"; allowed: `+durationSyntax, faults[0].String())
	other, _ := c.Server("t")
	require.Empty(t, other.Decode(&common{}), "the server's key hides the default's alias")
}

func TestTopLevel(t *testing.T) {
	c := parse(t, "a.yaml", "strict: true\nserver: {}\nmcpServers: {}\ndefaults: [1]\nservers: {}\nstore: redis\n")
	assert.True(t, c.Strict())
	faults := c.Faults()
	require.Len(t, faults, 3)
	assert.Equal(t, `a.yaml:2:1: server: unknown top-level key; allowed: servers, defaults, strict, store, inputs; did you mean "servers"?`, faults[0].String())
	assert.Equal(t, `a.yaml:3:1: mcpServers: another program's servers stand beside servers: one file has one kind; `+
		`allowed: servers, defaults, strict, store, inputs`, faults[1].String())
	assert.Equal(t, `a.yaml:4:1: defaults: not a map; found a list; allowed: a map`, faults[2].String())

	store, ok := c.Store()
	require.True(t, ok)
	kind, _ := store.String("type")
	assert.Equal(t, "redis", kind)
	assert.Equal(t, "store.url", store.Fault("url", "").Key)

	store, _ = parse(t, "a.yaml", "servers: {}\nstore: {type: redis, url: x}").Store()
	assert.Equal(t, []string{"type", "url"}, store.Keys())
	_, ok = parse(t, "a.yaml", "servers: {}\nstore: ~").Store()
	assert.False(t, ok)

	c = parse(t, "a.yaml", "servers: []\nstrict: yes\nstore: [1]")
	require.Len(t, c.Faults(), 3)
	assert.False(t, c.Strict())
	assert.Equal(t, "strict", c.Faults()[1].Key)
	assert.Equal(t, "true, false", c.Faults()[1].Allowed)
}

func TestFaultFindsTheNearestPlace(t *testing.T) {
	s := section(t, "headers:\n  a.b:\n    c: 1\n  a: {d: 2}")
	for key, line := range map[string]int{
		"": 2, "headers": 3, "headers.a.b": 4, "headers.a.b.c": 5, "headers.a.d": 6, "headers.x": 3, "none": 2, "headers.a.b.c.d": 5, ".": 2,
	} {
		fault := s.Fault(key, "wrong")
		assert.Equal(t, line, fault.Line, key)
		assert.Equal(t, key, fault.Key)
		assert.Equal(t, "wrong", fault.Message)
	}
	assert.Equal(t, `"\x1b[31m"`, s.Fault("\x1b[31m", "").Key, "control characters are escaped")
}

func TestFaultFindsItemsOfLists(t *testing.T) {
	s := section(t, "list:\n  - a: 1\n  - b: 2\n    c:\n      - x\n      - y\n'odd[0]': 1")
	for key, line := range map[string]int{
		"list[0]": 4, "list[0].a": 4, "list[1].b": 5, "list[1].c": 6, "list[1].c[1]": 8, "list[1].none": 5, "odd[0]": 9,
		"list[2].a": 2, "list[-1]": 2, "list[x]": 2, "list[0": 2, "list]0[": 2, "none[0]": 2, "list[0].a[0]": 4,
	} {
		assert.Equal(t, line, s.Fault(key, "wrong").Line, key)
	}
}

func TestString(t *testing.T) {
	t.Setenv("CONFIG_TEST_KIND", "http")
	s := section(t, "a: ${CONFIG_TEST_KIND}\nb: 1.10\nc: True\nd: [1]\ne: ~\nf: ${CONFIG_TEST_UNSET}\ng: 2025-11-25")
	for key, want := range map[string]string{"a": "http", "b": "1.10", "c": "True", "g": "2025-11-25"} {
		got, ok := s.String(key)
		assert.True(t, ok, key)
		assert.Equal(t, want, got)
	}
	for _, key := range []string{"d", "e", "f", "none"} {
		got, ok := s.String(key)
		assert.False(t, ok, key)
		assert.Empty(t, got)
	}
	assert.False(t, s.Has("e"), "null is absent")
}

func TestExplain(t *testing.T) {
	c := parse(t, "a.yaml", `
defaults: {request_timeout: 9s, headers: {X-Team: hunter2}}
servers:
  s:
    type: x
    token: ${GITHUB_TOKEN}
    tokne: hunter2
    proxy: https://me:hunter2@proxy/
    auth: {client_secret: hunter2, fallback: "${A:-hunter2}", falback: hunter2}
    haeders: {X-Team: hunter2}
    secret_file: ${file:/run/x}
    command: [npx, -y]
    key: hunter2
    max_tokens: 12
    empty: {}
    items: []
    none: ~
    tree: {a: 1, api_key: hunter2, b: [{password: hunter2}]}
`)
	s, _ := c.Server("s")
	type known struct {
		Key       Secret            `config:"key"`
		MaxTokens int               `config:"max_tokens"`
		Proxy     string            `config:"proxy"`
		Command   []string          `config:"command"`
		Headers   map[string]Secret `config:"headers"`
		Tree      any               `config:"tree"`
		Auth      struct {
			Fallback []Secret `config:"fallback"`
		} `config:"auth"`
	}
	listed := func(entries []Entry) map[string]string {
		got := map[string]string{}
		for _, entry := range entries {
			got[entry.Key] += entry.Value + " "
		}
		return got
	}
	assert.Equal(t, map[string]string{
		"type": "x ", "token": "${GITHUB_TOKEN} ", "tokne": "*** ", "proxy": "https://***@proxy/ ", "auth.client_secret": "*** ", "auth.fallback": "*** ", "auth.falback": "*** ", "haeders.X-Team": "*** ",
		"secret_file": "${file:/run/x} ", "command[]": "npx -y ", "key": "*** ", "max_tokens": "12 ", "empty": "{} ", "items": "[] ", "none": "null ",
		"request_timeout": "9s ", "headers.X-Team": "*** ", "tree.a": "1 ", "tree.api_key": "*** ", "tree.b[].password": "*** ",
	}, listed(s.Explain(known{}, &common{})))

	guessed := listed(s.Explain())
	for key, want := range map[string]string{"auth.client_secret": "*** ", "headers.X-Team": "*** ", "type": "x ", "max_tokens": "*** "} {
		assert.Equal(t, want, guessed[key], key)
	}

	entries := s.Explain()
	last := entries[len(entries)-1]
	assert.Equal(t, "headers.X-Team", last.Key)
	assert.Equal(t, "a.yaml:2:43", last.Origin.String())
	assert.True(t, last.Origin.Defaults)
	assert.Equal(t, "a.yaml:5:5", entries[0].Origin.String())
	assert.False(t, entries[0].Origin.Defaults)
}

func TestFields(t *testing.T) {
	type documented struct {
		common
		Inherit     mode              `config:"inherit_env" default:"safe"`
		Env         map[string]Secret `config:"env"`
		Args        []string          `config:"args"`
		Maybe       *bool             `config:"maybe"`
		Supervision *group            `config:"supervision"`
		Delay       Duration          `config:"delay,zero"`
	}
	assert.Equal(t, []Field{
		{Key: "type", Type: "string", Required: true, Doc: "the transporter"},
		{Key: "request_timeout", Aliases: []string{"timeout"}, Type: "duration", Default: "60s", Doc: "longest silence"},
		{Key: "inherit_env", Type: "string or boolean", Default: "safe"},
		{Key: "env", Type: "map of secret"},
		{Key: "args", Type: "list of string"},
		{Key: "maybe", Type: "boolean"},
		{Key: "supervision.max_restarts", Type: "integer", Default: "3", Doc: "deaths in a window"},
		{Key: "supervision.window", Aliases: []string{"supervision.restart_window"}, Type: "duration", Default: "60s"},
		{Key: "delay", Type: "duration", Zero: true},
	}, Fields(&documented{}))
	assert.Nil(t, Fields("x"))
	assert.Nil(t, Fields(nil))
}

func TestSectionsAreSafeForConcurrentUse(t *testing.T) {
	c := parse(t, "a.yaml", "defaults: {timeout: 1s}\nservers: {s: {type: x, token: \"${HOME:-x}\"}}")
	s, _ := c.Server("s")
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			rest, _ := s.Take(&common{})
			var got struct {
				Token Secret `config:"token"`
			}
			assert.Empty(t, rest.Decode(&got))
			_, err := got.Token.Reveal()
			assert.NoError(t, err)
			assert.Len(t, s.Explain(), 3)
			again, _ := c.Server("s")
			assert.Equal(t, s.Keys(), again.Keys())
		})
	}
	group.Wait()
}

func TestNearest(t *testing.T) {
	known := []string{"request_timeout", "read_timeout", "type", "url", "command"}
	for found, want := range map[string]string{
		"requestTimeout": "request_timeout", "REQUEST-TIMEOUT": "request_timeout", "tpye": "type", "typ": "type", "uri": "url",
		"comand": "command", "commands": "command", "read_time": "read_timeout", "x": "", "": "", "banana": "", strings.Repeat("type", 100): "",
	} {
		assert.Equal(t, want, Nearest(found, known), found)
	}
	assert.Equal(t, 1, editDistance("ab", "ba"), "neighbours that are swapped are one edit")
	assert.Equal(t, 3, editDistance("", "abc"))
	assert.Equal(t, 2, editDistance("kitten", "sittin"))
}
