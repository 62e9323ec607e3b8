package mcpclient_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// A page whose cursor cannot be read is not the last one: half a list is not
// returned.
func TestListsWithUnreadableCursors(t *testing.T) {
	for _, cursor := range []string{`7`, `false`, `{}`, `["a"]`} {
		t.Run(cursor, func(t *testing.T) {
			fake := mcptest.NewTransporter(t)
			fake.Expect("tools/list").Return(fmt.Sprintf(`{"tools":[{"name":"a"}],"nextCursor":%s}`, cursor))
			tools, err := mcpclient.NewConnection("x", fake).Tools(t.Context())
			require.ErrorIs(t, err, errors.ErrProtocol)
			assert.ErrorContains(t, err, "nextCursor of page 1 is not a string")
			assert.Zero(t, tools.Len())
		})
	}
	t.Run("null", func(t *testing.T) {
		fake := mcptest.NewTransporter(t)
		fake.Expect("tools/list").Return(`{"tools":[{"name":"a"}],"nextCursor":null}`)
		tools, err := mcpclient.NewConnection("x", fake).Tools(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, tools.Len())
	})
}
