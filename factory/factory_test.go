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
		"no type":                  {"servers:\n  s:\n    base_url: http://h\n", []string{"type: "}},
		"an unknown type":          {"servers:\n  s:\n    type: sdtio\n    command: [x]\n", []string{`mcp.yaml:3:5: server "s": type: unknown type; found sdtio; allowed: http, stdio; did you mean "stdio"?`}},
		"case matters":             {"servers:\n  s:\n    type: HTTP\n", []string{`type: unknown type; found HTTP; allowed: http, stdio; did you mean "http"?`}},
		"a type of another kind":   {"servers:\n  s:\n    type: [http]\n", []string{"type: "}},
		"an unknown key":           {"servers:\n  s:\n    type: http\n    base_url: http://h\n    time_out: 5s\n", []string{`mcp.yaml:5:5: server "s": time_out: unknown key; did you mean "timeout"?`}},
		"a key of another type":    {"servers:\n  s:\n    type: http\n    base_url: http://h\n    command: [x]\n", []string{"command: unknown key"}},
		"a key in another group":   {"servers:\n  s:\n    type: stdio\n    command: [x]\n    max_restarts: 3\n", []string{`max_restarts: unknown key; did you mean "supervision.max_restarts"?`}},
		"a policy that is not yet": {"servers:\n  s:\n    type: stdio\n    command: [x]\n    breaker: {threshold: 3}\n", []string{"breaker: unknown key"}},
		"a missing required key":   {"servers:\n  s:\n    type: http\n", []string{"base_url: "}},
		"a command line":           {"servers:\n  s:\n    type: stdio\n    command: npx -y server\n", []string{"command: "}},
		"an empty command":         {"servers:\n  s:\n    type: stdio\n    command: []\n", []string{"command: "}},
		"a bad duration":           {"servers:\n  s:\n    type: stdio\n    command: [x]\n    request_timeout: fast\n", []string{"request_timeout: "}},
		"a bad protocol":           {"servers:\n  s:\n    type: stdio\n    command: [x]\n    protocol: 2024-01-01\n", []string{"protocol: "}},
		"a key and its alias":      {"servers:\n  s:\n    type: stdio\n    command: [x]\n    request_timeout: 1s\n    timeout: 2s\n", []string{"timeout"}},
		"a malformed glob":         {"servers:\n  s:\n    type: stdio\n    command: [x]\n    tools: {deny: ['[a']}\n", []string{"mcp.yaml:5", "tools.deny: not a glob; found [a"}},
		"an unknown rule":          {"servers:\n  s:\n    type: stdio\n    command: [x]\n    tools: {denny: [a]}\n", []string{`tools.denny: unknown key; did you mean "tools.deny"?`}},
		"a bad URL":                {"servers:\n  s:\n    type: http\n    base_url: api.example.com/mcp\n", []string{"base_url: not an absolute HTTP URL"}},
		"an unset variable":        {"servers:\n  s:\n    type: http\n    base_url: http://h\n    token: ${MCP_FACTORY_TEST_UNSET}\n", []string{"token: ", "MCP_FACTORY_TEST_UNSET"}},
		"a bad supervision":        {"servers:\n  s:\n    type: stdio\n    command: [x]\n    supervision: {max_restarts: 0}\n", []string{"supervision.max_restarts: "}},
		"no map":                   {"servers:\n  s: http\n", []string{"not a map"}},
		"null":                     {"servers:\n  s:\n", []string{"not a map"}},
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

func TestRegister(t *testing.T) {
	f := New()
	assert.Equal(t, []string{"http", "stdio"}, f.Types())
	own := func(*config.Section, Build) (Blueprint, []errors.Fault) { return Blueprint{}, nil }
	require.Error(t, f.Register("", own))
	require.Error(t, f.Register("x", nil))
	require.NoError(t, f.Register("own", own))
	copied := f.With()
	require.NoError(t, f.Register("later", own))
	assert.Equal(t, []string{"http", "own", "stdio"}, copied.Types(), "a copy knows what was known then")
	assert.Equal(t, []string{"http", "stdio"}, New().Types(), "nothing is shared between factories")
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
		require.NoError(t, made.Slot.Close())
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
