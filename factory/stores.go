package factory

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// Stores are where a client keeps what several programs may share: what the
// top-level key store of a configuration stands for. A field that is nil leaves
// its part in memory. A store that the program sets by an option goes before it,
// and so do auth.store and tools.pin_file of a server.
type Stores struct {
	Tokens   auth.Store
	Cache    policy.CacheStore
	Pins     policy.PinStore
	Verdicts session.VerdictStore
	Turns    policy.TurnStore
	// Close ends them, once, after everything that uses them; nil if there is
	// nothing to end.
	Close func() error
}

// StoreConstructor makes the stores of a type from the section store of the
// configuration. It decodes the whole section, returns its faults, and does no
// I/O: stores connect when they are first used.
type StoreConstructor func(section *config.Section, logger hclog.Logger) (Stores, []errors.Fault)

// StoreMemory is the type of stores that everybody has: in memory, shared with
// nobody.
const StoreMemory = "memory"

// storeKeys is what every section of a store has.
type storeKeys struct {
	Type string `config:"type" default:"memory" doc:"where shared state lives"`
}

// storeRegistration is one type of stores.
type storeRegistration struct {
	construct StoreConstructor
	keys      []any // structs with config tags
}

// RegisterStore adds a type of stores, or replaces one, for the top-level key store
// of configurations. keys are structs with the config tags of all its keys, type
// included, for Schema; without any, editors take every key. The name must not be
// empty, nor construct nil.
func (f *TransporterFactory) RegisterStore(name string, construct StoreConstructor, keys ...any) error {
	if name == "" || construct == nil {
		return fmt.Errorf("register the store %q: it needs a name and a constructor", name)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.storeTypes[name] = storeRegistration{construct, keys}
	return nil
}

// WithStoreType is RegisterStore as an option.
func WithStoreType(name string, construct StoreConstructor, keys ...any) Option {
	return func(f *TransporterFactory) { f.storeTypes[name] = storeRegistration{construct, keys} }
}

func memoryStores(section *config.Section, _ hclog.Logger) (Stores, []errors.Fault) {
	return Stores{}, section.Decode(&storeKeys{})
}

// StoreTypes returns the known types of stores, sorted.
func (f *TransporterFactory) StoreTypes() []string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.Sorted(maps.Keys(f.storeTypes))
}

// CheckStore returns what is wrong with the store of a configuration.
func (f *TransporterFactory) CheckStore(cfg *config.Config) []errors.Fault {
	stores, faults := f.makeStores(cfg)
	if stores.Close != nil {
		_ = stores.Close() // it was never used
	}
	return faults
}

// OpenStore has all that is built from now on keep what is shared in the store of
// the configuration, if it has one, and returns its faults; then nothing changes.
// It must not be called while something is built. CloseStore ends it.
func (f *TransporterFactory) OpenStore(cfg *config.Config) []errors.Fault {
	stores, faults := f.makeStores(cfg)
	if len(faults) > 0 {
		return faults
	}
	f.stores = stores
	return nil
}

// CloseStore ends what OpenStore has opened. It is called once, after everything
// that was built has ended.
func (f *TransporterFactory) CloseStore() error {
	if f.stores.Close == nil {
		return nil
	}
	return f.stores.Close()
}

func (f *TransporterFactory) makeStores(cfg *config.Config) (Stores, []errors.Fault) {
	section, configured := cfg.Store()
	if !configured {
		return Stores{}, nil
	}
	name, given := section.String("type")
	if !given {
		fault := section.Fault("type", "the key is required")
		fault.Allowed = strings.Join(f.StoreTypes(), ", ")
		return Stores{}, []errors.Fault{fault}
	}
	f.mu.RLock()
	construct := f.storeTypes[name].construct
	f.mu.RUnlock()
	if construct == nil {
		return Stores{}, []errors.Fault{f.unknownStore(section, name)}
	}
	stores, faults := construct(section, f.logger)
	if len(faults) > 0 && stores.Close != nil {
		_ = stores.Close() // it was never used
		stores = Stores{}
	}
	return stores, section.AsWritten(faults)
}

// unknownStore tells what is missing where a type is known that has to be brought
// by the program.
func (f *TransporterFactory) unknownStore(section *config.Section, found string) errors.Fault {
	fault := section.Fault("type", "unknown type of store")
	fault.Found, fault.Allowed = errors.PeerText(found, 80), strings.Join(f.StoreTypes(), ", ")
	fault.Nearest = config.Nearest(found, append(f.StoreTypes(), storeRedis))
	if found == storeRedis {
		fault.Message = "this store is not part of the program: it has to import " + redisPackage +
			" and to give mcpclient.New the option redis.Register()"
		fault.Nearest = ""
	}
	return fault
}
