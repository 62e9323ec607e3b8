package config

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	tomlnode "github.com/pelletier/go-toml/v2/unstable"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yamlnode "go.yaml.in/yaml/v3"

	"github.com/mcp-client-go/mcpclient/errors"
)

// What small functions decide, at each side of each decision.

func TestNumbersAsText(t *testing.T) {
	for want, number := range map[string]any{
		"1.5": 1.5, "3": 3.0, "9007199254740991": float64(1<<53 - 1), "9.007199254740992e+15": float64(1 << 53), "-7": int64(-7),
	} {
		assert.Equal(t, want, formatNumber(number))
	}
	for _, test := range []struct{ given, want any }{
		{uint64(math.MaxInt64), int64(math.MaxInt64)}, {uint64(math.MaxInt64 + 1), uint64(math.MaxInt64 + 1)},
		{json.Number("1.5"), 1.5}, {json.Number("12"), int64(12)},
	} {
		number, ok := newNumber(test.given, "", Origin{})
		require.True(t, ok)
		assert.Equal(t, test.want, number.value)
	}
	_, ok := newNumber(json.Number("1e999"), "", Origin{})
	assert.False(t, ok)
}

func TestGoValues(t *testing.T) {
	type inner struct {
		A int `config:"a"`
	}
	type outer struct {
		First inner    `config:"first"`
		Wait  Duration `config:"wait"`
		Last  inner    `config:"last"`
	}
	n, err := encodeGo(outer{Wait: Of(time.Second), Last: inner{A: 1}})
	require.NoError(t, err)
	assert.Equal(t, []string{"wait", "last"}, n.keys)
	n, err = encodeGo(float32(0.123))
	require.NoError(t, err)
	assert.Equal(t, 0.123, n.value)
	n, err = encodeGo([]string(nil))
	require.NoError(t, err)
	assert.Equal(t, kindNull, n.kind)
	n, err = encodeGo([]string{})
	require.NoError(t, err)
	assert.Equal(t, kindList, n.kind)
}

func TestWhatMayBeASecret(t *testing.T) {
	assert.False(t, mayBeSecret("a.size", strings.Repeat("x", longestMistake)))
	assert.True(t, mayBeSecret("a.size", strings.Repeat("x", longestMistake+1)))
	for kind, want := range map[reflect.Type]bool{
		reflect.TypeFor[string](): false, reflect.TypeFor[int](): true, reflect.TypeFor[bool](): true, reflect.TypeFor[[]string](): false,
		reflect.TypeFor[map[string]string](): false, reflect.TypeFor[Duration](): true, reflect.TypeFor[Secret](): false, reflect.TypeFor[*int](): true,
	} {
		assert.Equal(t, want, cannotBeSecret(kind), kind.String())
	}
	for text, want := range map[string]bool{"${A}": true, "A}": false, "${A": false, "${file:/x}": true, "${A:-b}": false} {
		assert.Equal(t, want, isOneReference(text), text)
	}
	assert.Equal(t, "is ${A}", withReferences("is 12345678", []resolved{{value: "12345678", written: "${A}"}}))
	assert.Equal(t, "is 1234567", withReferences("is 1234567", []resolved{{value: "1234567", written: "${A}"}}))
	for key, want := range map[string]string{"TOKEN": "${TOKEN}", "token": "${TOKEN} or ${file:path}", "1": "${TOKEN} or ${file:path}"} {
		assert.Equal(t, want, suggestedReference(key, true), key)
	}
	assert.Equal(t, "${TOKEN} or ${file:path}", suggestedReference("TOKEN_OF", false))
}

func TestFilesOfOthersAreToldApart(t *testing.T) {
	servers := func(kinds ...string) *node {
		all := newMap(Origin{})
		for i, kind := range kinds {
			server := newMap(Origin{})
			if kind != "" {
				server.set("type", newText(kind, Origin{}))
			}
			all.set(strings.Repeat("a", i+1), server)
		}
		return all
	}
	assert.True(t, hasLocalAndRemote(servers("local", "remote")))
	assert.False(t, hasLocalAndRemote(servers("local", "other")))
	assert.False(t, hasLocalAndRemote(servers("")))
	assert.False(t, hasLocalAndRemote(servers()))
	for dir, want := range map[string]string{"/x/.vscode": "/x", "/x": "/x", ".": "."} {
		got, hidden := workspaceOf(dir)
		assert.Equal(t, want, got)
		assert.Equal(t, got != dir, hidden)
	}
	list := &node{kind: kindList}
	assert.Same(t, list, listOf(list))
	assert.Nil(t, listOf(newMap(Origin{})))
	assert.Nil(t, listOf(nil))
	assert.Equal(t, formatYAML, formatOfLine([]byte("=x")))
	assert.Equal(t, formatTOML, formatOfLine([]byte("a=x")))
	assert.Equal(t, "}", string(withoutComments([]byte("}"))))

	cfg := parse(t, "a.json", `{"mcpServers": {"bad": 1, "good": {"command": "x"}}}`)
	section, found := cfg.Server("good")
	require.True(t, found)
	assert.Contains(t, section.root.keys, "type")
}

func TestPiecesOfYAML(t *testing.T) {
	for _, test := range []struct {
		node yamlnode.Node
		want bool
	}{
		{yamlnode.Node{Kind: yamlnode.ScalarNode, Value: "<<", Tag: "!!merge"}, true},
		{yamlnode.Node{Kind: yamlnode.ScalarNode, Value: "<<", Tag: "!!str"}, false},
		{yamlnode.Node{Kind: yamlnode.ScalarNode, Value: "x", Tag: "!!merge"}, false},
		{yamlnode.Node{Kind: yamlnode.MappingNode, Value: "<<", Tag: "!!merge"}, false},
	} {
		assert.Equal(t, test.want, isYAMLMerge(&test.node), "%+v", test.node)
	}
	for message, want := range map[string]string{"a x b": "x", "x b": "", "a x": "", "a  b": ""} {
		name, found := quotedAnchor(message, "a ", " b")
		assert.Equal(t, want != "", found, message)
		if found {
			assert.Equal(t, want, name)
		}
	}
	for message, want := range map[string]bool{"found undefined tag handle": true, "found duplicate %YAML directive": true, "did not find expected key": true, "other": false} {
		assert.Equal(t, want, isYAMLGrammar(message), message)
	}
	for text, want := range map[string]bool{"a: {b: ${C}}": true, "a: {b: c}": false, "a: ${C}": false, "\n\na: 1\na: {b: ${C}}": false, "a: 1\nb: {c: ${D}}": true} {
		assert.Equal(t, want, hasFlowReference(newPositions("a.yaml", 0, []byte(text)), 1), text)
	}
	for text, want := range map[string]string{
		"servers: {a: {k: [{x: 1}, {y: 1, y: 2}]}}": "a.yaml:1:34: the key y is given twice, first in line 1",
		"servers: {a: {k: [x, !!int y]}}":           "a.yaml:1:22: a value is not of the type that its tag names; allowed: the value without the tag",
		"servers: !!map\n  a: {}\n  a: {}":          "a.yaml:3:3: the key a is given twice, first in line 2",
		"servers: {!!int <nil>: {}}":                "a.yaml:1:11: YAML does not read the key <nil> as a string; allowed: the key in quotes",
	} {
		_, err := Parse("a.yaml", []byte(text))
		assert.EqualError(t, err, want)
	}
}

func TestPiecesOfTOML(t *testing.T) {
	_, deep := deepTOML([]byte(strings.Repeat("[", 100*deepest)))
	assert.False(t, deep)
	_, deep = deepTOML([]byte(strings.Repeat("[", 100*deepest+1)))
	assert.True(t, deep)
	_, deep = deepTOML([]byte(strings.Repeat("[]", 100*deepest)))
	assert.False(t, deep)

	for text, want := range map[string]string{
		"servers.s.numbers = [1, true]":       "a.toml:1:25: numbers[1]",
		"servers.s.numbers = [1, 1979-05-27]": "a.toml:1:25: numbers[1]",
		"servers.s.numbers = [1, [1]]":        "a.toml:1:11: numbers[1]", // a list has no place of its own
	} {
		section, _ := parse(t, "a.toml", text).Server("s")
		faults := section.Decode(&struct {
			Numbers []int `config:"numbers"`
		}{})
		require.Len(t, faults, 1)
		assert.Equal(t, want, fmt.Sprintf("%s:%d:%d: %s", faults[0].File, faults[0].Line, faults[0].Column, faults[0].Key))
	}
	walk := &tomlWalk{at: newPositions("a.toml", 0, nil)}
	for _, err := range []error{errors.New("gone"), &tomlnode.ParserError{Message: "gone"}} {
		assert.EqualError(t, walk.failure(err), "a.toml: not valid TOML: gone", "without a place")
	}

	convert := func(name, text string, to Format) string {
		converted, err := Convert(parse(t, name, text), to)
		require.NoError(t, err)
		return string(converted)
	}
	toml := convert("a.yaml", "servers: {a: {half: .5, whole: 1.5, list: [{a: ~, b: 1}]}}", TOML)
	assert.Contains(t, toml, "half = 0.5")
	assert.Contains(t, toml, "whole = 1.5")
	assert.Contains(t, toml, "b = 1")
	assert.Contains(t, convert("a.toml", "[servers.a]\nsmall = -inf\nbig = inf\nnone = nan\n", YAML), "small: -.inf")
	_, err := Convert(parse(t, "a.yaml", "defaults: {headers: {A: b}}\nservers: {a: {headers: ~}}"), TOML)
	require.Error(t, err, "TOML has no null, and the default would show")
	convert("a.yaml", "defaults: {cwd: x, headers: {cwd: ~}}\nservers: {a: {type: stdio}}", TOML)
}

func TestEnvFilesThatEndEarly(t *testing.T) {
	_, err := parseEnvFile("A=\"x\\")
	require.Error(t, err)
	_, err = parseEnvFile("A=\"x\\\"")
	require.Error(t, err)
}

func TestInputsAtTheEdges(t *testing.T) {
	for id, want := range map[string]bool{"": false, strings.Repeat("a", 200): true, strings.Repeat("a", 201): false, "a b": false, "a.b-c_1": true} {
		assert.Equal(t, want, isInputID(id), id)
	}
	all, faults := readInputs(nil, Options{})
	assert.Nil(t, all)
	assert.Empty(t, faults)
	cfg, err := Parse("a.yaml", []byte("inputs: {\"a b\": {}, ok: {}}\nservers: {}"))
	require.NoError(t, err)
	assert.Len(t, cfg.Faults(), 1)
	assert.Equal(t, []string{"ok"}, cfg.source.inputs.ids, "the one behind it is declared")
}

func TestDecodingGoesOnAfterAFault(t *testing.T) {
	cfg := parse(t, "/etc/mcp/a.yaml", "servers: {a: {numbers: [~, x], any: ['${NOPE}'], map: {k: '${NOPE}'}, empty: '', secret: '${NOPE}', number: 0}}")
	section, _ := cfg.Server("a")
	var decoded struct {
		Numbers []int  `config:"numbers"`
		Any     any    `config:"any"`
		Map     any    `config:"map"`
		Empty   any    `config:"empty,required"`
		Secret  Secret `config:"secret,required"`
		Number  any    `config:"number,required"`
	}
	keys := map[string]int{}
	for _, fault := range section.Decode(&decoded) {
		keys[fault.Key]++
	}
	assert.Equal(t, 1, keys["numbers[0]"])
	assert.Equal(t, 1, keys["numbers[1]"])
	assert.Equal(t, 1, keys["empty"])
	assert.Zero(t, keys["number"])
	assert.Nil(t, decoded.Any)
	assert.Nil(t, decoded.Map)
	assert.Equal(t, "/etc/mcp/x", section.Path("any", "x"))

	n := newMap(Origin{})
	n.set("", newText("x", Origin{}))
	name, rest := n.splitKey(".x")
	assert.Equal(t, ".x", name)
	assert.Empty(t, rest)
}

func TestVariablesOfOthers(t *testing.T) {
	cfg, err := ParseWith(Options{Environ: func() []string { return []string{"PATH=/bin", "STRICT=true", "MCPCLIENT_STORE"} }}, "a.yaml", []byte("servers: {}"))
	require.NoError(t, err)
	assert.False(t, cfg.Strict())
	_, hasStore := cfg.Store()
	assert.False(t, hasStore)
	assert.Empty(t, cfg.Faults())
	assert.Empty(t, cfg.Warnings())
}

func TestUserFolderOfAUser(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	t.Setenv("XDG_CONFIG_HOME", "/home/me/settings")
	folder, err := UserFolder()
	require.NoError(t, err)
	assert.Equal(t, "mcpclient", filepath.Base(folder))
	assert.True(t, filepath.IsAbs(folder))
}

func TestFilesAsLongAsTheLimit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(name, []byte("1234567890"), 0o600))
	text, err := readFile(name, 10)
	require.NoError(t, err)
	assert.Len(t, text, 10)
	_, err = readFile(name, 9)
	require.Error(t, err)
}

func TestPiecesOfWatching(t *testing.T) {
	folders := watchedFolders{names: map[string]map[string]bool{"/a": {"x": true}}}
	for name, test := range map[string]struct {
		event fsnotify.Event
		want  bool
	}{
		"the file":       {fsnotify.Event{Name: "/a/x", Op: fsnotify.Write}, true},
		"another file":   {fsnotify.Event{Name: "/a/y", Op: fsnotify.Write}, false},
		"the folder":     {fsnotify.Event{Name: "/a", Op: fsnotify.Write}, false},
		"another folder": {fsnotify.Event{Name: "/b", Op: fsnotify.Remove}, false},
	} {
		assert.Equal(t, test.want, folders.concerns(test.event), name)
	}
	assert.True(t, folders.concerns(fsnotify.Event{Name: "/a", Op: fsnotify.Remove}))

	for poll, want := range map[time.Duration][2]time.Duration{ // without events, with them
		-1: {5 * time.Second, never}, 0: {0, 0}, time.Second: {time.Second, time.Second}, time.Minute: {5 * time.Second, time.Minute},
	} {
		l := &watchLoop{options: WatchOptions{Poll: poll}}
		assert.Equal(t, want[0], l.pollInterval(), poll.String())
		l.events = &fsnotify.Watcher{}
		assert.Equal(t, want[1], l.pollInterval(), poll.String())
		l.watched.incomplete = true
		assert.Equal(t, want[0], l.pollInterval(), poll.String())
	}

	for name, test := range map[string]struct {
		text string
		err  error
		want bool
	}{"text": {"a", nil, false}, "blank": {" ", nil, true}, "error": {"", errors.New("gone"), true}, "error with text": {"a", errors.New("gone"), true}} {
		recorder := fileRecorder{seen: map[string]bool{}, read: func(string) ([]byte, error) { return []byte(test.text), test.err }}
		_, _ = recorder.readFile("a")
		assert.Equal(t, test.want, recorder.unsettled, name)
		recorder.read = func(string) ([]byte, error) { return []byte("good"), nil }
		_, _ = recorder.readFile("b")
		assert.Equal(t, test.want, recorder.unsettled, "a good file settles nothing: %s", name)
	}
}
