package mcpclient_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

const threeServers = `
servers:
  files:
    type: stdio
    command: [definitely-not-installed]
  broken:
    type: htpp
    base_url: https://api.example.com/mcp
  github.com:
    type: http
    base_url: https://api.example.com/mcp
    read_timout: 5s
`

func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	cfg, err := config.Parse("mcp.yaml", []byte(text))
	require.NoError(t, err)
	return cfg
}

func TestOneBadServerDoesNotSinkTheRest(t *testing.T) {
	client, err := mcpclient.New(parse(t, threeServers))
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()

	assert.Equal(t, []string{"files", "broken", "github.com"}, client.Servers(), "in the order of the file")
	require.Len(t, client.Problems(), 2)
	assert.Equal(t, "broken", client.Problems()[0].Server)
	assert.EqualError(t, client.Problems()[0], `mcp.yaml:7:5: server "broken": type: unknown type; found htpp; allowed: http, sse, stdio; did you mean "http"?`)
	assert.Equal(t, "github.com", client.Problems()[1].Server)
	assert.ErrorContains(t, client.Problems()[1], `read_timout: unknown key; did you mean "read_timeout"?`)

	files, err := client.Connect("files")
	require.NoError(t, err, "Connect does no I/O, so that a missing program does not show")
	assert.Equal(t, "files", files.Name())
	assert.Equal(t, transporters.StateIdle, files.State())

	_, err = client.Connect("broken")
	problem, ok := errors.AsType[*errors.ServerConfigurationError](err)
	require.True(t, ok)
	assert.Equal(t, "broken", problem.Server)
}

func TestStrictMakesEveryFaultFatal(t *testing.T) {
	client, err := mcpclient.New(parse(t, "strict: true\n"+threeServers))
	assert.Nil(t, client)
	assert.ErrorContains(t, err, "unknown type; found htpp")
	assert.ErrorContains(t, err, "read_timout")

	client, err = mcpclient.New(parse(t, "strict: true\nservers: {a: {type: stdio, command: [x]}}\n"))
	require.NoError(t, err)
	require.NoError(t, client.Close())
}

func TestFaultsOutsideAnyServer(t *testing.T) {
	client, err := mcpclient.New(parse(t, "default: {}\ndefaults: {read_timeout: 5s, max_restarts: 3, nonsense: 1}\nservers: {a: {type: stdio, command: [x]}}\n"))
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	require.Len(t, client.Problems(), 1)
	problem := client.Problems()[0]
	assert.Empty(t, problem.Server)
	text := problem.Error()
	assert.Contains(t, text, `unknown top-level key`)
	assert.Contains(t, text, `defaults.nonsense: unknown key`)
	assert.Contains(t, text, `defaults.max_restarts: unknown key; did you mean "supervision.max_restarts"?`)
	assert.NotContains(t, text, "read_timeout", "a default for http is no mistake beside a stdio server")
	_, err = client.Connect("a")
	require.NoError(t, err)
}

func TestConnectToAnUnknownServer(t *testing.T) {
	client, err := mcpclient.New(parse(t, threeServers))
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	_, err = client.Connect("github")
	require.ErrorIs(t, err, errors.ErrUnknownServer)
	assert.EqualError(t, err, `unknown server "github"; configured: files, broken, github.com`)
	_, err = client.Connect("fils")
	assert.EqualError(t, err, `unknown server "fils"; configured: files, broken, github.com; did you mean "files"?`)

	empty, err := mcpclient.New(nil)
	require.NoError(t, err)
	_, err = empty.Connect("x")
	assert.EqualError(t, err, `unknown server "x": no server is configured`)
	require.NoError(t, empty.Close())
}

func TestTwoHandlesShareOneConnection(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	client := newClient(t, map[string]any{"demo": map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, server)}})
	for range 2 {
		handle, err := client.Connect("demo")
		require.NoError(t, err)
		require.NoError(t, handle.Ping(t.Context()))
	}
	assert.Equal(t, 1, server.Count("initialize"))
	assert.Empty(t, server.Violations())
}

func TestTwoServersNeverInterfere(t *testing.T) {
	one, two := mcptest.NewDemoServer(), mcptest.NewDemoServer()
	client := newClient(t, map[string]any{
		"one": map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, one)},
		"two": map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, two)},
	})
	first, err := client.Connect("one")
	require.NoError(t, err)
	second, err := client.Connect("two")
	require.NoError(t, err)
	_, err = first.CallTool(t.Context(), "echo", map[string]string{"text": "1"})
	require.NoError(t, err)
	assert.Equal(t, 1, one.Count("tools/call"))
	assert.Zero(t, two.Count("tools/call"))

	require.NoError(t, first.Close())
	_, err = second.CallTool(t.Context(), "echo", map[string]string{"text": "2"})
	require.NoError(t, err, "closing one leaves the other")
}

func TestInjectedTransportersReplaceServers(t *testing.T) {
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/list").Return(`{"tools":[{"name":"a"}]}`).Times(2)
	var order []string
	note := func(name string) transporters.Wrapper {
		return func(next transporters.Transporter) transporters.Transporter {
			return transporters.TransporterFunc(func(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
				order = append(order, name)
				return next.Request(ctx, action, params, onEvent)
			})
		}
	}
	client, err := mcpclient.New(parse(t, threeServers),
		mcpclient.WithTransporter("new", fake), mcpclient.WithTransporter("broken", fake),
		mcpclient.Use(note("outer"), note("inner")))
	require.NoError(t, err)
	assert.Equal(t, []string{"files", "broken", "github.com", "new"}, client.Servers())
	assert.Len(t, client.Problems(), 1, "the section of a server that is replaced is not looked at")

	for _, name := range []string{"broken", "new"} {
		connection, err := client.Connect(name)
		require.NoError(t, err)
		tools, err := connection.Tools(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, tools.Keys())
	}
	assert.Equal(t, []string{"outer", "inner", "outer", "inner"}, order)

	require.NoError(t, client.Close())
	connection, err := client.Connect("new")
	require.NoError(t, err)
	_, err = connection.Tools(t.Context())
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	assert.ErrorContains(t, err, `mcp server "new": tools/list`)
	assert.Equal(t, transporters.StateClosed, connection.State())
	assert.EqualValues(t, 2, connection.Stats().Requests, "one that was refused is a request too")
	assert.EqualValues(t, 1, connection.Stats().FailuresByKind.Of(errors.KindClosed))
}

func TestInjectedNilIsRefused(t *testing.T) {
	_, err := mcpclient.New(nil, mcpclient.WithTransporter("x", nil))
	assert.EqualError(t, err, `the transporter for server "x" is nil`)
}

func TestUsedWrappersStandOutsideThePolicies(t *testing.T) {
	server := mcptest.NewDemoServer()
	var seen error
	outermost := func(next transporters.Transporter) transporters.Transporter {
		return transporters.TransporterFunc(func(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
			result, err := next.Request(ctx, action, params, onEvent)
			seen = err
			return result, err
		})
	}
	connection := connectHTTP(t, server, map[string]any{"tools": map[string]any{"deny": []string{"fail"}}}, mcpclient.Use(outermost))
	_, err := connection.CallTool(t.Context(), "fail", nil)
	require.ErrorIs(t, err, errors.ErrToolDenied)
	require.ErrorIs(t, seen, errors.ErrToolDenied)
	assert.Zero(t, server.Count("tools/call"))

	tools, err := connection.Tools(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"echo", "add", "slow", "log"}, tools.Keys(), "what is denied is not listed either")
}

func TestRegisteredTypes(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	types := factory.New()
	require.NoError(t, types.Register("memory", func(section *config.Section, build factory.Build) (factory.Blueprint, []errors.Fault) {
		faults := section.Decode(&struct {
			Room string `config:"room,required"`
		}{})
		return factory.Blueprint{Open: func(factory.Caller) (transporters.Base, error) {
			return session.New(build.Server, build.Settings, server.Link(), build.Session...), nil
		}}, faults
	}))
	connection := connect(t, map[string]any{"type": "memory", "room": "a"},
		mcpclient.WithFactory(types), mcpclient.WithClientInfo(mcp.Implementation{Name: "backend", Version: "7"}))
	require.NoError(t, connection.Ping(t.Context()))
	assert.Contains(t, string(server.Received()[0].Raw), `"backend"`)

	client, err := mcpclient.New(parse(t, "servers: {a: {type: memory, rom: b}}"), mcpclient.WithFactory(types))
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	require.Len(t, client.Problems(), 1)
	assert.Len(t, client.Problems()[0].Faults, 2, "a type of the user's own is checked as strictly: %v", client.Problems()[0])
}

func TestTheUsersRestyClientIsUsed(t *testing.T) {
	server := mcptest.NewDemoServer()
	users := resty.New().OnBeforeRequest(func(_ *resty.Client, request *resty.Request) error {
		request.SetHeader("X-From", "middleware")
		return nil
	})
	defer users.GetClient().CloseIdleConnections()
	connection := connectHTTP(t, server, nil, mcpclient.WithRestyClient(users))
	require.NoError(t, connection.Ping(t.Context()))
	for _, received := range server.Received() {
		assert.Equal(t, "middleware", received.Header.Get("X-From"), received.Method)
	}
}

func TestCloseAndShutdown(t *testing.T) {
	t.Run("Close ends running calls", func(t *testing.T) {
		server := mcptest.NewDemoServer()
		connection := connectHTTP(t, server, nil)
		failed := make(chan error, 1)
		go func() {
			_, err := connection.CallTool(context.Background(), "slow", map[string]int{"ms": 60_000})
			failed <- err
		}()
		server.Await(t, "tools/call", 1)
		require.NoError(t, connection.Close())
		err := <-failed
		require.ErrorIs(t, err, errors.ErrTransportClosed)
		assert.NotErrorIs(t, err, context.Canceled)
		_, err = connection.Tools(t.Context())
		require.ErrorIs(t, err, errors.ErrTransportClosed)
		assert.True(t, errors.SafeToRetry(err))
		require.NoError(t, connection.Close())
	})
	t.Run("Shutdown lets running calls finish", func(t *testing.T) {
		server := mcptest.NewDemoServer()
		client := newClient(t, map[string]any{"demo": map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, server)}})
		connection, err := client.Connect("demo")
		require.NoError(t, err)
		finished := make(chan error, 1)
		go func() {
			_, err := connection.CallTool(context.Background(), "slow", map[string]int{"ms": 100})
			finished <- err
		}()
		server.Await(t, "tools/call", 1)
		require.NoError(t, client.Shutdown(t.Context()))
		require.NoError(t, <-finished)
		assert.Equal(t, transporters.StateClosed, connection.State())
	})
	t.Run("Shutdown gives up with its context", func(t *testing.T) {
		server := mcptest.NewDemoServer()
		connection := connectHTTP(t, server, nil)
		failed := make(chan error, 1)
		go func() {
			_, err := connection.CallTool(context.Background(), "slow", map[string]int{"ms": 60_000})
			failed <- err
		}()
		server.Await(t, "tools/call", 1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, connection.Shutdown(ctx), context.Canceled)
		require.ErrorIs(t, <-failed, errors.ErrTransportClosed)
	})
}

func TestClientEndsItsConnectionsAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bases := []*slowBase{{gate: make(chan struct{})}, {gate: make(chan struct{})}}
		client, err := mcpclient.New(nil, mcpclient.WithTransporter("a", bases[0]), mcpclient.WithTransporter("b", bases[1]))
		require.NoError(t, err)
		closed := make(chan error, 1)
		go func() { closed <- client.Close() }()
		synctest.Wait()
		close(bases[1].gate) // would never be reached one after the other
		synctest.Wait()
		assert.True(t, bases[1].closed)
		assert.False(t, bases[0].closed)
		close(bases[0].gate)
		require.ErrorContains(t, <-closed, "it hurt")
	})
}

// slowBase closes when its gate opens, and complains.
type slowBase struct {
	transporters.Base
	gate   chan struct{}
	closed bool
}

func (b *slowBase) Close() error {
	<-b.gate
	b.closed = true
	return errors.New("it hurt")
}

func TestSecretsAreInNoError(t *testing.T) {
	t.Setenv("API_TOKEN", "canary-7b3f")
	refused := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	cfg := parse(t, "servers:\n  a:\n    type: http\n    base_url: "+serve(t, refused)+"\n    token: ${API_TOKEN}\n    headers: {X-Key: canary-9c1d}\n  b: {type: http, base_url: 'ftp://u:canary-1a2b@h', token: '${API_TOKEN}', bogus: 1}\n")
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	connection, err := client.Connect("a")
	require.NoError(t, err)
	_, err = connection.Tools(t.Context())
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	texts := []string{err.Error()}
	for _, problem := range client.Problems() {
		texts = append(texts, problem.Error())
	}
	require.Len(t, texts, 2)
	for _, text := range texts {
		assert.False(t, strings.Contains(text, "canary"), text)
	}
}
