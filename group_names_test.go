package mcpclient_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
)

// Names fit what providers allow, are the same every time, and never another's.
func TestGroupNames(t *testing.T) {
	long := strings.Repeat("x", 70)
	fakes := []*fakeTools{
		{name: "github.com", tools: []string{"create_issue"}},
		{name: "files", tools: []string{"get_user", "get.user", "get user", "héllo", long + "a", long + "b", "a" + strings.Repeat("-", 55) + "z"}},
		{name: strings.Repeat("server-", 10), tools: []string{"read", long}},
		{name: "a", tools: []string{"b__c"}}, {name: "a__b", tools: []string{"c"}},
	}
	listing, err := groupOf(t, fakes).Tools(t.Context())
	require.NoError(t, err)
	require.NoError(t, listing.Err())
	assert.Equal(t, []string{
		"github_com__create_issue_95a4c1a0",
		"files__get_user", "files__get_user_62b958a7", "files__get_user_e1c4cb36", "files__h_llo_61e3bad7",
		"files__" + strings.Repeat("x", 48) + "_d945b648",
		"files__" + strings.Repeat("x", 48) + "_38737135",
		"files__a" + strings.Repeat("-", 55) + "z",
		"server-server-server-server-server-server-server-__read_d53735e7",
		"server-server-se__" + strings.Repeat("x", 37) + "_10c7902d",
		"a__b__c_01b8a75b", "a__b__c_a92700ce",
	}, listing.Keys())
	for name := range listing.All() {
		assert.Regexp(t, "^[a-zA-Z0-9_-]{1,64}$", name)
	}
	again, err := groupOf(t, fakes).Tools(t.Context())
	require.NoError(t, err)
	assert.Equal(t, listing.Keys(), again.Keys())
	callAll(t, groupOf(t, fakes), listing)
	for _, fake := range fakes { // whatever else is there
		alone, err := groupOf(t, []*fakeTools{fake}).Tools(t.Context())
		require.NoError(t, err)
		for name := range alone.All() {
			_, isThere := listing.Get(name)
			assert.True(t, isThere || name == "a__b__c", name)
		}
	}
}

func TestGroupCollisions(t *testing.T) {
	fakes := []*fakeTools{
		{name: "one", tools: []string{"search", "x"}}, {name: "two", tools: []string{"search", "y"}}, {name: "three", tools: []string{"one__search"}},
	}
	t.Run("prefix", func(t *testing.T) {
		group := groupOf(t, fakes, mcpclient.WithoutPrefix())
		listing, err := group.Tools(t.Context())
		require.NoError(t, err)
		require.NoError(t, listing.Err())
		assert.Equal(t, []string{"one__search_aad7e5f7", "x", "two__search", "y", "three__one__search_beaf6f8c"}, listing.Keys())
		callAll(t, group, listing)
	})
	t.Run("first wins", func(t *testing.T) {
		group := groupOf(t, fakes, mcpclient.WithoutPrefix(), mcpclient.WithCollisions(mcpclient.CollisionFirstWins))
		listing, err := group.Tools(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"search", "x", "y", "one__search"}, listing.Keys())
		assert.Equal(t, []mcpclient.Collision{{Name: "search", Servers: []string{"one", "two"}}}, listing.Collisions)
		require.ErrorIs(t, listing.Err(), errors.ErrNameCollision)
		require.EqualError(t, listing.Err(), `the name is not unique: "search" of one, two`)
		callAll(t, group, listing)
	})
	t.Run("error", func(t *testing.T) {
		group := groupOf(t, fakes, mcpclient.WithoutPrefix(), mcpclient.WithCollisions(mcpclient.CollisionError))
		_, err := group.Tools(t.Context())
		require.ErrorIs(t, err, errors.ErrNameCollision)
		require.EqualError(t, err, `the name is not unique: tools of several servers: "search" of one, two`)
		_, err = group.CallTool(t.Context(), "x", nil)
		require.ErrorIs(t, err, errors.ErrNameCollision)
	})
	t.Run("a hash that is imitated", func(t *testing.T) {
		listing, err := groupOf(t, []*fakeTools{{name: "one", tools: []string{"a.b"}}}).Tools(t.Context())
		require.NoError(t, err)
		imitated := strings.TrimPrefix(listing.Keys()[0], "one__")
		group := groupOf(t, []*fakeTools{{name: "one", tools: []string{"a.b", imitated}}})
		listing, err = group.Tools(t.Context())
		require.NoError(t, err)
		require.Len(t, listing.Keys(), 2, "%v", listing.Collisions)
		callAll(t, group, listing)
	})
	t.Run("another server's hash that is imitated", func(t *testing.T) {
		hostile := []*fakeTools{
			{name: "one", tools: []string{"search"}},
			{name: "two", tools: []string{"search"}},
			{name: "three", tools: []string{"one__search", "one__search_aad7e5f7"}},
		}
		group := groupOf(t, hostile, mcpclient.WithoutPrefix())
		listing, err := group.Tools(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"one__search_aad7e5f7", "two__search", "three__one__search_beaf6f8c"}, listing.Keys())
		tool, _ := listing.Get("one__search_aad7e5f7")
		assert.Equal(t, "one", tool.Server)
		assert.Equal(t, []mcpclient.Collision{{Name: "one__search_aad7e5f7", Servers: []string{"one", "three"}}}, listing.Collisions)
		callAll(t, group, listing)
	})
}
