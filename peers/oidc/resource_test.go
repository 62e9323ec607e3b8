package oidc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// resource is an MCP server that asks the provider about each token that it gets.
type resource struct {
	*httptest.Server
	provider *provider

	mu       sync.Mutex
	subjects []string // of the calls that were served
	tokens   []string // that were good
	refused  int
}

// startResource starts a demo server whose tool add needs more scope.
func startResource(t *testing.T, p *provider) *resource {
	t.Helper()
	demo := mcptest.NewDemoServer()
	t.Cleanup(demo.Close)
	r := &resource{provider: p}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.URL.Path == "/.well-known/oauth-protected-resource/mcp" {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"resource": r.endpoint(), "authorization_servers": []string{p.URL}, "scopes_supported": []string{"openid", "profile"}})
			return
		}
		if r.admits(w, request) {
			demo.Handler().ServeHTTP(w, request)
		}
	}))
	t.Cleanup(r.Close)
	t.Cleanup(r.Client().CloseIdleConnections)
	return r
}

func (r *resource) endpoint() string { return r.URL + "/mcp" }

// admits answers requests whose token is no good.
func (r *resource) admits(w http.ResponseWriter, request *http.Request) bool {
	metadata := fmt.Sprintf("resource_metadata=%q", r.URL+"/.well-known/oauth-protected-resource/mcp")
	token, _ := strings.CutPrefix(request.Header.Get("Authorization"), "Bearer ")
	known, err := r.introspect(request.Context(), token)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
		return false
	case !known.Active:
		r.refused++
		w.Header().Set("WWW-Authenticate", "Bearer "+metadata)
		w.WriteHeader(http.StatusUnauthorized)
		return false
	case request.Header.Get("Mcp-Name") == "add" && !slices.Contains(strings.Fields(known.Scope), moreScope):
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q, %s`, moreScope, metadata))
		w.WriteHeader(http.StatusForbidden)
		return false
	}
	r.subjects = append(r.subjects, known.Subject)
	r.tokens = append(r.tokens, token)
	return true
}

// introspection is what the provider says of a token (RFC 7662).
type introspection struct {
	Active  bool   `json:"active"`
	Subject string `json:"sub"`
	Scope   string `json:"scope"`
}

func (r *resource) introspect(ctx context.Context, token string) (known introspection, err error) {
	if token == "" {
		return known, nil
	}
	_, text, err := r.provider.post(ctx, "/oauth/introspect", url.Values{"token": {token}})
	if err != nil {
		return known, err
	}
	return known, json.Unmarshal([]byte(text), &known)
}

// served returns the subjects of the calls that were served so far, and forgets
// them.
func (r *resource) served() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	served := r.subjects
	r.subjects = nil
	slices.Sort(served)
	return slices.Compact(served)
}

func (r *resource) lastToken() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tokens[len(r.tokens)-1]
}

// clock is one that a test sets; it may differ from everybody else's.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) set(ahead time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead = ahead
}

// connect returns a connection to the resource; section is its section auth.
func connect(t *testing.T, r *resource, section map[string]any, options ...mcpclient.Option) *mcpclient.Connection {
	t.Helper()
	cfg, err := config.FromServers(map[string]any{"files": map[string]any{"type": "http", "base_url": r.endpoint(), "auth": section}})
	require.NoError(t, err)
	client, err := mcpclient.New(cfg, options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	require.Empty(t, client.Problems())
	connection, err := client.Connect("files")
	require.NoError(t, err)
	return connection
}

// web is the section auth of a confidential client that was registered
// beforehand.
func web() map[string]any {
	return map[string]any{"client_id": webClient, "client_secret": webSecret, "redirect_url": redirectURL}
}

// logIn authorizes in two halves.
func logIn(t *testing.T, p *provider, files *mcpclient.Connection, principal, username string) {
	t.Helper()
	flow, err := files.Authorizer().Begin(t.Context(), principal)
	require.NoError(t, err)
	query, err := p.consent(t.Context(), flow.URL, username)
	require.NoError(t, err)
	require.NoError(t, files.Authorizer().Finish(t.Context(), principal, query))
}

// asking has the user log in whenever a call needs it.
func asking(p *provider, username string) mcpclient.Option {
	return mcpclient.WithInteraction(func(ctx context.Context, request auth.AuthorizationRequest) (url.Values, error) {
		return p.consent(ctx, request.URL, username)
	})
}

func echo(ctx context.Context, t *testing.T, files *mcpclient.Connection) error {
	t.Helper()
	result, err := files.CallTool(ctx, "echo", map[string]any{"text": "hello"})
	if err == nil {
		require.Equal(t, "hello", result.Text())
	}
	return err
}
