package policy

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// look compares the tools of a page with their pins, and returns what of it the
// caller is to have.
func (p *ToolPins) look(ctx context.Context, page json.RawMessage) (json.RawMessage, error) {
	if err := p.acquire(ctx); err != nil {
		return nil, waitFailure(p.server, mcp.MethodListTools, "while other lists of tools were looked at", ended(ctx))
	}
	defer p.listing.Release(1)
	if !p.loaded {
		if err := p.load(ctx); err != nil {
			return p.unreadable(page, err)
		}
	}
	seen := p.compare(page)
	if len(seen.changed) > 0 { // perhaps somebody has accepted it
		if err := p.load(ctx); err != nil {
			p.log.Warn("could not read the pins of tools again", "server", p.server, "error", err)
		}
		seen = p.compare(page)
	}
	p.remember(ctx, seen.fresh)
	p.note(seen)
	if p.cfg.Pin != PinRefuse || len(seen.changed) == 0 && len(seen.excess) == 0 {
		return page, nil
	}
	return mcp.FilterEntries(page, "tools", func(tool json.RawMessage) bool {
		name := nameOf(tool)
		_, hasChanged := seen.changed[name]
		return !hasChanged && !seen.excess[name]
	}), nil
}

// unreadable is what becomes of a page while the store cannot be read.
func (p *ToolPins) unreadable(page json.RawMessage, err error) (json.RawMessage, error) {
	if p.cfg.Pin != PinRefuse {
		p.log.Warn("the definitions of tools are not looked at: the pins cannot be read", "server", p.server, "error", err)
		return page, nil
	}
	failure := waitFailure(p.server, mcp.MethodListTools, "the pins of tools cannot be read (tools.pin)", err)
	failure.Delivery = errors.DeliveryAnswered
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		failure.Kind = errors.KindUnavailable
	}
	return nil, failure
}

// load reads the pins. Those that the store does not have, perhaps because it
// could not be written, stay.
func (p *ToolPins) load(ctx context.Context) error {
	if time.Now().Before(p.failing) {
		return p.failure
	}
	bounded, cancel := context.WithTimeout(ctx, pinTimeout)
	defer cancel()
	pins, err := p.store.Pins(bounded, p.server)
	switch {
	case err != nil && ctx.Err() != nil:
		return ended(ctx) // which says nothing of the store
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("the store does not answer within %v", pinTimeout) // context errors are the caller's
	}
	if err != nil {
		p.failure, p.failing = err, time.Now().Add(pinPause)
		return err
	}
	p.pins, p.loaded = MergePins(p.pins, pins, true), true
	clear(p.fitting)
	return nil
}

// comparison is what a look at a page has found, by tool.
type comparison struct {
	fitting []string
	fresh   map[string]string // digests of tools that were not seen before
	changed map[string]string // digests of tools that were other ones
	excess  map[string]bool   // there is no room to remember them
}

func (p *ToolPins) compare(page json.RawMessage) comparison {
	seen := comparison{fresh: map[string]string{}, changed: map[string]string{}, excess: map[string]bool{}}
	eachTool(page, func(name string, tool json.RawMessage) {
		bytes := sha256.Sum256(tool)
		if known, ok := p.fitting[name]; ok && known == bytes {
			seen.fitting = append(seen.fitting, name)
			return
		}
		definition := definitionOf(tool)
		pin, isKnown := p.pins[name]
		if first, isFresh := seen.fresh[name]; isFresh { // twice on one page
			pin, isKnown = first, true
		}
		switch {
		case !isKnown && (len(p.pins)+len(seen.fresh) >= maxPins || len(name) > maxToolName):
			seen.excess[name] = true
		case !isKnown:
			seen.fresh[name] = definition
		case pin == definition:
			p.fitting[name] = bytes
			seen.fitting = append(seen.fitting, name)
		default:
			seen.changed[name] = definition
		}
	})
	return seen
}

// remember pins tools that were seen for the first time.
func (p *ToolPins) remember(ctx context.Context, fresh map[string]string) {
	if len(fresh) == 0 {
		return
	}
	maps.Copy(p.pins, fresh)
	ctx, cancel := context.WithTimeout(ctx, pinTimeout)
	defer cancel()
	if err := p.store.Pin(ctx, p.server, fresh, false); err != nil {
		p.log.Warn("could not remember the definitions of tools: they are as long as the program runs", "server", p.server, "error", err)
	}
}

// note keeps what has changed, and says so once.
func (p *ToolPins) note(seen comparison) {
	p.mu.Lock()
	for _, name := range seen.fitting {
		if _, stillChanged := seen.changed[name]; !stillChanged {
			delete(p.changed, name)
		}
	}
	p.noteChanged(seen.changed)
	p.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(seen.changed)) {
		if p.warned.first(name, seen.changed[name]) {
			p.log.Warn("the definition of a tool has changed since it was first seen or last accepted", "server", p.server,
				"tool", errors.PeerText(name, maxShown), "pinned", p.pins[name], "listed", seen.changed[name], "refused", p.cfg.Pin == PinRefuse)
		}
	}
	if len(seen.excess) > 0 && p.warned.first("", "excess") {
		p.log.Warn("too many tools, or too long names, to remember their definitions", "server", p.server, "remembered", maxPins, "longest", maxToolName)
	}
}
