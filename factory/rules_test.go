package factory

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// The rules for transporters that concern configuration and registration; the
// others are held by the tests of package session.

// Rule 4: a bad configuration is the configuration error type, before anything
// is started.
func TestRule04ConfigurationErrors(t *testing.T) {
	for _, text := range []string{
		"{type: http}", "{type: http, base_url: 7}", "{type: stdio}", "{type: stdio, command: 'a b'}", "{}", "{type: carrier-pigeon}",
	} {
		cfg, err := config.Parse("mcp.yaml", []byte("servers:\n  a: "+text+"\n"))
		require.NoError(t, err)
		section, _ := cfg.Server("a")
		made, err := New().Make(section)
		require.Nil(t, made, text)
		problem, ok := errors.AsType[*errors.ServerConfigurationError](err)
		require.True(t, ok, text)
		require.Equal(t, "a", problem.Server)
		require.NotEmpty(t, problem.Faults)
	}
}

// Rule 5: constructors take the configuration first, then optional seams with
// sensible defaults.
func TestRule05ConfigurationFirst(t *testing.T) {
	for _, constructor := range []any{httplink.New, httplink.NewSSE, stdiolink.New, session.New, supervise.New} {
		f := reflect.TypeOf(constructor)
		require.Equal(t, reflect.String, f.In(0).Kind(), "the server's name, for errors and logs")
		configuration := f.In(1)
		if configuration.Kind() == reflect.Pointer {
			configuration = configuration.Elem()
		}
		require.Equal(t, reflect.Struct, configuration.Kind())
		require.True(t, f.IsVariadic(), "what is injected is optional")
	}
}

// Rule 16: the factory alone maps a type to a constructor; a new one is added by
// registering it.
func TestRule16Registration(t *testing.T) {
	f := New()
	own := func(*config.Section, Build) (Blueprint, []errors.Fault) { return Blueprint{}, nil }
	cfg, err := config.Parse("mcp.yaml", []byte("servers:\n  a: {type: pigeon}\n"))
	require.NoError(t, err)
	section, _ := cfg.Server("a")
	require.NotEmpty(t, f.Check(section))
	require.NoError(t, f.Register("pigeon", own))
	require.Empty(t, f.Check(section))
}

// Rule 17: every key is documented, with its default where it has one.
func TestRule17KeysAreDocumented(t *testing.T) {
	f := New()
	for _, name := range append(f.Types(), "") {
		keys := f.Keys(name)
		require.NotEmpty(t, keys)
		for _, key := range keys {
			require.NotEmpty(t, key.Doc, "%s %s", name, key.Key)
		}
	}
}
