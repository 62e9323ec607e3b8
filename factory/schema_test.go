package factory

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"
	koanfjson "github.com/knadh/koanf/parsers/json"
	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonschema"
)

// updateSchema makes TestSchemaIsCurrent write what it would compare.
var updateSchema = flag.Bool("update-schema", false, "write docs/mcp.schema.json")

func TestSchemaIsCurrent(t *testing.T) {
	current, err := New().Schema()
	require.NoError(t, err)
	path := filepath.Join("..", "docs", "mcp.schema.json")
	if *updateSchema {
		require.NoError(t, os.WriteFile(path, current, 0o644))
	}
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(current), string(written), "make it current: go test ./factory -run TestSchemaIsCurrent -update-schema")
}

func schema(t *testing.T, f *TransporterFactory) *jsonschema.Schema {
	t.Helper()
	text, err := f.Schema()
	require.NoError(t, err)
	compiled, err := jsonschema.Compile(text)
	require.NoError(t, err)
	return compiled
}

// asJSON is a file's content as an editor checks it.
func asJSON(t *testing.T, text string, parser koanf.Parser) []byte {
	t.Helper()
	tree, err := parser.Unmarshal([]byte(text))
	require.NoError(t, err)
	document, err := json.Marshal(tree)
	require.NoError(t, err)
	return document
}

// What the program takes, an editor takes too, and what it refuses for its form an
// editor marks.
func TestSchemaAndProgramAgree(t *testing.T) {
	t.Setenv("MCP_FACTORY_TEST_URL", "https://h")
	compiled := schema(t, New())
	server := func(keys string) string { return "servers:\n  s: {" + keys + "}\n" }
	const http, stdio = "type: http, base_url: 'https://h'", "type: stdio, command: [x]"
	for text, valid := range map[string]bool{
		server(http):                          true,
		server(stdio):                         true,
		server("type: sse, url: 'https://h'"): true,
		server("type: stdio, command: x"):     true,
		server("type: stdio, command: '${MCP_FACTORY_TEST_URL}'"):                                                true,
		server("type: http, url: '${MCP_FACTORY_TEST_URL}', token: 12"):                                          true,
		server(http + ", headers: {A: 1, B: true, C: x, D: ~}"):                                                  true,
		server(http + ", timeout: 30, read_timeout: off, close_timeout: '1m30s'"):                                true,
		server(http + ", request_timeout: ~, tls: {min_version: '1.3'}"):                                         true,
		server(http + ", tools: {allow: ['a*'], deny: []}"):                                                      true,
		server(stdio + ", inherit_env: true, supervision: {max_restarts: 5, backoff: 1s}, startup_delay: 0"):     true,
		server(stdio + ", inherit_env: none, max_line_bytes: '65536', health_check: {interval: 5s}"):             true,
		server(stdio + ", protocol: '2025-11-25', progress: on_request, instances: 2, max_in_flight: 3"):         true,
		"defaults: {type: stdio}\n" + server("command: [x]"):                                                     true,
		"defaults: {request_timeout: 5s, command: [x]}\n" + server("type: stdio"):                                true,
		"strict: true\nstore: memory\nx-a: {b: 1}\ninputs: {a: {password: true, options: [x]}}\n" + server(http): true,
		"strict: 'true'\nstore: {type: memory}\n" + server(http):                                                 true,

		"store: {type: memory}\n" + server(http):                          true,
		"store: {type: own, anything: 1}\n" + server(http):                true,
		"store: {type: redis, url: 'redis://h', key: k}\n" + server(http): true,
		"store: {type: redis, url: '${MCP_FACTORY_TEST_URL}', key: k, timeout: 1s, near_cache: false, near_cache_bytes: 5, tokens_when_down: local, prefix: x}\n" + server(http): true,
		"store: {type: memory, url: x}\n" + server(http):                          false,
		"store: {}\n" + server(http):                                              false,
		"store: {type: redis, key: k}\n" + server(http):                           false,
		"store: {type: redis, url: 'redis://h'}\n" + server(http):                 false,
		"store: {type: redis, url: 'redis://h', key: k, ulr: x}\n" + server(http): false,
		"store: [x]\n" + server(http):                                             false,
		server("type: http"):                                                      false,
		server("type: stdio"):                                                     false,
		server("base_url: 'https://h'"):                                           false,
		server("type: htpp, base_url: 'https://h'"):                               false,
		server(http + ", command: [x]"):                                           false,
		server(stdio + ", url: x"):                                                false,
		server(http + ", tiemout: 5s"):                                            false,
		server(http + ", timeout: fast"):                                          false,
		server(http + ", timeout: -1"):                                            false,
		server(http + ", timeout: 0"):                                             false,
		server(http + ", max_response_bytes: many"):                               false,
		server(http + ", tls: {min_version: '1.1'}"):                              false,
		server(http + ", tls: {insecure: true}"):                                  false,
		server(http + ", tools: {allow: a}"):                                      false,
		server(http + ", tools: {allow: [~]}"):                                    false,
		server(http + ", headers: [a]"):                                           false,
		server(http + ", output_validation: strcit"):                              false,
		server("type: stdio, command: npx -y x"):                                  false,
		server(stdio + ", supervision: {restarts: 1}"):                            false,
		server(stdio + ", supervision: 3"):                                        false,
		server(stdio + ", inherit_env: some"):                                     false,
		"server: {}\n" + server(http):                                             false,
		"strict: perhaps\n" + server(http):                                        false,
		"defaults: {nothing: 1}\n" + server(http):                                 false,
		"inputs: {a: {pasword: true}}\n" + server(http):                           false,
		"servers: [x]\n":                                                          false,
	} {
		cfg, err := config.Parse("mcp.yaml", []byte(text))
		require.NoError(t, err)
		assert.Equal(t, valid, len(faultsOf(cfg)) == 0, "the program, of %s: %v", text, faultsOf(cfg))
		err = compiled.Validate(asJSON(t, text, yaml.Parser()))
		assert.Equal(t, valid, err == nil, "the schema, of %s: %v", text, err)
	}
}

func faultsOf(cfg *config.Config) []errors.Fault {
	// Stores as programs add them.
	redis := func(section *config.Section, _ hclog.Logger) (Stores, []errors.Fault) {
		return Stores{}, section.Decode(&RedisKeys{})
	}
	own := func(*config.Section, hclog.Logger) (Stores, []errors.Fault) { return Stores{}, nil }
	f := New(WithStoreType(storeRedis, redis), WithStoreType("own", own))
	faults := append(cfg.Faults(), f.CheckDefaults(cfg.Defaults())...)
	faults = append(faults, f.CheckStore(cfg)...)
	for _, name := range cfg.Names() {
		section, _ := cfg.Server(name)
		faults = append(faults, f.Check(section)...)
	}
	return faults
}

// The configurations of this repository pass.
func TestSchemaOfFilesInThisRepository(t *testing.T) {
	compiled := schema(t, New())
	checked := 0
	for _, pattern := range []string{"../examples/*/*.yaml", "../examples/*/*.toml", "../examples/*/*.json", "../cmd/mcpclient/*.yaml", "../testdata/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			parsers := map[string]koanf.Parser{".yaml": yaml.Parser(), ".toml": toml.Parser(), ".json": koanfjson.Parser()}
			document := asJSON(t, string(text), parsers[filepath.Ext(name)])
			var tree map[string]any
			require.NoError(t, json.Unmarshal(document, &tree))
			if tree["servers"] == nil {
				continue // another program's file
			}
			assert.NoError(t, compiled.Validate(document), name)
			checked++
		}
	}
	assert.Positive(t, checked)
}

// The words that a key documents are those that its owner takes.
func TestDocumentedWords(t *testing.T) {
	base := map[string]string{"http": "base_url: 'https://h'", "sse": "base_url: 'https://h'", "stdio": "command: [x]"}
	f, words := New(), 0
	for _, name := range f.Types() {
		for _, field := range append(f.Keys(""), f.Keys(name)...) {
			for _, word := range append(field.Values, "no-such-word") {
				if field.Values == nil {
					continue
				}
				refused := false
				for _, fault := range f.Check(serverWith(t, "type: "+name+", "+base[name], field.Key, word)) {
					refused = refused || fault.Key == field.Key
				}
				assert.Equal(t, word == "no-such-word", refused, "%s: %s: %s", name, field.Key, word)
				words++
			}
		}
	}
	assert.Greater(t, words, 50)
}

// nested is a tree with one value at a path.
func nested(path, value string) map[string]any {
	tree := map[string]any{}
	setNested(tree, path, value)
	return tree
}

func setNested(tree map[string]any, path, value string) {
	for i, c := range path {
		if c == '.' {
			inner, ok := tree[path[:i]].(map[string]any)
			if !ok {
				inner = map[string]any{}
				tree[path[:i]] = inner
			}
			setNested(inner, path[i+1:], value)
			return
		}
	}
	tree[path] = value
}

// serverWith is a section that has some keys, and one more, by a path with dots.
func serverWith(t *testing.T, keys, key, word string) *config.Section {
	t.Helper()
	more, err := json.Marshal(nested("servers.s."+key, word))
	require.NoError(t, err)
	files := map[string]string{"mcp.yaml": "servers:\n  s: {" + keys + "}\n", "over.json": string(more)}
	read := func(path string) ([]byte, error) { return []byte(files[path]), nil }
	cfg, err := config.LoadWith(config.Options{ReadFile: read}, "mcp.yaml", "over.json")
	require.NoError(t, err)
	section, _ := cfg.Server("s")
	return section
}

// A type of a program's own is in its schema.
func TestSchemaOfARegisteredType(t *testing.T) {
	type own struct {
		Address string `config:"address,required" doc:"where it is"`
	}
	construct := func(*config.Section, Build) (Blueprint, []errors.Fault) { return Blueprint{}, nil }
	f := New()
	require.NoError(t, f.Register("nats", construct, own{}))
	compiled := schema(t, f)
	require.NoError(t, compiled.Validate([]byte(`{"servers": {"s": {"type": "nats", "address": "x"}}, "defaults": {"address": "y"}}`)))
	require.Error(t, compiled.Validate([]byte(`{"servers": {"s": {"type": "nats"}}}`)))
	require.Error(t, compiled.Validate([]byte(`{"servers": {"s": {"type": "nats", "address": "x", "adress": 1}}}`)))

	require.NoError(t, f.Register("open", construct))
	compiled = schema(t, f)
	require.NoError(t, compiled.Validate([]byte(`{"servers": {"s": {"type": "open", "anything": 1}}, "defaults": {"anything": 2}}`)))

	ownStore := func(*config.Section, hclog.Logger) (Stores, []errors.Fault) { return Stores{}, nil }
	require.NoError(t, f.RegisterStore("shelf", ownStore, own{}))
	compiled = schema(t, f)
	require.NoError(t, compiled.Validate([]byte(`{"servers": {}, "store": {"type": "shelf", "address": "x"}}`)))
	require.Error(t, compiled.Validate([]byte(`{"servers": {}, "store": {"type": "shelf", "adress": "x"}}`)))

	require.NoError(t, f.Register("broken", construct, struct {
		A chan int `config:"a"`
	}{}))
	_, err := f.Schema()
	require.ErrorContains(t, err, "chan int")
}
