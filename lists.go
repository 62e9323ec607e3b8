package mcpclient

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// maxPages bounds a listing, since a server can page for ever (P101).
const maxPages = 10_000

// Tools lists the server's tools, keyed by name. Every page is asked for (R141:
// the empty cursor is a page too). The listing fails if a page does, if the
// server repeats a cursor, and after 10,000 pages: half a list is not returned.
// What policies deny is not in it.
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
		entries []T
		faults  []error
		cursor  *string
		seen    = make(map[[sha256.Size]byte]struct{})
	)
	for range maxPages {
		result, err := c.ask(ctx, action, mcp.CursorParams(cursor), options)
		if err != nil {
			return Collection[T]{}, err
		}
		found, page, err := parse(result)
		if err != nil {
			return Collection[T]{}, c.unusable(action, err)
		}
		if entries == nil {
			entries = found
		} else {
			entries = append(entries, found...)
		}
		faults = append(faults, page.Faults[:min(len(page.Faults), maxFaults-len(faults))]...)
		if cursor = page.NextCursor; cursor == nil {
			return newListing(entries, faults), nil
		}
		sum := sha256.Sum256([]byte(*cursor))
		if _, repeated := seen[sum]; repeated {
			return Collection[T]{}, c.unusable(action, fmt.Errorf("%w: the cursor of page %d was given before: the list never ends", errors.ErrProtocol, len(seen)+1))
		}
		seen[sum] = struct{}{}
	}
	return Collection[T]{}, c.unusable(action, fmt.Errorf("%w: the list has more than %d pages", errors.ErrProtocol, maxPages))
}

func newListing[T keyed](entries []T, faults []error) Collection[T] {
	listing := NewCollection(entries, T.Key)
	listing.faults = faults
	return listing
}
