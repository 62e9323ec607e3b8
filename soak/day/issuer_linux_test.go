package day

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	// accessLifetime is how long an access token is good.
	accessLifetime = 15 * time.Second
	// userHeader is whom a browser belongs to, at the issuer.
	userHeader = "X-Day-User"
)

// issuer is the authorization server beside a protected server. Its tokens are
// signed, so that they outlive the process; which of them were used up does not.
type issuer struct {
	origin string

	mu        sync.Mutex
	used      map[string]bool // codes and refresh tokens
	access    time.Time       // older access tokens are no longer good
	refresh   time.Time       // nor older refresh tokens
	refreshes int
}

// ticket is what a code or a token says.
type ticket struct {
	Kind, User, Resource, Challenge, Redirect, Serial string
	Issued                                            time.Time
}

func newIssuer(origin string) *issuer { return &issuer{origin: origin, used: map[string]bool{}} }

func (i *issuer) register(mux *http.ServeMux) {
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		document(w, http.StatusOK, map[string]any{"resource": i.origin + "/mcp", "authorization_servers": []string{i.origin}})
	})
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		document(w, http.StatusOK, map[string]any{
			"issuer": i.origin, "authorization_endpoint": i.origin + "/authorize", "token_endpoint": i.origin + "/token",
			"registration_endpoint": i.origin + "/register", "response_types_supported": []string{"code"},
			"grant_types_supported":            []string{"authorization_code", "refresh_token"},
			"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
			"authorization_response_iss_parameter_supported": true,
		})
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		client := map[string]any{}
		_ = json.NewDecoder(r.Body).Decode(&client)
		client["client_id"] = "client-" + rand.Text()
		document(w, http.StatusCreated, client)
	})
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("/control/expire", func(http.ResponseWriter, *http.Request) { i.end(false) })
	mux.HandleFunc("/control/revoke", func(http.ResponseWriter, *http.Request) { i.end(true) })
	mux.HandleFunc("/control/refreshes", func(w http.ResponseWriter, _ *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		_, _ = fmt.Fprint(w, i.refreshes)
	})
}

// end makes all access tokens invalid, and with refresh set all refresh tokens.
func (i *issuer) end(refresh bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.access = time.Now()
	if refresh {
		i.refresh = i.access
	}
}

// admit returns the user of a request's token, or has answered.
func (i *issuer) admit(w http.ResponseWriter, r *http.Request) string {
	token, isBearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	given, ok := open(token)
	i.mu.Lock()
	good := ok && isBearer && given.Kind == "access" && given.Issued.After(i.access) && time.Since(given.Issued) < accessLifetime
	i.mu.Unlock()
	if !good {
		w.Header().Set("Www-Authenticate", `Bearer resource_metadata="`+i.origin+`/.well-known/oauth-protected-resource/mcp"`)
		w.WriteHeader(http.StatusUnauthorized)
		return ""
	}
	return given.User
}

// authorize is a user who agrees to everything.
func (i *issuer) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	code := seal(ticket{
		Kind: "code", User: r.Header.Get(userHeader), Resource: query.Get("resource"),
		Challenge: query.Get("code_challenge"), Redirect: query.Get("redirect_uri"),
	})
	back := url.Values{"code": {code}, "state": {query.Get("state")}, "iss": {i.origin}}
	http.Redirect(w, r, query.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	given, ok := i.redeem(r.PostForm)
	if !ok {
		document(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	document(w, http.StatusOK, map[string]any{
		"access_token":  seal(ticket{Kind: "access", User: given.User, Resource: given.Resource}),
		"refresh_token": seal(ticket{Kind: "refresh", User: given.User, Resource: given.Resource}),
		"token_type":    "Bearer", "expires_in": int(accessLifetime.Seconds()),
	})
}

// redeem takes a code or a refresh token, each once.
func (i *issuer) redeem(form url.Values) (ticket, bool) {
	kind, text := "code", form.Get("code")
	if form.Get("grant_type") == "refresh_token" {
		kind, text = "refresh", form.Get("refresh_token")
	}
	given, ok := open(text)
	i.mu.Lock()
	defer i.mu.Unlock()
	if !ok || given.Kind != kind || i.used[given.Serial] || !given.Issued.After(i.refresh) {
		return ticket{}, false
	}
	i.used[given.Serial] = true
	if kind == "refresh" {
		i.refreshes++
		return given, true
	}
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	return given, given.Challenge == base64.RawURLEncoding.EncodeToString(sum[:]) && given.Redirect == form.Get("redirect_uri")
}

// seal signs a ticket. Every incarnation of the issuer has the same key.
func seal(t ticket) string {
	t.Serial, t.Issued = rand.Text(), time.Now()
	text := base64.RawURLEncoding.EncodeToString(encode(t))
	return text + "." + signature(text)
}

func signature(text string) string {
	mac := hmac.New(sha256.New, []byte("a key of this test"))
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func open(sealed string) (t ticket, ok bool) {
	text, signed, _ := strings.Cut(sealed, ".")
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || !hmac.Equal([]byte(signed), []byte(signature(text))) {
		return t, false
	}
	return t, json.Unmarshal(decoded, &t) == nil
}

func document(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}
