package auth

import (
	"context"
	"net/http"
	"net/url"
	"runtime"
	"sync"
	"time"
	"weak"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/auth/discovery"
	"github.com/mcp-client-go/mcpclient/auth/internal/fetch"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// Authorizer gets and keeps the tokens for one server. It is safe for concurrent
// use.
type Authorizer struct {
	server string // configured name, for errors
	cfg    Config
	base   *url.URL
	key    string // the server in keys of the store

	http          *http.Client
	store         Store
	fallback      Store // nil: memory
	log           hclog.Logger
	now           func() time.Time
	interact      InteractFunc
	identityToken IdentityTokenFunc
	guard         *dial.Guard
	finder        *discovery.Finder

	registering chan struct{} // holds one while a client is being registered

	life context.Context // ends with Close
	end  context.CancelCauseFunc

	mu         sync.Mutex
	closed     bool
	working    sync.WaitGroup                     // none are added after closed
	principals map[string]weak.Pointer[Principal] // as long as somebody uses them
	servers    map[string]knownServer             // by issuer
}

type knownServer struct {
	metadata *discovery.Server
	found    time.Time
}

// serverAge is how long the metadata of an authorization server is believed. A
// challenge has it fetched anew at any rate.
const serverAge = time.Hour

// maxServers bounds how many authorization servers are remembered: the resource
// names them, and might name another one each time.
const maxServers = 16

// New returns the authorizer of the server at base, which must be an absolute
// URL of scheme http or https, with a configuration that Check finds no fault
// with. It does no I/O.
func New(server, base string, cfg Config, options ...Option) (*Authorizer, error) {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("authorization needs the server's absolute URL; found " + fetch.DisplayText(base))
	}
	a := &Authorizer{
		server: server, cfg: cfg, base: u, key: discovery.Identifier(u),
		log: hclog.NewNullLogger(), now: time.Now,
		principals:  make(map[string]weak.Pointer[Principal]),
		servers:     make(map[string]knownServer),
		registering: make(chan struct{}, 1),
	}
	a.life, a.end = context.WithCancelCause(context.Background())
	for _, option := range options {
		option(a)
	}
	if a.store == nil {
		a.store = a.fallback
	}
	if a.store == nil {
		a.store = &MemoryStore{}
	}
	if memory, isMemory := a.store.(*MemoryStore); isMemory {
		memory.goBy(a.now)
	}
	if a.guard == nil {
		guard := cfg.Guard(dial.NewGuard(false, nil, nil).AllowServer(u))
		a.guard = &guard
	}
	a.finder = discovery.NewFinderWith(fetch.New(a.http, a.rules(u)), u)
	return a, nil
}

// rules are those for the URLs that a server at the place gives.
func (a *Authorizer) rules(place *url.URL) fetch.Rules {
	return fetch.RulesFor(place, *a.guard, a.cfg.Issuer)
}

// Server returns the configured name of the server.
func (a *Authorizer) Server() string { return a.server }

// RedirectURL returns where a user's browser comes back to (auth.redirect_url).
func (a *Authorizer) RedirectURL() string { return a.cfg.redirectURL() }

// Type returns how calls are authorized: one of the types of OAuth.
func (a *Authorizer) Type() Type { return a.cfg.Kind() }

// Principal returns the credentials of one principal; empty names the client
// itself. There is one Principal for each name as long as somebody uses it.
func (a *Authorizer) Principal(name string) *Principal {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.principals[name].Value(); p != nil {
		return p
	}
	p := &Principal{authorizer: a, name: name}
	a.principals[name] = weak.Make(p)
	runtime.AddCleanup(p, a.forget, name)
	return p
}

// forget drops the entry of a Principal that nobody uses any more.
func (a *Authorizer) forget(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if pointer, known := a.principals[name]; known && pointer.Value() == nil {
		delete(a.principals, name)
	}
}

// Close ends what the authorizer is doing, and waits for it, though not for
// callbacks. Calls that need something of it from now on fail with
// ErrTransportClosed. Idempotent.
func (a *Authorizer) Close() error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.end(errors.ErrTransportClosed)
	a.working.Wait()
	return nil
}

// begin counts a goroutine that Close is to wait for; false after Close.
func (a *Authorizer) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.working.Add(1)
	return true
}

func (a *Authorizer) tokenKey(issuer, principal string) Key {
	return Key{Kind: KindToken, Server: a.key, Issuer: issuer, Principal: principal}
}

func (a *Authorizer) issuerKey() Key { return Key{Kind: KindIssuer, Server: a.key} }
