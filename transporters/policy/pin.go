package policy

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"golang.org/x/sync/semaphore"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// How tools are pinned. A server may show a harmless tool until it is trusted, and
// another one under the same name later. Of every tool that is listed a digest of
// its definition is remembered when it is first seen; one that does not fit it any
// more has changed, until somebody accepts the change. A tool that was not listed
// is not looked at: nobody has gone by its definition.
//
// A list that has been seen before costs a SHA-256 over each entry; only where the
// bytes of an entry differ the definition is taken apart.
//
// Pins are those of the server, whoever lists its tools. One that describes a tool
// differently to different principals cannot be pinned.

// ToolChange is a tool whose definition has changed.
type ToolChange struct {
	// Tool is its name.
	Tool string
	// Pinned and Listed are the digests of the definition that was first seen, or
	// last accepted, and of the one that was listed last.
	Pinned, Listed string
}

// ToolPins remembers the definitions of one server's tools. It is safe for
// concurrent use.
type ToolPins struct {
	server string
	cfg    PinConfig
	store  PinStore
	log    hclog.Logger
	warned warned

	begin   sync.Once           // makes the next
	listing *semaphore.Weighted // one list is looked at at a time; guards what follows
	loaded  bool
	failure error                        // of the store, for a while
	failing time.Time                    // until then
	pins    map[string]string            // by tool
	fitting map[string][sha256.Size]byte // bytes that were found to fit the pin

	mu      sync.RWMutex
	changed map[string]string // digests of definitions that do not fit; nil before the first
}

// NewToolPins returns the pins of a server. A nil store remembers in memory, a nil
// logger discards. It does no I/O.
func NewToolPins(server string, cfg PinConfig, store PinStore, logger hclog.Logger) *ToolPins {
	if store == nil {
		store = &MemoryPins{}
	}
	if logger == nil {
		logger = hclog.NewNullLogger()
	}
	return &ToolPins{
		server: server, cfg: cfg, store: store, log: logger,
	}
}

// acquire waits until no list is looked at. What that takes is made the first time:
// of most servers no list is ever looked at.
func (p *ToolPins) acquire(ctx context.Context) error {
	p.begin.Do(func() {
		p.listing, p.fitting = semaphore.NewWeighted(1), map[string][sha256.Size]byte{}
	})
	return p.listing.Acquire(ctx, 1)
}

// noteChanged keeps digests of definitions that do not fit. p.mu is held.
func (p *ToolPins) noteChanged(definitions map[string]string) {
	if p.changed == nil && len(definitions) > 0 {
		p.changed = make(map[string]string, len(definitions))
	}
	maps.Copy(p.changed, definitions)
}

// Inherit takes over which tools have changed from the pins that were in force
// before, so that none of them is back only because something else of the server's
// configuration is another one. The next list of each decides anew. nil changes
// nothing.
func (p *ToolPins) Inherit(before *ToolPins) {
	if before == nil || before == p {
		return
	}
	before.mu.RLock()
	changed := maps.Clone(before.changed)
	before.mu.RUnlock()
	if len(changed) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.Copy(changed, p.changed) // what is known here is newer
	p.noteChanged(changed)
}

const (
	// maxPins bounds the tools of one server that are remembered.
	maxPins = 1 << 16
	// pinTimeout bounds what the store takes; one that failed is left alone for
	// pinPause.
	pinTimeout = 2 * time.Second
	pinPause   = time.Second
)

// Wrap adds the policy to a transporter. With refuse a changed tool is not in the
// lists, and calling it fails with ErrToolChanged, kind KindDenied, delivery
// DeliveryNotSent; a list fails if the store cannot be read.
func (p *ToolPins) Wrap(next transporters.Transporter) transporters.Transporter {
	if p.cfg.isOff() {
		return next
	}
	return &pinned{pins: p, next: next}
}

type pinned struct {
	pins *ToolPins
	next transporters.Transporter
}

// Request looks at lists of tools, and refuses calls of tools that have changed.
func (w *pinned) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	switch action {
	case mcp.MethodListTools:
		return w.list(ctx, params, onEvent)
	case mcp.MethodCallTool:
		if w.pins.hasNoChange() {
			return w.next.Request(ctx, action, params, onEvent)
		}
		encoded, err := mcp.ParamsOf(params)
		if err != nil {
			return mcp.Result{}, unencodable(w.pins.server, action, err)
		}
		if err := w.pins.refusal(encoded.Name()); err != nil {
			return mcp.Result{}, err
		}
		params = encoded
	}
	return w.next.Request(ctx, action, params, onEvent)
}

// list asks for a page. Events are looked at as well: the answer is one.
func (w *pinned) list(ctx context.Context, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	see := onEvent
	if onEvent != nil {
		see = func(m mcp.Message) {
			if m.Result != nil {
				kept, err := w.pins.look(ctx, m.Result)
				if err != nil { // the call fails for it
					kept = mcp.FilterEntries(m.Result, "tools", func(json.RawMessage) bool { return false })
				}
				m.Result = kept
				m.Raw = jsonrpc.AppendResult(nil, m.ID, kept)
			}
			onEvent(m)
		}
	}
	result, err := w.next.Request(ctx, mcp.MethodListTools, params, see)
	if err != nil || result.IsEnvelope() {
		return result, err
	}
	kept, err := w.pins.look(ctx, result.Raw())
	if err != nil {
		return mcp.Result{}, err
	}
	return mcp.NewResult(kept), nil
}

func (p *ToolPins) hasNoChange() bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.changed) == 0 || p.cfg.Pin != PinRefuse
}

// refusal is the error of a call of a tool that has changed.
func (p *ToolPins) refusal(tool string) error {
	p.mu.RLock()
	_, hasChanged := p.changed[tool]
	p.mu.RUnlock()
	if !hasChanged {
		return nil
	}
	return &errors.TransporterRequestError{
		Server: p.server, Action: mcp.MethodCallTool, Kind: errors.KindDenied, Delivery: errors.DeliveryNotSent,
		Message: fmt.Sprintf("the server describes tool %q differently from how it was first seen or last accepted (tools.pin)", errors.PeerText(tool, maxShown)),
		Err:     errors.ErrToolChanged,
	}
}

// Changed returns the tools that have changed, as far as they were listed, in the
// order of their names.
func (p *ToolPins) Changed() []ToolChange {
	_ = p.acquire(context.Background()) // a look at a list is bounded
	defer p.listing.Release(1)
	p.mu.RLock()
	defer p.mu.RUnlock()
	var changes []ToolChange
	for _, name := range slices.Sorted(maps.Keys(p.changed)) {
		changes = append(changes, ToolChange{Tool: name, Pinned: p.pins[name], Listed: p.changed[name]})
	}
	return changes
}

// Accept pins the definitions that the tools were last listed with; without names
// those of all that have changed. Lists and calls have them back then. A tool that
// has not changed is an error, and nothing is accepted.
func (p *ToolPins) Accept(ctx context.Context, tools ...string) error {
	if err := p.acquire(ctx); err != nil {
		return ended(ctx)
	}
	defer p.listing.Release(1)
	p.mu.RLock()
	accepted := maps.Clone(p.changed)
	p.mu.RUnlock()
	if len(tools) > 0 {
		all := accepted
		accepted = map[string]string{}
		for _, tool := range tools {
			definition, hasChanged := all[tool]
			if !hasChanged {
				return fmt.Errorf("server %q: tool %q has not changed, as far as its tools were listed; changed: %s",
					p.server, errors.PeerText(tool, maxShown), errors.PeerText(strings.Join(slices.Sorted(maps.Keys(all)), ", "), maxShown))
			}
			accepted[tool] = definition
		}
	}
	if len(accepted) == 0 {
		return nil
	}
	if err := p.store.Pin(ctx, p.server, accepted, true); err != nil {
		return fmt.Errorf("server %q: the pins of tools: %w", p.server, err)
	}
	p.pins = MergePins(p.pins, accepted, true)
	p.mu.Lock()
	defer p.mu.Unlock()
	for tool := range accepted {
		delete(p.changed, tool)
	}
	return nil
}
