package factory

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

func section(t *testing.T, text string) *config.Section {
	t.Helper()
	cfg, err := config.Parse("mcp.yaml", []byte(text))
	require.NoError(t, err)
	s, ok := cfg.Server("s")
	require.True(t, ok)
	return s
}

// Each kind of bad input, with what a person is told.
func TestFaultsOfASection(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"no type":                     {"servers:\n  s:\n    base_url: http://h\n", []string{"type: "}},
		"an unknown type":             {"servers:\n  s:\n    type: sdtio\n    command: [x]\n", []string{`mcp.yaml:3:5: server "s": type: unknown type; found sdtio; allowed: http, sse, stdio; did you mean "stdio"?`}},
		"case matters":                {"servers:\n  s:\n    type: HTTP\n", []string{`type: unknown type; found HTTP; allowed: http, sse, stdio; did you mean "http"?`}},
		"a type of another kind":      {"servers:\n  s:\n    type: [http]\n", []string{"type: "}},
		"an unknown key":              {"servers:\n  s:\n    type: http\n    base_url: http://h\n    time_out: 5s\n", []string{`mcp.yaml:5:5: server "s": time_out: unknown key; did you mean "timeout"?`}},
		"a key of another type":       {"servers:\n  s:\n    type: http\n    base_url: http://h\n    command: [x]\n", []string{"mcp.yaml:5:5: server \"s\": command: unknown key for type http: it belongs to type stdio"}},
		"a group of another type":     {"servers:\n  s:\n    type: stdio\n    command: [x]\n    tls: {ca_file: x}\n", []string{"tls: unknown key for type stdio: it belongs to type http and sse"}},
		"another type's alias":        {"servers:\n  s:\n    type: stdio\n    command: [x]\n    url: http://h\n", []string{"url: unknown key for type stdio: it belongs to type http and sse"}},
		"another program's name":      {"servers:\n  s:\n    type: streamable-http\n    url: http://h\n", []string{`type: unknown type; found streamable-http; allowed: http, sse, stdio; did you mean "http"?`}},
		"a proxy that is none":        {"servers:\n  s:\n    type: http\n    url: http://h\n    proxy: direct\n", []string{`proxy: not a proxy; found direct; allowed: env, off, or a URL of scheme http, https, socks5 or socks5h`}},
		"a key in another group":      {"servers:\n  s:\n    type: stdio\n    command: [x]\n    max_restarts: 3\n", []string{`max_restarts: unknown key; did you mean "supervision.max_restarts"?`}},
		"a key that a policy has not": {"servers:\n  s:\n    type: stdio\n    command: [x]\n    breaker: {threshold: 3}\n", []string{"breaker.threshold: unknown key"}},
		"a missing required key":      {"servers:\n  s:\n    type: http\n", []string{"base_url: "}},
		"a command line":              {"servers:\n  s:\n    type: stdio\n    command: npx -y server\n", []string{"command: "}},
		"an empty command":            {"servers:\n  s:\n    type: stdio\n    command: []\n", []string{"command: "}},
		"a bad duration":              {"servers:\n  s:\n    type: stdio\n    command: [x]\n    request_timeout: fast\n", []string{"request_timeout: "}},
		"a bad protocol":              {"servers:\n  s:\n    type: stdio\n    command: [x]\n    protocol: 2024-01-01\n", []string{"protocol: "}},
		"a key and its alias":         {"servers:\n  s:\n    type: stdio\n    command: [x]\n    request_timeout: 1s\n    timeout: 2s\n", []string{"timeout"}},
		"a malformed glob":            {"servers:\n  s:\n    type: stdio\n    command: [x]\n    tools: {deny: ['[a']}\n", []string{"mcp.yaml:5", "tools.deny: not a glob; found [a"}},
		"an unknown rule":             {"servers:\n  s:\n    type: stdio\n    command: [x]\n    tools: {denny: [a]}\n", []string{`tools.denny: unknown key; did you mean "tools.deny"?`}},
		"a bad URL":                   {"servers:\n  s:\n    type: http\n    base_url: api.example.com/mcp\n", []string{"base_url: a scheme is missing; did you mean https://api.example.com/mcp?"}},
		"a socket's relative path":    {"servers:\n  s:\n    type: sse\n    base_url: unix:mcp.sock#/sse\n", []string{"mcp.yaml:4:5: server \"s\": base_url: the path of a socket has to be absolute"}},
		"OAuth for a socket":          {"servers:\n  s:\n    type: http\n    base_url: unix:///run/mcp.sock#/mcp\n    auth: {}\n", []string{"mcp.yaml:5", "auth: a server on a Unix socket has no URL that an authorization server could know it by"}},
		"a denied host":               {"defaults: {network: {deny: [10.0.0.0/8]}}\nservers:\n  s:\n    type: http\n    base_url: http://10.0.0.7/mcp\n", []string{"base_url: network.deny forbids this host"}},
		"a bad entry of network":      {"servers:\n  s:\n    type: http\n    base_url: http://h\n    network: {deny: ['10.*']}\n", []string{"mcp.yaml:5", "network.deny: globs are for names; a range of addresses is written as a CIDR; found 10.*"}},
		"an unset variable":           {"servers:\n  s:\n    type: http\n    base_url: http://h\n    token: ${MCP_FACTORY_TEST_UNSET}\n", []string{"token: ", "MCP_FACTORY_TEST_UNSET"}},
		"a bad supervision":           {"servers:\n  s:\n    type: stdio\n    command: [x]\n    supervision: {max_restarts: 0}\n", []string{"supervision.max_restarts: "}},
		"no map":                      {"servers:\n  s: http\n", []string{"not a map"}},
		"null":                        {"servers:\n  s:\n", []string{"not a map"}},
		"several, in the order of the file": {"servers:\n  s:\n    type: http\n    timeout: -1\n    bogus: 1\n    base_url: ftp://h\n", []string{
			"mcp.yaml:4", "mcp.yaml:5",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := New()
			faults := f.Check(section(t, test.text))
			require.NotEmpty(t, faults)
			made, err := f.Make(section(t, test.text))
			assert.Nil(t, made)
			problem, ok := errors.AsType[*errors.ServerConfigurationError](err)
			require.True(t, ok, "%T", err)
			assert.Equal(t, "s", problem.Server)
			assert.Equal(t, faults, problem.Faults, "Check and Make agree")
			for _, want := range test.want {
				assert.ErrorContains(t, err, want)
			}
			for i := range faults[1:] {
				assert.LessOrEqual(t, faults[i].Line, faults[i+1].Line)
			}
			for _, fault := range faults {
				assert.Equal(t, "s", fault.Server)
				assert.Equal(t, "mcp.yaml", fault.File)
			}
		})
	}
}

// Whatever is wrong is told at once: that some keys do not decode keeps nobody
// from checking the others, and no key is complained of twice.
func TestAllFaultsAtOnce(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"http": {
			`{type: http, base_url: "ftp://h", timeout: fast, protocol: old, id_type: [x], max_response_bytes: many, headers: {"X Y": z}, bogus: 1, proxy: direct, tools: {allow: ["[a"]}}`,
			[]string{"timeout", "protocol", "id_type", "tools.allow", "base_url", "max_response_bytes", "headers.X Y", "bogus", "proxy"},
		},
		"stdio": {
			`{type: stdio, command: [" "], max_line_bytes: 1, shutdown_timeout: off, startup_delay: never, supervision: {max_restarts: 0, restart_window: fast}, progress: some}`,
			[]string{"command", "max_line_bytes", "shutdown_timeout", "startup_delay", "supervision.max_restarts", "supervision.restart_window", "progress"},
		},
		"no map":                   {`http`, []string{""}},
		"a group that is no group": {`{type: stdio, command: [x], supervision: 3, tools: [x]}`, []string{"supervision", "tools"}},
		"a list with a map in it":  {`{type: stdio, command: [x, {}], args: [{}]}`, []string{"command[1]", "args[0]"}},
	} {
		t.Run(name, func(t *testing.T) {
			var keys []string
			for _, fault := range New().Check(section(t, "servers:\n  s: "+test.text+"\n")) {
				keys = append(keys, fault.Key)
			}
			assert.ElementsMatch(t, test.want, keys)
		})
	}
}

func TestProxyOff(t *testing.T) {
	for _, value := range []string{"off", `"off"`, "none", "env"} {
		assert.Empty(t, New().Check(section(t, "servers:\n  s: {type: http, base_url: 'http://h', proxy: "+value+"}\n")), value)
	}
}

func TestMakeDoesNothingYet(t *testing.T) {
	f := New()
	made, err := f.Make(section(t, "servers:\n  s: {type: stdio, command: [no-such-program]}\n"))
	require.NoError(t, err)
	assert.Equal(t, transporters.StateIdle, made.Slot.State())
	assert.Zero(t, made.Slot.Stats())
	require.NoError(t, made.Slot.Close())
}

func TestDefaultsMayBeForAnotherType(t *testing.T) {
	cfg, err := config.Parse("mcp.yaml", []byte("defaults:\n  read_timeout: 5s\n  shutdown_timeout: 1s\n  request_timeout: 9s\n  reed_timeout: 1s\nservers:\n  s: {type: stdio, command: [x]}\n"))
	require.NoError(t, err)
	f := New()
	s, _ := cfg.Server("s")
	assert.Empty(t, f.Check(s))
	faults := f.CheckDefaults(cfg.Defaults())
	require.Len(t, faults, 1)
	assert.Equal(t, `mcp.yaml:5:3: defaults.reed_timeout: unknown key; did you mean "read_timeout"?`, faults[0].String())

	require.NoError(t, f.Register("own", func(*config.Section, Build) (Blueprint, []errors.Fault) { return Blueprint{}, nil }))
	assert.Empty(t, f.CheckDefaults(cfg.Defaults()), "a type that does not tell its keys may know any")
	require.NoError(t, f.Register("own", func(*config.Section, Build) (Blueprint, []errors.Fault) { return Blueprint{}, nil }, struct {
		Reed config.Duration `config:"reed_timeout"`
	}{}))
	assert.Empty(t, f.CheckDefaults(cfg.Defaults()))
}

func TestKeys(t *testing.T) {
	f := New()
	names := func(fields []config.Field) (keys []string) {
		for _, field := range fields {
			keys = append(keys, field.Key)
		}
		return keys
	}
	assert.Contains(t, names(f.Keys("")), "request_timeout")
	assert.Contains(t, names(f.Keys("http")), "tls.ca_file")
	assert.Contains(t, names(f.Keys("stdio")), "supervision.max_restarts")
	assert.NotContains(t, names(f.Keys("stdio")), "request_timeout", "those of every type are not repeated")
	assert.Nil(t, f.Keys("unknown"))
}

func TestRegister(t *testing.T) {
	f := New()
	assert.Equal(t, []string{"http", "sse", "stdio"}, f.Types())
	own := func(*config.Section, Build) (Blueprint, []errors.Fault) { return Blueprint{}, nil }
	require.Error(t, f.Register("", own))
	require.Error(t, f.Register("x", nil))
	require.NoError(t, f.Register("own", own))
	copied := f.With()
	require.NoError(t, f.Register("later", own))
	assert.Equal(t, []string{"http", "own", "sse", "stdio"}, copied.Types(), "a copy knows what was known then")
	assert.Equal(t, []string{"http", "sse", "stdio"}, New().Types(), "nothing is shared between factories")
}

func TestTheChainInItsOrder(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	var order []string
	note := func(name string) transporters.Wrapper {
		return func(next transporters.Transporter) transporters.Transporter {
			return transporters.TransporterFunc(func(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
				order = append(order, name)
				return next.Request(ctx, action, params, onEvent)
			})
		}
	}
	f := New(WithWrappers(note("1")), WithClientInfo(mcp.Implementation{Name: "factory", Version: "1"}), WithMaxPrincipals(1)).With(WithWrappers(note("2")))
	require.NoError(t, f.Register("memory", func(section *config.Section, build Build) (Blueprint, []errors.Fault) {
		faults := section.Decode(&struct{}{})
		return Blueprint{Open: func(caller Caller) (transporters.Base, error) {
			order = append(order, "open for "+caller.Principal)
			return session.New(build.Server, build.Settings, server.Link(), build.Session...), nil
		}}, faults
	}))
	made, err := f.Make(section(t, "servers:\n  s: {type: memory, tools: {deny: [fail]}}\n"))
	require.NoError(t, err)
	defer func() { require.NoError(t, made.Slot.Close()) }()

	ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Principal = "p" })
	_, err = made.Head.Request(ctx, "tools/call", map[string]any{"name": "fail"}, nil)
	require.ErrorIs(t, err, errors.ErrToolDenied)
	assert.Equal(t, []string{"1", "2"}, order, "the filter refuses before a base is opened")
	_, err = made.Head.Request(ctx, "tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"text": "x"}}, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "2", "1", "2", "open for p"}, order)
	assert.Contains(t, string(server.Received()[0].Raw), `"factory"`)
}

func TestServersOfOneFactoryShareConnections(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	var dialled atomic.Int32
	listening := httptest.NewUnstartedServer(server.Handler())
	listening.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			dialled.Add(1)
		}
	}
	listening.Start()
	defer listening.Close()

	f := New()
	defer f.CloseIdle()
	for range 2 {
		made, err := f.Make(section(t, "servers:\n  s: {type: http, url: '"+listening.URL+"'}\n"))
		require.NoError(t, err)
		_, err = made.Head.Request(t.Context(), "ping", nil, nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, made.Slot.Close()) }() // the last one closed closes the connection
	}
	assert.EqualValues(t, 1, dialled.Load(), "the second server uses the first one's connection")

	other := f.With()
	defer other.CloseIdle()
	made, err := other.Make(section(t, "servers:\n  s: {type: http, url: '"+listening.URL+"'}\n"))
	require.NoError(t, err)
	_, err = made.Head.Request(t.Context(), "ping", nil, nil)
	require.NoError(t, err)
	require.NoError(t, made.Slot.Close())
	assert.EqualValues(t, 2, dialled.Load(), "a copy of the factory has its own")
	assert.Empty(t, server.Violations())
}
