package mcpclient

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// A listing is bounded over all pages, not only page by page.
func TestListingsAreBounded(t *testing.T) { // P101
	sixteenMiB := make([]byte, 16<<20)
	tests := map[string]struct {
		entries, pages int // of a page, and how many may pass
		raw            []byte
		message        string
	}{
		"entries": {entries: 100_000, pages: 10, message: "more than 1000000 entries"},
		"bytes":   {raw: sixteenMiB, pages: 16, message: "more than 268435456 bytes"},
		"pages":   {pages: 9_999, message: "more than 10000 pages"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			walk := newPageWalk()
			next := func() error {
				cursor := fmt.Sprint(walk.pages)
				return walk.pass(&mcp.Page{NextCursor: &cursor, Raw: test.raw}, test.entries)
			}
			for range test.pages {
				require.NoError(t, next())
			}
			err := next()
			require.ErrorIs(t, err, errors.ErrProtocol)
			require.ErrorContains(t, err, test.message)
		})
	}
}
