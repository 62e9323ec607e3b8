package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fingerprintOf is that of server s in a file, with variables and files to refer to.
func fingerprintOf(t *testing.T, name, text string, outside map[string]string) [32]byte {
	t.Helper()
	options := Options{
		LookupEnv: func(name string) (string, bool) { value, set := outside[name]; return value, set },
		ReadFile: func(path string) ([]byte, error) {
			if text, there := outside[path]; there {
				return []byte(text), nil
			}
			return nil, assert.AnError
		},
	}
	c, err := ParseWith(options, name, []byte(text))
	require.NoError(t, err)
	s, ok := c.Server("s")
	require.True(t, ok)
	return s.Fingerprint()
}

func TestFingerprintOfWhatMeansTheSame(t *testing.T) {
	outside := map[string]string{"TOKEN": "x1", "/run/token": "x1\n"}
	want := fingerprintOf(t, "a.yaml", "servers: {s: {type: http, timeout: 30, token: x1, headers: {A: '1', B: '2'}}}", outside)
	for title, file := range map[string][2]string{
		"comments, order, another server": {"a.yaml", "# new\nstrict: true\nservers:\n  t: {}\n  s:\n    token: x1\n    headers: {B: '2', A: '1'}\n    timeout: 30\n    type: http # why\n"},
		"another format":                  {"b.json", `{"servers": {"s": {"type": "http", "timeout": 30, "token": "x1", "headers": {"A": "1", "B": "2"}}}}`},
		"a string for a number":           {"a.yaml", "servers: {s: {type: http, timeout: '30', token: x1, headers: {A: 1, B: 2}}}"},
		"from defaults":                   {"a.yaml", "defaults: {timeout: 30, headers: {A: '1'}}\nservers: {s: {type: http, token: x1, headers: {B: '2'}}}"},
		"a variable":                      {"a.yaml", "servers: {s: {type: http, timeout: 30, token: '${TOKEN}', headers: {A: '1', B: '2'}}}"},
		"a file":                          {"a.yaml", "servers: {s: {type: http, timeout: 30, token: '${file:/run/token}', headers: {A: '1', B: '2'}}}"},
		"null":                            {"a.yaml", "servers: {s: {type: http, timeout: 30, token: x1, cwd: ~, headers: {A: '1', B: '2', C: ~}}}"},
	} {
		assert.Equal(t, want, fingerprintOf(t, file[0], file[1], outside), title)
	}
}

func TestFingerprintOfWhatDiffers(t *testing.T) {
	outside := map[string]string{"TOKEN": "x1"}
	seen := map[[32]byte]string{}
	for _, keys := range []string{
		"{type: http}", "{type: sse}", "{type: http, a: []}", "{type: http, a: {}}", "{type: http, a: ''}", "{type: http, a: [b]}", "{type: http, a: b}",
		"{type: http, a: [b, c]}", "{type: http, a: [bc]}", "{type: http, a: [[b], c]}", "{type: http, a: {b: c}}", "{type: http, ab: c}",
		"{type: http, a: [~]}", "{type: http, a: '${GONE}'}", "{type: http, a: '${GONE} '}", "{type: http, a: x1}", "{type: http, a: '$${TOKEN}'}", "[]", "x", "~",
	} {
		got := fingerprintOf(t, "a.yaml", "servers: {s: "+keys+"}", outside)
		assert.Empty(t, seen[got], keys)
		seen[got] = keys
	}
}

func TestFingerprintSeesWhatReferencesStandFor(t *testing.T) {
	outside := map[string]string{"TOKEN": "x1", "/run/key": "one"}
	c, err := ParseWith(Options{
		LookupEnv: func(name string) (string, bool) { value, set := outside[name]; return value, set },
		ReadFile:  func(path string) ([]byte, error) { return []byte(outside[path]), nil },
	}, "a.yaml", []byte("defaults: {headers: {A: 'Bearer ${file:/run/key}'}}\nservers: {s: {token: '${TOKEN}', n: '${GONE:-2}'}}"))
	require.NoError(t, err)
	s, _ := c.Server("s")
	first := s.Fingerprint()
	assert.Equal(t, first, s.Fingerprint())
	for name, value := range map[string]string{"TOKEN": "x2", "/run/key": "two", "GONE": "3"} {
		before, set := outside[name]
		outside[name] = value
		assert.NotEqual(t, first, s.Fingerprint(), name)
		if outside[name] = before; !set {
			delete(outside, name)
		}
		assert.Equal(t, first, s.Fingerprint(), name)
	}
	rest, _ := s.Take(&struct {
		Token Secret `config:"token"`
	}{})
	assert.Equal(t, first, rest.Fingerprint(), "what was taken counts")
}

func TestFingerprintOfGoValues(t *testing.T) {
	of := func(server any) [32]byte {
		c, err := FromServers(map[string]any{"s": server})
		require.NoError(t, err)
		s, _ := c.Server("s")
		return s.Fingerprint()
	}
	base := of(map[string]any{"token": LiteralSecret("a"), "wait": time.Second, "mode": mode("all")})
	assert.Equal(t, base, of(map[string]any{"mode": mode("all"), "wait": Seconds(1), "token": NewSecret("a")}))
	assert.Equal(t, of(map[string]any{"a": LiteralSecret("${")}), of(map[string]any{"a": "$${"}))
	for _, other := range []map[string]any{
		{"token": LiteralSecret("b"), "wait": time.Second, "mode": mode("all")},
		{"token": LiteralSecret("a"), "wait": time.Minute, "mode": mode("all")},
		{"token": LiteralSecret("a"), "wait": time.Second, "mode": mode("none")},
		{"token": NewSecret("${CONFIG_TEST_UNSET}"), "wait": time.Second, "mode": mode("all")},
	} {
		assert.NotEqual(t, base, of(other))
	}
}
