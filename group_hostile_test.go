package mcpclient_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
)

// Ten thousand tools with names that no model may see: each has a name of its own
// that fits, and goes where it belongs; errors stay short.
func TestGroupOfHostileServers(t *testing.T) {
	odd := &fakeTools{name: "odd\x1b[31m"}
	for i := range 2500 {
		odd.tools = append(odd.tools, fmt.Sprintf("\x00\x1b[2J\u202e%c%c", rune(0x4e00+i%3000), rune(0x300+i/3000)), fmt.Sprintf("%s%d", strings.Repeat("long", 1000), i))
	}
	same := &fakeTools{name: "same", tools: append([]string{"plain"}, odd.tools...)}
	group := groupOf(t, []*fakeTools{odd, same})
	listing, err := group.Tools(t.Context())
	require.NoError(t, err)
	require.NoError(t, listing.Err())
	require.Equal(t, 10_001, listing.Len())
	fits := regexp.MustCompile("^[a-zA-Z0-9_-]{1,64}$")
	for name := range listing.All() {
		require.True(t, fits.MatchString(name), "%q", name)
	}
	for _, name := range listing.Keys()[:10] {
		tool, _ := listing.Get(name)
		result, err := group.CallTool(t.Context(), name, nil)
		require.NoError(t, err)
		assert.Equal(t, tool.Server+"/"+tool.Entry.Name, result.Text())
	}
	_, err = group.CallTool(t.Context(), odd.tools[0]+strings.Repeat("x", 1<<20), nil)
	require.ErrorIs(t, err, errors.ErrUnknownName)
	assertShort(t, err)

	group = groupOf(t, []*fakeTools{odd, same}, mcpclient.WithoutPrefix(), mcpclient.WithCollisions(mcpclient.CollisionFirstWins))
	same.set(nil, "plain", "x")
	odd.set(nil, "plain", "x")
	listing, err = group.Tools(t.Context())
	require.NoError(t, err)
	assertShort(t, listing.Err())
	var many []string
	for i := range 10_000 {
		many = append(many, fmt.Sprint("tool", i))
	}
	same.set(nil, many...)
	odd.set(nil, many...)
	listing, err = group.Tools(t.Context())
	require.NoError(t, err)
	require.Len(t, listing.Collisions, 10_000)
	require.ErrorIs(t, listing.Err(), errors.ErrNameCollision)
	assert.ErrorContains(t, listing.Err(), "9984 more")
	assertShort(t, listing.Err())
}

// assertShort: an error is for people, and for one screen.
func assertShort(t *testing.T, err error) {
	t.Helper()
	assert.Less(t, len(err.Error()), 4000)
	assert.NotRegexp(t, "[\x00-\x09\x0b-\x1f\u202e]", err.Error())
}
