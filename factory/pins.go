package factory

import (
	"context"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
	"github.com/mcp-client-go/mcpclient/transporters/policy/pinfile"
)

// WithPinStore remembers the definitions of tools (tools.pin) in the store, for
// servers that have no tools.pin_file; the default remembers them as long as the
// factory is in use. nil changes nothing.
func WithPinStore(store policy.PinStore) Option {
	return func(f *TransporterFactory) {
		if store != nil {
			f.pins.injected = store
		}
	}
}

// pinStores are the stores of a factory. What they hold outlives the chains that
// are built, so that a server that is configured anew keeps its pins.
type pinStores struct {
	injected policy.PinStore    // nil if there is none
	memory   *policy.MemoryPins // of this factory alone
	files    *pinFiles          // shared with its copies
}

// pinFiles are the stores in files, by their names: those who write to one file
// must share it.
type pinFiles struct {
	mu   sync.Mutex
	open map[string]*pinfile.Store
}

func newPinStores() pinStores {
	return pinStores{memory: &policy.MemoryPins{}, files: &pinFiles{open: map[string]*pinfile.Store{}}}
}

// copy is for a copy of the factory: what was seen in memory is not its business.
func (p pinStores) copy() pinStores {
	p.memory = &policy.MemoryPins{}
	return p
}

func (p pinStores) choose(file string, configured policy.PinStore) policy.PinStore {
	switch {
	case file != "":
		return p.files.store(file)
	case p.injected != nil:
		return p.injected
	case configured != nil:
		return configured
	default:
		return p.memory
	}
}

func (f *pinFiles) store(path string) policy.PinStore {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open[path] == nil {
		f.open[path] = pinfile.Open(path)
	}
	return f.open[path]
}

// pinsOf makes the pins of a chain.
func (f *TransporterFactory) pinsOf(server string, common commonKeys, log hclog.Logger) *policy.ToolPins {
	return policy.NewToolPins(server, common.Tools.PinConfig, f.pins.choose(common.Tools.PinFile, f.stores.Pins), log)
}

// ChangedTools returns the tools whose definition is not the one that is pinned
// (tools.pin), as far as they were listed.
func (s *Slot) ChangedTools() []policy.ToolChange {
	if pins := s.pins.Load(); pins != nil {
		return pins.Changed()
	}
	return nil
}

// AcceptTools pins the definitions that the tools were last listed with, without
// names those of all that have changed; see policy.ToolPins.
func (s *Slot) AcceptTools(ctx context.Context, tools ...string) error {
	pins := s.pins.Load()
	if pins == nil {
		return errors.New("the server's tools are not pinned")
	}
	return pins.Accept(ctx, tools...)
}
