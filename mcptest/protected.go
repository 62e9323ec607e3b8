package mcptest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Protected is a server over HTTP that wants bearer tokens, together with the
// authorization server that issues them: it tells where to authorize, registers
// clients, and gives tokens for an authorization code with PKCE, for a refresh
// token, which it takes once, and for client credentials. Its users agree to
// everything. It is safe for concurrent use.
type Protected struct {
	origin string
	server *Server

	mu      sync.Mutex
	access  map[string]string // token: resource
	refresh map[string]string
	codes   map[string]codeGrant
	counts  map[string]int
}

// codeGrant is what an authorization code stands for.
type codeGrant struct{ challenge, redirect, resource string }

// StartProtected serves the server over HTTP on a free port of the loopback
// interface, for clients with a token: one of those given here, or one that was
// issued. When the test ends, the server is closed.
func StartProtected(t TB, server *Server, tokens ...string) *Protected {
	t.Helper()
	p := &Protected{
		server: server, access: map[string]string{}, refresh: map[string]string{},
		codes: map[string]codeGrant{}, counts: map[string]int{},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("cannot listen on the loopback interface: %v", err)
		return nil
	}
	p.origin = "http://" + listener.Addr().String()
	for _, token := range tokens {
		p.access[token] = p.URL()
	}
	serveUntilEnd(t, server, p.handler(), listener)
	return p
}

// URL returns the endpoint's URL.
func (p *Protected) URL() string { return p.origin + "/mcp" }

// Consent is a user who agrees: it opens the authorization URL and returns the
// query with which the browser is sent back. It is what a function given to
// mcpclient.WithInteraction returns.
func (p *Protected) Consent(ctx context.Context, authorizationURL string) (url.Values, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, authorizationURL, nil)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request) // follows no redirect
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	back, err := response.Location()
	if err != nil {
		return nil, fmt.Errorf("the authorization server answered with status %d: %w", response.StatusCode, err)
	}
	return back.Query(), nil
}

// Expire makes every access token invalid, those given to StartProtected
// included, and with refresh set every refresh token too.
func (p *Protected) Expire(refresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.access)
	if refresh {
		clear(p.refresh)
	}
}

// Count returns how often something happened: "challenge" (an answer 401),
// "register", "authorize", or a token request, by its grant type.
func (p *Protected) Count(what string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[what]
}

func (p *Protected) count(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[what]++
}

func (p *Protected) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", p.guard)
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		writeDocument(w, http.StatusOK, map[string]any{"resource": p.URL(), "authorization_servers": []string{p.origin}})
	})
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", p.describe)
	mux.HandleFunc("POST /register", p.register)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	return mux
}

// guard lets requests with a good token through to the server.
func (p *Protected) guard(w http.ResponseWriter, r *http.Request) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	p.mu.Lock()
	resource, known := p.access[token]
	p.mu.Unlock()
	if !known || !strings.EqualFold(scheme, "Bearer") || resource != p.URL() {
		p.count("challenge")
		w.Header().Set("Www-Authenticate", fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`, p.origin))
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	p.server.Handler().ServeHTTP(w, r)
}

func (p *Protected) describe(w http.ResponseWriter, _ *http.Request) {
	writeDocument(w, http.StatusOK, map[string]any{
		"issuer":                                         p.origin,
		"authorization_endpoint":                         p.origin + "/authorize",
		"token_endpoint":                                 p.origin + "/token",
		"registration_endpoint":                          p.origin + "/register",
		"response_types_supported":                       []string{"code"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token", "client_credentials"},
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          []string{"none", "client_secret_basic", "client_secret_post"},
		"authorization_response_iss_parameter_supported": true,
	})
}

// register knows every client from then on; nothing is checked of it later.
func (p *Protected) register(w http.ResponseWriter, r *http.Request) {
	document := map[string]any{}
	if json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBodyBytes)).Decode(&document) != nil {
		writeDocument(w, http.StatusBadRequest, map[string]any{"error": "invalid_client_metadata"})
		return
	}
	p.count("register")
	document["client_id"] = "client-" + rand.Text()
	if document["token_endpoint_auth_method"] != "none" {
		document["client_secret"] = rand.Text()
	}
	writeDocument(w, http.StatusCreated, document)
}

func (p *Protected) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if query.Get("code_challenge_method") != "S256" || query.Get("code_challenge") == "" || query.Get("redirect_uri") == "" {
		http.Error(w, "code_challenge with S256 and redirect_uri are required", http.StatusBadRequest)
		return
	}
	p.count("authorize")
	code := rand.Text()
	p.mu.Lock()
	p.codes[code] = codeGrant{query.Get("code_challenge"), query.Get("redirect_uri"), query.Get("resource")}
	p.mu.Unlock()
	back := url.Values{"code": {code}, "state": {query.Get("state")}, "iss": {p.origin}}
	separator := "?"
	if strings.Contains(query.Get("redirect_uri"), "?") {
		separator = "&"
	}
	http.Redirect(w, r, query.Get("redirect_uri")+separator+back.Encode(), http.StatusFound)
}

func (p *Protected) token(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
	if err := r.ParseForm(); err != nil {
		writeDocument(w, http.StatusBadRequest, map[string]any{"error": "invalid_request"})
		return
	}
	p.count(r.PostForm.Get("grant_type"))
	resource, ok := p.redeem(r.PostForm)
	if !ok {
		writeDocument(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	access, refresh := rand.Text(), rand.Text()
	p.mu.Lock()
	p.access[access], p.refresh[refresh] = resource, resource
	p.mu.Unlock()
	document := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600}
	if r.PostForm.Get("grant_type") != "client_credentials" {
		document["refresh_token"] = refresh
	}
	writeDocument(w, http.StatusOK, document)
}

// redeem takes a grant and returns the resource it is for.
func (p *Protected) redeem(form url.Values) (resource string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch form.Get("grant_type") {
	case "authorization_code":
		grant, known := p.codes[form.Get("code")]
		delete(p.codes, form.Get("code"))
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		good := grant.challenge == base64.RawURLEncoding.EncodeToString(sum[:]) &&
			grant.redirect == form.Get("redirect_uri") && grant.resource == form.Get("resource")
		return grant.resource, known && good
	case "refresh_token":
		resource, known := p.refresh[form.Get("refresh_token")]
		delete(p.refresh, form.Get("refresh_token"))
		return resource, known
	case "client_credentials":
		return form.Get("resource"), true
	default:
		return "", false
	}
}

func writeDocument(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(encode(document)) // a client that went away needs no answer
}

// serveUntilEnd serves HTTP until the test ends, and then closes the server.
func serveUntilEnd(t TB, server *Server, handler http.Handler, listener net.Listener) {
	endpoint := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- endpoint.Serve(listener) }()
	t.Cleanup(func() {
		server.Close()
		_ = endpoint.Close() // the listener is gone either way
		if err := <-served; err != http.ErrServerClosed {
			t.Errorf("HTTP server ended: %v", err)
		}
	})
}
