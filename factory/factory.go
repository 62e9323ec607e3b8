package factory

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
)

// TransporterFactory maps the key `type` of a server to a constructor and
// builds the chain around what it makes. Servers of one factory share HTTP
// connections where their settings are equal. It is safe for concurrent use.
type TransporterFactory struct {
	logger        hclog.Logger
	session       []session.Option
	http          []httplink.Option
	stdio         []stdiolink.Option
	wrappers      []transporters.Wrapper
	metaHook      policy.MetaHook
	hooks         *transporters.Hooks
	tasks         *policy.TasksConfig
	retry         policy.RetryOptions
	cacheStore    policy.CacheStore
	pins          pinStores
	maxPrincipals int
	drain         time.Duration
	auth          []auth.Option
	verdicts      session.VerdictStore
	pool          *dial.Pool
	shared        httplink.Option // of all HTTP links: the pool, and a client
	stores        Stores          // of the configuration
	latest        atomic.Pointer[session.Settings]

	mu         sync.RWMutex
	types      map[string]registration
	storeTypes map[string]storeRegistration
}

// registration is one type.
type registration struct {
	construct Constructor
	keys      []any // structs with config tags
}

// New returns a factory that knows the types http, sse and stdio.
func New(options ...Option) *TransporterFactory {
	f := &TransporterFactory{
		logger: hclog.NewNullLogger(),
		drain:  DefaultDrainTimeout,
		pins:   newPinStores(),
		pool:   dial.NewPool(),
		types: map[string]registration{
			typeHTTP:  {construct: newHTTP, keys: []any{httpKeys{}}},
			typeSSE:   {construct: newSSE, keys: []any{httpKeys{}}},
			typeStdio: {construct: newStdio, keys: []any{stdioKeys{}}},
		},
		storeTypes: map[string]storeRegistration{StoreMemory: {construct: memoryStores, keys: []any{storeKeys{}}}},
	}
	f.shared = httplink.WithPool(f.pool)
	f.apply(options)
	return f
}

// With returns a copy of the factory with further options. It knows the types
// that f knows now, and shares no connections with f, nor the store of OpenStore.
func (f *TransporterFactory) With(options ...Option) *TransporterFactory {
	f.mu.RLock()
	defer f.mu.RUnlock()
	with := &TransporterFactory{
		logger:        f.logger,
		session:       slices.Clone(f.session),
		http:          slices.Clone(f.http),
		stdio:         slices.Clone(f.stdio),
		wrappers:      slices.Clone(f.wrappers),
		metaHook:      f.metaHook,
		hooks:         f.hooks,
		tasks:         f.tasks,
		retry:         f.retry,
		cacheStore:    f.cacheStore,
		pins:          f.pins.copy(),
		maxPrincipals: f.maxPrincipals,
		drain:         f.drain,
		auth:          slices.Clone(f.auth),
		verdicts:      f.verdicts,
		pool:          dial.NewPool(),
		types:         maps.Clone(f.types),
		storeTypes:    maps.Clone(f.storeTypes),
	}
	with.shared = httplink.WithPool(with.pool)
	with.apply(options)
	return with
}

func (f *TransporterFactory) apply(options []Option) {
	for _, option := range options {
		option(f)
	}
}

// Register adds a type, or replaces one. keys are structs with the config tags
// of the keys that the type has beyond the common ones: what stands under
// `defaults` is checked against them. Without keys nothing under `defaults` is
// taken for a mistake. The name must not be empty, nor construct nil.
func (f *TransporterFactory) Register(name string, construct Constructor, keys ...any) error {
	if name == "" || construct == nil {
		return fmt.Errorf("register type %q: a type needs a name and a constructor", name)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.types[name] = registration{construct: construct, keys: keys}
	return nil
}

// Types returns the known types, sorted.
func (f *TransporterFactory) Types() []string {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.Sorted(maps.Keys(f.types))
}

func (f *TransporterFactory) lookUp(name string) (registration, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	found, known := f.types[name]
	return found, known
}

// Logger returns the logger that WithLogger set; it is never nil.
func (f *TransporterFactory) Logger() hclog.Logger { return f.logger }

// loggerOf is the sub-logger of one server: named as it is.
func (f *TransporterFactory) loggerOf(server string) hclog.Logger { return f.logger.Named(server) }

// DrainTimeout returns what WithDrainTimeout set.
func (f *TransporterFactory) DrainTimeout() time.Duration { return f.drain }

// CloseIdle closes the HTTP connections that no call is using. The factory
// remains usable.
func (f *TransporterFactory) CloseIdle() { f.pool.Close() }

// configurationError is nil if there are no faults.
func configurationError(server string, faults []errors.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	return &errors.ServerConfigurationError{Server: server, Faults: faults}
}
