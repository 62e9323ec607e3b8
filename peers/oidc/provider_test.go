package oidc

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the provider logs there what it refuses
	goleak.VerifyTestMain(m)
}

// The provider's users and clients.
const (
	userOne, userTwo = "test-user@127.0.0.1", "test-user2"
	subjectOne       = "id1"
	subjectTwo       = "id2"
	password         = "verysecure"

	webClient, webSecret = "mcp-web", "canary-web-secret"
	nativeClient         = "mcp-native"
	machine, machineKey  = "sid1", "verysecret"

	redirectURL = "http://127.0.0.1:9999/auth/callback"
	moreScope   = storage.CustomScope // what the tool add needs
)

// provider is an OpenID provider with its login page.
type provider struct {
	*httptest.Server
	storage *storage.Storage

	mu       sync.Mutex
	requests map[string]int // by path, and by grant type
}

// startProvider starts one that ends with the test.
func startProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{requests: map[string]int{}}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.NotFound(w, nil) }))
	issuer := "http://" + p.Listener.Addr().String()
	p.storage = storage.NewStorageWithClients(storage.NewUserStore(issuer), map[string]*storage.Client{
		webClient:    storage.WebClient(webClient, webSecret, redirectURL),
		nativeClient: storage.NativeClient(nativeClient, "http://127.0.0.1/auth/callback"),
	})
	server, err := op.NewProvider(&op.Config{
		CryptoKey: sha256.Sum256([]byte(issuer)), CodeMethodS256: true,
		AuthMethodPost: true, AuthMethodPrivateKeyJWT: true, GrantTypeRefreshToken: true,
	}, p.storage, op.StaticIssuer(issuer), op.WithAllowInsecure(), op.WithLogger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	callback := op.AuthCallbackURL(server)
	mux := http.NewServeMux()
	mux.Handle("/", server)
	mux.HandleFunc("GET /login/username", p.loginPage)
	mux.Handle("POST /login/username", op.NewIssuerInterceptor(server.IssuerFromRequest).HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.FormValue("id")
		if err := p.storage.CheckUsernamePassword(r.FormValue("username"), r.FormValue("password"), id); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, callback(r.Context(), id), http.StatusFound)
	}))
	p.Config.Handler = p.counted(mux)
	p.Start()
	t.Cleanup(p.Close)
	return p
}

func (p *provider) loginPage(w http.ResponseWriter, r *http.Request) {
	_, _ = fmt.Fprintf(w, `<form method="post"><input name="id" value="%s"><input name="username"><input name="password"></form>`, r.FormValue("authRequestID"))
}

// counted counts requests.
func (p *provider) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.requests[r.URL.Path]++
		p.mu.Unlock()
		if r.URL.Path == "/oauth/token" {
			_ = r.ParseForm()
			p.mu.Lock()
			p.requests[r.PostForm.Get("grant_type")]++
			p.mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
}

func (p *provider) count(what string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[what]
}

// post asks the provider something as the web client.
func (p *provider) post(ctx context.Context, path string, form url.Values) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(webClient, webSecret)
	response, err := p.Client().Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// consent is a user at a browser: follows the address to the login page, logs in
// there, and is sent back; it returns the query of the redirect URL, which the
// browser asks nobody for.
func (p *provider) consent(ctx context.Context, address, username string) (url.Values, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	browser := &http.Client{Transport: p.Client().Transport, Jar: jar, CheckRedirect: func(request *http.Request, _ []*http.Request) error {
		if host, _, _ := net.SplitHostPort(request.URL.Host); request.URL.Port() == "9999" && host == "127.0.0.1" {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	page, err := get(ctx, browser, address)
	if err != nil {
		return nil, err
	}
	if page.StatusCode != http.StatusOK { // the provider does not even show its page
		if back, err := page.Location(); err == nil {
			return back.Query(), nil
		}
		return nil, fmt.Errorf("the provider's page has status %d", page.StatusCode)
	}
	form := url.Values{"id": {page.Request.URL.Query().Get("authRequestID")}, "username": {username}, "password": {password}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, page.Request.URL.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := browser.Do(request)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	back, err := response.Location()
	if err != nil {
		return nil, fmt.Errorf("the login ended with status %d: %w", response.StatusCode, err)
	}
	return back.Query(), nil
}

func get(ctx context.Context, browser *http.Client, address string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := browser.Do(request)
	if err != nil {
		return nil, err
	}
	return response, response.Body.Close()
}
