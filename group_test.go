package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// fakeTools is a member made of nothing but the small interfaces. Its tools answer
// with its name and theirs.
type fakeTools struct {
	mu     sync.Mutex
	name   string
	tools  []string
	err    error
	delay  time.Duration // heeds no context
	listed atomic.Int32
}

func (f *fakeTools) Tools(context.Context, ...mcpclient.CallOption) (mcpclient.Collection[mcp.Tool], error) {
	f.listed.Add(1)
	time.Sleep(f.delay)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return mcpclient.Collection[mcp.Tool]{}, f.err
	}
	var tools []mcp.Tool
	for _, name := range f.tools {
		tools = append(tools, mcp.Tool{Name: name, Description: f.name + "'s " + name})
	}
	return mcpclient.NewCollection(tools, mcp.Tool.Key), nil
}

func (f *fakeTools) CallTool(_ context.Context, name string, _ any, _ ...mcpclient.CallOption) (*mcp.CallToolResult, error) {
	return mcp.NewTextResult(f.name + "/" + name), nil
}

func (f *fakeTools) set(err error, tools ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err, f.tools = err, tools
}

func groupOf(t *testing.T, fakes []*fakeTools, options ...mcpclient.GroupOption) *mcpclient.Group {
	t.Helper()
	var members []mcpclient.Member
	for _, fake := range fakes {
		members = append(members, mcpclient.Member{Name: fake.name, Server: fake})
	}
	group, err := mcpclient.NewGroup(members, options...)
	require.NoError(t, err)
	return group
}

// callAll calls each tool of the listing by its name in the group.
func callAll(t *testing.T, group *mcpclient.Group, listing mcpclient.Listing[mcp.Tool]) {
	t.Helper()
	for name, tool := range listing.All() {
		assert.Equal(t, name, tool.Name)
		result, err := group.CallTool(t.Context(), name, nil)
		require.NoError(t, err)
		assert.Equal(t, tool.Server+"/"+tool.Entry.Name, result.Text())
	}
}

// Two of five servers are down or slow: the list of the others comes within the
// bound, and both errors name their server.
func TestGroupWithOneDownAndOneSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fakes := []*fakeTools{
			{name: "one", tools: []string{"a"}}, {name: "two", err: errors.New("connection refused")},
			{name: "three", tools: []string{"a", "b"}}, {name: "four", delay: time.Minute}, {name: "five", tools: []string{"c"}},
		}
		group := groupOf(t, fakes, mcpclient.WithServerLimit(2*time.Second))
		begun := time.Now()
		listing, err := group.Tools(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 2*time.Second, time.Since(begun))
		assert.Equal(t, []string{"one__a", "three__a", "three__b", "five__c"}, listing.Keys())
		require.Len(t, listing.Failures, 2)
		assert.Equal(t, "two", listing.Failures[0].Server)
		assert.Equal(t, "four", listing.Failures[1].Server)
		assert.EqualError(t, listing.Err(), "server \"two\": connection refused\n"+
			"server \"four\": no list within 2s, the limit for one server of a group: context deadline exceeded")
		assert.ErrorIs(t, listing.Err(), context.DeadlineExceeded)
		callAll(t, group, listing)

		_, err = group.CallTool(t.Context(), "two__x", nil)
		require.ErrorIs(t, err, errors.ErrUnknownName)
		assert.EqualError(t, err, `mcp server "(group)": tools/call: unknown name: no server of the group has a tool "two__x"; could not be listed: two, four`)
		assert.True(t, errors.SafeToRetry(err))

		all := groupOf(t, fakes, mcpclient.WithServerLimit(2*time.Second), mcpclient.AllOrNothing())
		listing, err = all.Tools(t.Context())
		require.ErrorContains(t, err, "list the tools of a group: ")
		require.ErrorContains(t, err, "connection refused")
		assert.Equal(t, 4, listing.Len())

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun = time.Now()
		listing, err = group.Tools(ctx)
		require.NoError(t, err)
		assert.Equal(t, time.Second, time.Since(begun), "the caller's own context bounds it too")
		assert.EqualError(t, listing.Failures[1], `server "four": context deadline exceeded`)

		down := groupOf(t, fakes[1:2])
		_, err = down.Tools(t.Context())
		require.EqualError(t, err, `list the tools of a group: server "two": connection refused`, "nothing at all is an error")
		none := groupOf(t, nil)
		listing, err = none.Tools(t.Context())
		require.NoError(t, err)
		assert.Zero(t, listing.Len())
		time.Sleep(time.Hour) // until those that heed no context have answered
	})
}

// The same over sockets: three servers that answer, one that is not there, and one
// that takes its time.
func TestGroupOfRealServersWithOneDownAndOneSlow(t *testing.T) {
	section := func(url string) map[string]any { return map[string]any{"type": "http", "base_url": url} }
	good := mcptest.StartHTTP(t, mcptest.NewDemoServer())
	slow := mcptest.StartHTTP(t, mcptest.NewDemoServer(mcptest.WithDelay(mcp.MethodListTools, 30*time.Second)))
	client := newClient(t, map[string]any{
		"a": section(good), "b": section(good), "c": section(good), "down": section("http://127.0.0.1:1/mcp"), "slow": section(slow),
	})
	begun := time.Now()
	listing, err := client.Group(mcpclient.WithServerLimit(time.Second)).Tools(t.Context())
	require.NoError(t, err)
	assert.Less(t, time.Since(begun), 10*time.Second)
	assert.Equal(t, 15, listing.Len())
	require.Len(t, listing.Failures, 2)
	assert.Equal(t, "down", listing.Failures[0].Server)
	assert.ErrorContains(t, listing.Failures[0], "connection refused")
	assert.Equal(t, "slow", listing.Failures[1].Server)
	assert.ErrorContains(t, listing.Failures[1], `server "slow": no list within 1s, the limit for one server of a group: context deadline exceeded`)
}

// A server that is down for a while keeps its names: another's tool is not called
// by them, and they are known when it is back.
func TestGroupNamesOutliveFailures(t *testing.T) {
	one, two := &fakeTools{name: "one", tools: []string{"search"}}, &fakeTools{name: "two", tools: []string{"search"}}
	group := groupOf(t, []*fakeTools{one, two}, mcpclient.WithoutPrefix())
	listing, err := group.Tools(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"one__search", "two__search"}, listing.Keys())
	one.set(errors.New("down"))
	listing, err = group.Tools(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"two__search"}, listing.Keys(), "not search, which one may have again")
	result, err := group.CallTool(t.Context(), "one__search", nil)
	require.NoError(t, err)
	assert.Equal(t, "one/search", result.Text(), "its own answer, or its own error")
	one.set(nil, "search")
	listing, err = group.Tools(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"one__search", "two__search"}, listing.Keys())
}

// A name that is not known makes the group list once, however many ask.
func TestGroupListsForUnknownNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeTools{name: "one", tools: []string{"a"}, delay: time.Second}
		group := groupOf(t, []*fakeTools{fake})
		var calls sync.WaitGroup
		for range 64 {
			calls.Go(func() {
				result, err := group.CallTool(t.Context(), "one__a", nil)
				if assert.NoError(t, err) {
					assert.Equal(t, "one/a", result.Text())
				}
			})
		}
		calls.Wait()
		assert.EqualValues(t, 1, fake.listed.Load())

		fake.set(nil, "a", "b")
		_, err := group.CallTool(t.Context(), "one__b", nil)
		require.NoError(t, err)
		assert.EqualValues(t, 2, fake.listed.Load())
		_, err = group.CallTool(t.Context(), "one__bb", nil)
		require.ErrorContains(t, err, `has a tool "one__bb"; did you mean "one__b"?`)

		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("the user went away"))
		_, err = group.CallTool(ctx, "one__new", nil)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, "the user went away")
	})
}

// Of two listings at once the one that began later is the newer one, whichever
// comes back first.
func TestGroupListingsThatOvertake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeTools{name: "one"}
		gate := make(chan struct{})
		slow := &gatedTools{fakeTools: fake, gate: gate}
		group, err := mcpclient.NewGroup([]mcpclient.Member{{"one", slow}})
		require.NoError(t, err)
		older := make(chan []string)
		go func() {
			listing, err := group.Tools(context.Background())
			assert.NoError(t, err)
			older <- listing.Keys()
		}()
		synctest.Wait()
		fake.set(nil, "new")
		listing, err := group.Tools(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"one__new"}, listing.Keys())
		close(gate)
		assert.Empty(t, <-older)
		_, err = group.CallTool(t.Context(), "one__new", nil)
		require.NoError(t, err)
		assert.EqualValues(t, 2, fake.listed.Load(), "nothing had to be listed again")
	})
}

// gatedTools has its first list wait for the gate, and tell what was there before.
type gatedTools struct {
	*fakeTools
	gate  chan struct{}
	begun atomic.Bool
}

func (g *gatedTools) Tools(ctx context.Context, options ...mcpclient.CallOption) (mcpclient.Collection[mcp.Tool], error) {
	tools, err := g.fakeTools.Tools(ctx, options...)
	if g.begun.CompareAndSwap(false, true) {
		<-g.gate
	}
	return tools, err
}

// The group is used by all at once, while what its members have changes.
func TestGroupConcurrently(t *testing.T) {
	fakes := []*fakeTools{{name: "one", tools: []string{"a"}}, {name: "two", tools: []string{"a"}}}
	group := groupOf(t, fakes)
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			for j := range 100 {
				ctx := mcpclient.WithPrincipal(t.Context(), fmt.Sprint(j%3))
				switch i % 4 {
				case 0:
					_, err := group.Tools(ctx)
					assert.NoError(t, err)
				case 1:
					fakes[0].set(nil, "a", fmt.Sprint(j))
				default:
					result, err := group.CallTool(ctx, "two__a", nil)
					if assert.NoError(t, err) {
						assert.Equal(t, "two/a", result.Text())
					}
				}
			}
		})
	}
	work.Wait()
}

// What one user is shown does not decide where another one's call goes.
func TestGroupNamesArePerPrincipal(t *testing.T) {
	lists := func(name string, forWhom string) transporters.TransporterFunc {
		return func(ctx context.Context, action string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
			switch {
			case action == mcp.MethodCallTool:
				return mcp.NewResult(mcp.NewTextResult(name).Raw()), nil
			case transporters.CallOptionsOf(ctx).Principal == forWhom || forWhom == "":
				return mcp.NewResult([]byte(`{"tools":[{"name":"search"}]}`)), nil
			default:
				return mcp.NewResult([]byte(`{"tools":[]}`)), nil
			}
		}
	}
	group, err := mcpclient.NewGroup([]mcpclient.Member{
		{Name: "all", Server: mcpclient.NewConnection("all", lists("all", ""))},
		{Name: "private", Server: mcpclient.NewConnection("private", lists("private", "ada"))},
	}, mcpclient.WithoutPrefix())
	require.NoError(t, err)
	ada, bob := mcpclient.WithPrincipal(t.Context(), "ada"), mcpclient.WithPrincipal(t.Context(), "bob")
	for _, test := range []struct {
		ctx   context.Context
		names []string
	}{{bob, []string{"search"}}, {ada, []string{"all__search", "private__search"}}, {bob, []string{"search"}}} {
		listing, err := group.Tools(test.ctx)
		require.NoError(t, err)
		assert.Equal(t, test.names, listing.Keys())
	}
	result, err := group.CallTool(bob, "search", nil)
	require.NoError(t, err)
	assert.Equal(t, "all", result.Text())
	_, err = group.CallTool(bob, "private__search", nil)
	require.ErrorIs(t, err, errors.ErrUnknownName)
	result, err = group.CallTool(ada, "private__search", nil)
	require.NoError(t, err)
	assert.Equal(t, "private", result.Text())
}

// Headers that tell whom a call is for tell it to the group as well; others do not
// make it list again.
func TestGroupNamesArePerIdentityHeader(t *testing.T) {
	server := mcptest.NewDemoServer()
	client := newClient(t, map[string]any{"demo": map[string]any{
		"type": "http", "base_url": mcptest.StartHTTP(t, server), "identity_headers": []string{"X-User"},
	}})
	group := client.Group()
	for i, header := range [][2]string{{"X-User", "ada"}, {"X-User", "bob"}, {"X-Request-Id", "7"}, {"X-Request-Id", "8"}, {"X-User", "ada"}} {
		_, err := group.CallTool(mcpclient.WithHeader(t.Context(), header[0], header[1]), "demo__echo", map[string]string{"text": "x"})
		require.NoError(t, err)
		assert.Equal(t, min(i+1, 3), server.Count(mcp.MethodListTools), header)
	}
}

// A group of a client has everything that its servers have, and follows it.
func TestGroupOfAClient(t *testing.T) {
	r := newRooms(t, "red", "green")
	client := r.client(t, "servers:\n  one: {type: memory, room: red}\n  two: {type: memory, room: green, prompts: {deny: ['*']}}\n  bad: {type: memory}\n")
	group := client.Group()
	tools, err := group.Tools(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 12, tools.Len())
	require.Len(t, tools.Failures, 1)
	assert.ErrorContains(t, tools.Err(), `server "bad": room: the key is required`)
	result, err := group.CallTool(t.Context(), "two__room", json.RawMessage(`{}`))
	require.NoError(t, err)
	assert.Equal(t, "green", result.Text())
	_, err = group.CallTool(t.Context(), "two__room", json.RawMessage(" "))
	require.NoError(t, err, "some models give an empty text for no arguments")

	prompts, err := group.Prompts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"one__greet"}, prompts.Keys())
	prompt, err := group.GetPrompt(t.Context(), "one__greet", map[string]string{"name": "Ada"})
	require.NoError(t, err)
	assert.Contains(t, prompt.Messages[0].Content.Text, "Ada")

	resources, err := group.Resources(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"one__demo://greeting", "one__demo://data.json", "two__demo://greeting", "two__demo://data.json"}, resources.Keys())
	read, err := group.ReadResource(t.Context(), "two__demo://greeting")
	require.NoError(t, err)
	assert.Equal(t, "demo://greeting", read.Contents[0].URI)
	alone := client.Group(mcpclient.OnlyServers("two", "two"))
	read, err = alone.ReadResource(t.Context(), "demo://greeting")
	require.NoError(t, err)
	assert.Equal(t, "demo://greeting", read.Contents[0].URI)
	templates, err := alone.ResourceTemplates(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"demo://items/{id}"}, templates.Keys())

	apply(t, client, "servers:\n  three: {type: memory, room: green}\n  one: {type: memory, room: red}\n")
	result, err = group.CallTool(t.Context(), "three__room", nil)
	require.NoError(t, err)
	assert.Equal(t, "green", result.Text())
	_, err = group.CallTool(t.Context(), "two__room", nil)
	require.ErrorIs(t, err, errors.ErrUnknownName)
	_, err = alone.Tools(t.Context())
	require.ErrorIs(t, err, errors.ErrUnknownServer)
	assert.Nil(t, alone.Member("one"), "it is not in the group")
	assert.NotNil(t, group.Member("one"))
}

// Servers without prompts or resources have none; that is no failure.
func TestGroupOfServersThatHaveLess(t *testing.T) {
	server := mcptest.NewServer()
	server.AddTool(mcp.Tool{Name: "a"}, func(context.Context, *mcptest.Call) (any, error) { return "a", nil })
	connection := connectHTTP(t, server, nil)
	unsupported := mcpclient.NewConnection("u", transporters.TransporterFunc(func(_ context.Context, action string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
		return mcp.Result{}, &errors.TransporterRequestError{Server: "u", Action: action, Kind: errors.KindPeer, Code: mcp.CodeMethodNotFound}
	}))
	group, err := mcpclient.NewGroup([]mcpclient.Member{{"s", connection}, {"f", &fakeTools{name: "f"}}, {"u", unsupported}})
	require.NoError(t, err)
	prompts, err := group.Prompts(t.Context())
	require.NoError(t, err)
	require.NoError(t, prompts.Err())
	resources, err := group.Resources(t.Context())
	require.NoError(t, err)
	require.NoError(t, resources.Err())
	assert.Zero(t, prompts.Len()+resources.Len())
}

func TestGroupsThatCannotBe(t *testing.T) {
	fake := &fakeTools{}
	for want, members := range map[string][]mcpclient.Member{
		"member 2 of the group has no name":      {{"a", fake}, {"", fake}},
		`member "b" of the group has no server`:  {{"a", fake}, {"b", nil}},
		`two members of the group are named "a"`: {{"a", fake}, {"a", fake}},
		`the group has no member "nobody"`:       {{"a", fake}},
	} {
		_, err := mcpclient.NewGroup(members, mcpclient.OnlyServers("nobody"))
		require.EqualError(t, err, want)
	}
}
