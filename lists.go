package mcpclient

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// The bounds of one listing, over all its pages, since a server can page for
// ever (P101).
const (
	maxPages   = 10_000
	maxEntries = 1_000_000
	maxBytes   = 256 << 20
)

// Tools lists the server's tools, keyed by name. Every page is asked for (R141:
// the empty cursor is a page too). The listing fails if a page does, if the
// server repeats a cursor or gives one that is no string, and beyond 10,000
// pages, 1,000,000 entries or 256 MiB: half a list is not returned. What policies
// deny is not in it.
func (c *Connection) Tools(ctx context.Context, options ...CallOption) (Collection[mcp.Tool], error) {
	return list(ctx, c, mcp.MethodListTools, options, func(r mcp.Result) ([]mcp.Tool, *mcp.Page, error) {
		page, err := mcp.ParseListToolsResult(r)
		if err != nil {
			return nil, nil, err
		}
		return page.Tools, &page.Page, nil
	})
}

// Resources lists the server's resources, keyed by uri; see Tools.
func (c *Connection) Resources(ctx context.Context, options ...CallOption) (Collection[mcp.Resource], error) {
	return list(ctx, c, mcp.MethodListResources, options, func(r mcp.Result) ([]mcp.Resource, *mcp.Page, error) {
		page, err := mcp.ParseListResourcesResult(r)
		if err != nil {
			return nil, nil, err
		}
		return page.Resources, &page.Page, nil
	})
}

// ResourceTemplates lists the server's resource templates, keyed by uriTemplate;
// see Tools.
func (c *Connection) ResourceTemplates(ctx context.Context, options ...CallOption) (Collection[mcp.ResourceTemplate], error) {
	return list(ctx, c, mcp.MethodListResourceTemplates, options, func(r mcp.Result) ([]mcp.ResourceTemplate, *mcp.Page, error) {
		page, err := mcp.ParseListResourceTemplatesResult(r)
		if err != nil {
			return nil, nil, err
		}
		return page.ResourceTemplates, &page.Page, nil
	})
}

// Prompts lists the server's prompts, keyed by name; see Tools.
func (c *Connection) Prompts(ctx context.Context, options ...CallOption) (Collection[mcp.Prompt], error) {
	return list(ctx, c, mcp.MethodListPrompts, options, func(r mcp.Result) ([]mcp.Prompt, *mcp.Page, error) {
		page, err := mcp.ParseListPromptsResult(r)
		if err != nil {
			return nil, nil, err
		}
		return page.Prompts, &page.Page, nil
	})
}

// keyed is an entry of a list.
type keyed interface{ Key() string }

// list walks all pages of a listing.
func list[T keyed](ctx context.Context, c *Connection, action string, options []CallOption,
	parse func(mcp.Result) ([]T, *mcp.Page, error),
) (Collection[T], error) {
	var (
		pages  [][]T // joined once: growing a long list copies it again and again
		faults []error
		walk   = newPageWalk()
	)
	for {
		result, err := c.ask(ctx, action, mcp.CursorParams(walk.cursor), options)
		if err != nil {
			return Collection[T]{}, err
		}
		found, page, err := parse(result)
		if err == nil {
			err = walk.pass(page, len(found))
		}
		if err != nil {
			return Collection[T]{}, c.unusable(action, err)
		}
		pages = append(pages, found)
		faults = append(faults, page.Faults[:min(len(page.Faults), maxFaults-len(faults))]...)
		if walk.cursor == nil {
			return newListing(joinPages(pages), faults), nil
		}
	}
}

func joinPages[T any](pages [][]T) []T {
	if len(pages) == 1 {
		return pages[0]
	}
	return slices.Concat(pages...)
}

// pageWalk keeps a listing within bounds.
type pageWalk struct {
	cursor  *string // of the next page; nil before the first and behind the last one
	seen    map[[sha256.Size]byte]struct{}
	pages   int
	entries int
	bytes   int
}

func newPageWalk() *pageWalk { return &pageWalk{seen: make(map[[sha256.Size]byte]struct{})} }

// pass counts a page and takes its cursor.
func (w *pageWalk) pass(page *mcp.Page, entries int) error {
	w.pages++
	w.entries += entries
	w.bytes += len(page.Raw)
	w.cursor = page.NextCursor
	switch {
	case page.CursorUnreadable:
		return fmt.Errorf("%w: nextCursor of page %d is not a string: the rest of the list cannot be asked for", errors.ErrProtocol, w.pages)
	case w.entries > maxEntries:
		return fmt.Errorf("%w: the list has more than %d entries", errors.ErrProtocol, maxEntries)
	case w.bytes > maxBytes:
		return fmt.Errorf("%w: the list has more than %d bytes", errors.ErrProtocol, maxBytes)
	case w.cursor == nil:
		return nil
	case w.pages == maxPages:
		return fmt.Errorf("%w: the list has more than %d pages", errors.ErrProtocol, maxPages)
	}
	sum := sha256.Sum256([]byte(*w.cursor))
	if _, repeated := w.seen[sum]; repeated {
		return fmt.Errorf("%w: the cursor of page %d was given before: the list never ends", errors.ErrProtocol, w.pages)
	}
	w.seen[sum] = struct{}{}
	return nil
}

// newListing makes a collection of entries that nobody else holds.
func newListing[T keyed](entries []T, faults []error) Collection[T] {
	listing := collect(entries, entries[:0], T.Key)
	listing.faults = faults
	return listing
}
