// Package authtest is a protected resource and its authorization server, over
// loopback HTTP, for tests. Both do what the specification says unless a test
// says otherwise, and keep count of what they are asked.
package authtest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
)

// World is a resource server and an authorization server. Fields are set before
// the first request; what changes later is changed within Change.
type World struct {
	Resource *httptest.Server
	Issuer   *httptest.Server
	// Client reaches both.
	Client *http.Client

	// Handler serves requests with a good token; nil: an empty 200.
	Handler http.Handler

	// EditResource and EditServer change the metadata; a document that becomes nil
	// is not served.
	EditResource func(document map[string]any) map[string]any
	EditServer   func(document map[string]any) map[string]any
	// ServerPath is where the authorization server's metadata is.
	ServerPath string
	// Scopes are what a request to the path needs; the path /mcp needs none.
	Scopes map[string][]string
	// Challenge replaces the challenges of answers; nil: as specified.
	Challenge func(status int, usual string) []string
	// EditRedirect changes the query that the user comes back with.
	EditRedirect func(query url.Values)
	// Token decides about token requests before anything else: a status other
	// than 0 is the answer, with the body.
	Token func(form url.Values, header http.Header) (status int, body string)
	// EditToken changes a token answer.
	EditToken func(form url.Values, answer map[string]any)
	// Register decides about registrations likewise.
	Register func(document map[string]any) (status int, body string)
	// TokenNonce and ResourceNonce are demanded in DPoP proofs if they are set.
	TokenNonce, ResourceNonce string

	mu       sync.Mutex
	serial   int
	access   map[string]grant // by access token
	refresh  map[string]grant // by refresh token
	codes    map[string]grant // by code
	counts   map[string]int
	forms    []url.Values
	headers  []http.Header
	registry []map[string]any
}

type grant struct {
	scope, challenge, resource, clientID string
}

// TB is what a world needs of a test; an example has something like it.
type TB interface {
	Helper()
	Cleanup(func())
}

// New starts a world, which ends with the test.
func New(t TB) *World {
	t.Helper()
	w := &World{
		access: map[string]grant{}, refresh: map[string]grant{}, codes: map[string]grant{}, counts: map[string]int{},
		ServerPath: "/.well-known/oauth-authorization-server",
	}
	w.Resource = httptest.NewServer(http.HandlerFunc(w.serveResource))
	w.Issuer = httptest.NewServer(http.HandlerFunc(w.serveIssuer))
	w.Client = w.Resource.Client()
	t.Cleanup(func() {
		w.Client.CloseIdleConnections()
		w.Resource.Close()
		w.Issuer.Close()
	})
	return w
}

// Endpoint is the resource's URL.
func (w *World) Endpoint() string { return w.Resource.URL + "/mcp" }

// Change changes the world while it runs.
func (w *World) Change(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// Count returns how often something happened: "resource", "server", "register",
// "authorize", "revoke", or a grant type.
func (w *World) Count(what string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts[what]
}

// Forms returns what the token endpoint was sent.
func (w *World) Forms() []url.Values {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.forms)
}

// Headers returns the headers of these requests.
func (w *World) Headers() []http.Header {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.headers)
}

// Registered returns the documents that clients registered with.
func (w *World) Registered() []map[string]any {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.registry)
}

// ExpireAccess makes every access token invalid, and with refresh set every
// refresh token too.
func (w *World) ExpireAccess(refresh bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.access)
	if refresh {
		clear(w.refresh)
	}
}

func (w *World) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what]++
}
