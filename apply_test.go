package mcpclient_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

// rooms is a factory with the type memory: servers in this process, whose key
// room they answer to the tool room. made counts how often a base was opened, by
// room, and wrapped how many chains were built.
type rooms struct {
	*factory.TransporterFactory
	opened  map[string]*atomic.Int32
	wrapped atomic.Int32
}

func newRooms(t *testing.T, names ...string) *rooms {
	t.Helper()
	r := &rooms{TransporterFactory: factory.New(), opened: make(map[string]*atomic.Int32)}
	servers := make(map[string]*mcptest.Server)
	for _, name := range names {
		server := mcptest.NewDemoServer()
		server.AddTool(mcp.Tool{Name: "room"}, func(context.Context, *mcptest.Call) (any, error) { return name, nil })
		t.Cleanup(server.Close)
		servers[name], r.opened[name] = server, new(atomic.Int32)
	}
	require.NoError(t, r.Register("memory", func(section *config.Section, build factory.Build) (factory.Blueprint, []errors.Fault) {
		var keys roomKeys
		faults := section.Decode(&keys)
		if servers[keys.Room] == nil && len(faults) == 0 {
			faults = append(faults, section.Fault("room", "there is no such room"))
		}
		return factory.Blueprint{Open: func(factory.Caller) (transporters.Base, error) {
			r.opened[keys.Room].Add(1)
			return session.New(build.Server, build.Settings, servers[keys.Room].Link(), build.Session...), nil
		}}, faults
	}, roomKeys{}))
	return r
}

type roomKeys struct {
	Room string `config:"room,required" doc:"which one"`
}

func (r *rooms) options() []mcpclient.Option {
	return []mcpclient.Option{mcpclient.WithFactory(r.TransporterFactory), mcpclient.Use(func(next transporters.Transporter) transporters.Transporter {
		r.wrapped.Add(1)
		return next
	})}
}

func (r *rooms) client(t *testing.T, text string, more ...mcpclient.Option) *mcpclient.Client {
	t.Helper()
	client, err := mcpclient.New(parse(t, text), append(r.options(), more...)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client
}

// roomOf asks the server where it is.
func roomOf(t *testing.T, connection *mcpclient.Connection) string {
	t.Helper()
	result, err := connection.CallTool(t.Context(), "room", nil)
	require.NoError(t, err)
	return result.Text()
}

func handle(t *testing.T, client *mcpclient.Client, name string) *mcpclient.Connection {
	t.Helper()
	connection, err := client.Connect(name)
	require.NoError(t, err)
	return connection
}

func apply(t *testing.T, client *mcpclient.Client, text string) mcpclient.Change {
	t.Helper()
	change, err := client.Apply(parse(t, text))
	require.NoError(t, err)
	return change
}

func TestApplyChangesWhatDiffers(t *testing.T) {
	r := newRooms(t, "red", "green", "blue")
	client := r.client(t, "servers:\n  a: {type: memory, room: red}\n  b: {type: memory, room: green}\n  c: {type: memory, room: blue}\n")
	a, b, c := handle(t, client, "a"), handle(t, client, "b"), handle(t, client, "c")
	assert.Equal(t, "red green blue", strings.Join([]string{roomOf(t, a), roomOf(t, b), roomOf(t, c)}, " "))
	require.EqualValues(t, 3, r.wrapped.Load())

	change := apply(t, client, "servers:\n  d: {type: memory, room: red}\n  b: {type: memory, room: blue}\n  # moved\n  a: {room: red, type: memory}\n")
	assert.Equal(t, mcpclient.Change{
		Source: "mcp.yaml", Added: []string{"d"}, Changed: []string{"b"}, Unchanged: []string{"a"}, Removed: []string{"c"},
	}, change)
	assert.Equal(t, "added d; changed b; removed c; 1 unchanged", change.String())
	assert.Equal(t, []string{"d", "b", "a"}, client.Servers(), "in the order of the file")
	assert.Empty(t, client.Problems())
	assert.EqualValues(t, 5, r.wrapped.Load(), "the chain of an unchanged server, and with it the state of its policies, is the one before")

	assert.Equal(t, "red blue", roomOf(t, a)+" "+roomOf(t, b), "handles that were given out follow")
	assert.Same(t, b, handle(t, client, "b"))
	assert.EqualValues(t, 1, r.opened["red"].Load(), "an unchanged server keeps its session")
	require.Eventually(t, func() bool {
		_, err := c.CallTool(t.Context(), "room", nil)
		return errors.Is(err, errors.ErrTransportClosed)
	}, 10*time.Second, time.Millisecond, "it ends beside Apply, which waits for nothing")
	_, err := client.Connect("c")
	require.ErrorIs(t, err, errors.ErrUnknownServer)
	assert.Equal(t, "red", roomOf(t, handle(t, client, "d")))

	change = apply(t, client, "servers:\n  c: {type: memory, room: green}\n")
	assert.Equal(t, "added c; removed d, b, a", change.String())
	assert.Equal(t, "green", roomOf(t, handle(t, client, "c")))
	assert.Equal(t, transporters.StateClosed, c.State(), "the handle of a server that was removed stays closed")
}

// The policies of a changed server are those of its new section, for handles that
// were given out too.
func TestApplyChangesPolicies(t *testing.T) {
	r := newRooms(t, "red")
	client := r.client(t, "servers:\n  a: {type: memory, room: red}\n")
	a := handle(t, client, "a")
	assert.Equal(t, "red", roomOf(t, a))
	apply(t, client, "defaults: {tools: {deny: [room]}}\nservers:\n  a: {type: memory, room: red}\n")
	_, err := a.CallTool(t.Context(), "room", nil)
	require.ErrorIs(t, err, errors.ErrToolDenied, "defaults belong to the section")
	apply(t, client, "servers:\n  a: {type: memory, room: red}\n")
	assert.Equal(t, "red", roomOf(t, a))
}

func TestApplyRefusesFaultySectionsAlone(t *testing.T) {
	r := newRooms(t, "red", "green")
	client := r.client(t, "servers:\n  a: {type: memory, room: red}\n  b: {type: memory, room: red}\n  c: {type: memory, rom: red}\n")
	a := handle(t, client, "a")
	assert.Equal(t, "red", roomOf(t, a))

	change := apply(t, client, "servers:\n  a: {type: memory, room: mauve}\n  b: {type: memory, room: green}\n  c: {type: memory, room: green}\n  d: {type: memori}\n")
	assert.Equal(t, "added c; changed b; refused a, d", change.String())
	assert.Equal(t, "red", roomOf(t, a), "it goes on as it was")
	assert.EqualValues(t, 1, r.opened["red"].Load())
	assert.Equal(t, change.Refused, client.Problems())
	require.Len(t, client.Problems(), 2)
	assert.EqualError(t, client.Problems()[0], "mcp.yaml:2:21: server \"a\": room: there is no such room\n"+
		"mcp.yaml:2:3: server \"a\": the section is refused: the server goes on as it was configured before")
	assert.NotContains(t, client.Problems()[1].Error(), "goes on")
	_, err := client.Connect("d")
	problem, ok := errors.AsType[*errors.ServerConfigurationError](err)
	require.True(t, ok)
	assert.Equal(t, "d", problem.Server)

	change = apply(t, client, "servers:\n  a: {type: memory, room: red}\n  b: {type: memory, room: green}\n  c: {type: memory, room: green}\n")
	assert.Equal(t, "removed d; 3 unchanged", change.String(), "a says again what is in force")
	assert.Empty(t, client.Problems())
	assert.EqualValues(t, 1, r.opened["red"].Load())
}

// What could concern every server, or is strict, refuses all.
func TestApplyRefusesWholeConfigurations(t *testing.T) {
	r := newRooms(t, "red", "green")
	const good = "servers:\n  a: {type: memory, room: red}\n"
	client := r.client(t, good)
	a := handle(t, client, "a")
	for _, text := range []string{
		"server:\n  a: {type: memory, room: green}\n", "", "servers: []\n", "servers: {}\ndefalts: {}\n",
		"defaults: {nonsense: 1}\nservers:\n  a: {type: stdio, command: [x]}\n",
		"strict: true\nservers:\n  a: {type: memory, room: green}\n  b: {type: memory}\n",
	} {
		change, err := client.Apply(parse(t, text))
		require.Error(t, err, text)
		assert.Equal(t, "refused as a whole", change.String(), text)
		assert.True(t, change.IsEmpty())
		assert.Equal(t, []string{"a"}, client.Servers(), text)
		assert.Equal(t, "red", roomOf(t, a))
		require.NotEmpty(t, client.Problems())
		assert.Empty(t, client.Problems()[0].Server)
		assert.ErrorContains(t, client.Problems()[0], "mcp.yaml: the configuration is refused as a whole", text)
		for _, problem := range client.Problems() {
			assert.ErrorContains(t, err, problem.Error())
		}
	}
	require.Len(t, client.Problems(), 2)
	assert.ErrorContains(t, client.Problems()[0], "strict is true")
	assert.ErrorContains(t, client.Problems()[1], `server "b": room: the key is required`)

	assert.Equal(t, "1 unchanged", apply(t, client, good).String())
	assert.Empty(t, client.Problems())
	_, err := client.Apply(nil)
	require.EqualError(t, err, "apply a configuration: it is nil")
	assert.Equal(t, "red", roomOf(t, a))
	assert.EqualValues(t, 1, r.opened["red"].Load())
	assert.Zero(t, r.opened["green"].Load())
}

func TestApplyLeavesInjectedTransporters(t *testing.T) {
	r := newRooms(t, "red")
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/call").Return(`{"content":[{"type":"text","text":"fake"}]}`).Always()
	client := r.client(t, "servers:\n  a: {type: memory, room: red}\n", mcpclient.WithTransporter("b", fake))
	b := handle(t, client, "b")
	change := apply(t, client, "servers:\n  b: {type: memory, room: nowhere}\n  a: {type: memory, room: red}\n")
	assert.Equal(t, "1 unchanged", change.String(), "the section of a server that is replaced is not looked at")
	assert.Equal(t, []string{"b", "a"}, client.Servers())
	assert.Equal(t, "fake", roomOf(t, b))
	apply(t, client, "servers: {}\n")
	assert.Equal(t, []string{"b"}, client.Servers())
	assert.Equal(t, "fake", roomOf(t, b))
}

func TestServersAddedAndRemovedByTheProgram(t *testing.T) {
	r := newRooms(t, "red", "green")
	client := r.client(t, "servers:\n  a: {type: memory, room: red}\n")
	b, err := client.AddServer("b", map[string]any{"type": "memory", "room": "green"})
	require.NoError(t, err)
	assert.Equal(t, "green", roomOf(t, b))
	assert.Same(t, b, handle(t, client, "b"))
	assert.Equal(t, []string{"a", "b"}, client.Servers())

	t.Run("refused", func(t *testing.T) {
		_, err := client.AddServer("b", map[string]any{"type": "memory", "room": "red"})
		require.ErrorIs(t, err, errors.ErrServerExists)
		_, err = client.AddServer("c", map[string]any{"type": "memory", "rom": "red"})
		problem, ok := errors.AsType[*errors.ServerConfigurationError](err)
		require.True(t, ok)
		assert.Len(t, problem.Faults, 2, "%v", problem)
		_, err = client.AddServer("c", make(chan int))
		require.Error(t, err)
		_, err = client.AddServer("", map[string]any{"type": "memory", "room": "red"})
		require.EqualError(t, err, "add a server: it needs a name")
		section, _ := parse(t, "servers:\n  a: {type: memory, room: red}\n").Server("a")
		_, err = client.AddServer("c", section)
		require.ErrorContains(t, err, "not that of a server of this name")
		require.ErrorIs(t, client.RemoveServer(t.Context(), "c"), errors.ErrUnknownServer)
		assert.Equal(t, []string{"a", "b"}, client.Servers())
	})
	t.Run("Apply keeps its hands off", func(t *testing.T) {
		assert.Equal(t, "1 unchanged", apply(t, client, "servers:\n  a: {type: memory, room: red}\n").String())
		change := apply(t, client, "servers:\n  b: {type: memory, room: red}\n  a: {type: memory, room: red}\n")
		assert.Equal(t, "refused b; 1 unchanged", change.String())
		assert.ErrorContains(t, client.Problems()[0], "the program has added a server of this name with other settings")
		assert.Equal(t, "green", roomOf(t, b))
		assert.Equal(t, []string{"b", "a"}, client.Servers())
	})
	t.Run("the configuration takes it over", func(t *testing.T) {
		change := apply(t, client, "servers:\n  a: {type: memory, room: red}\n  b: {type: memory, room: green}\n")
		assert.Equal(t, "2 unchanged", change.String())
		assert.EqualValues(t, 1, r.opened["green"].Load())
		assert.Equal(t, "removed b; 1 unchanged", apply(t, client, "servers:\n  a: {type: memory, room: red}\n").String())
	})
	t.Run("removed", func(t *testing.T) {
		section, _ := parse(t, "servers:\n  b: {type: memory, room: red}\n").Server("b")
		b, err := client.AddServer("b", section)
		require.NoError(t, err)
		assert.Equal(t, "red", roomOf(t, b))
		require.NoError(t, client.RemoveServer(t.Context(), "b"))
		assert.Equal(t, transporters.StateClosed, b.State())
		require.NoError(t, client.RemoveServer(t.Context(), "a"))
		assert.Empty(t, client.Servers())
		apply(t, client, "servers:\n  a: {type: memory, room: red}\n  c: {type: nothing}\n")
		assert.Equal(t, []string{"a", "c"}, client.Servers(), "what the configuration has comes back with it")
		require.NoError(t, client.RemoveServer(t.Context(), "c"), "one with faults")
		assert.Empty(t, client.Problems())
	})
}

func TestAClosedClientDoesNotChange(t *testing.T) {
	r := newRooms(t, "red")
	client := r.client(t, "servers:\n  a: {type: memory, room: red}\n")
	require.NoError(t, client.Close())
	_, err := client.Apply(parse(t, "servers:\n  b: {type: memory, room: red}\n"))
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	require.EqualError(t, err, "apply mcp.yaml: the client is closed: transport closed")
	_, err = client.Apply(parse(t, "nonsense: 1\n"))
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	_, err = client.AddServer("b", map[string]any{"type": "memory", "room": "red"})
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	require.ErrorIs(t, client.RemoveServer(t.Context(), "a"), errors.ErrTransportClosed)
	assert.Equal(t, []string{"a"}, client.Servers())
	assert.Empty(t, client.Problems())
}

// A connection that its user closed stays closed until its section changes.
func TestApplyToAConnectionThatWasClosed(t *testing.T) {
	r := newRooms(t, "red", "green")
	client := r.client(t, "servers:\n  a: {type: memory, room: red}\n")
	closed := handle(t, client, "a")
	require.NoError(t, closed.Close())
	assert.Equal(t, "1 unchanged", apply(t, client, "servers:\n  a: {type: memory, room: red}\n").String())
	assert.Same(t, closed, handle(t, client, "a"))
	assert.Equal(t, "changed a", apply(t, client, "servers:\n  a: {type: memory, room: green}\n").String())
	assert.Equal(t, "green", roomOf(t, handle(t, client, "a")))
	assert.Equal(t, transporters.StateClosed, closed.State())
}

func TestChangeString(t *testing.T) {
	assert.Equal(t, "no servers", mcpclient.Change{}.String())
	assert.True(t, mcpclient.Change{Unchanged: []string{"a"}}.IsEmpty())
	assert.False(t, mcpclient.Change{Removed: []string{"a"}}.IsEmpty())
	assert.Equal(t, "added a, b", fmt.Sprint(mcpclient.Change{Added: []string{"a", "b"}}))
}
