package authtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

func (w *World) serveIssuer(rw http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case w.ServerPath:
		w.count("server")
		document := w.metadata()
		if w.EditServer != nil {
			document = w.EditServer(document)
		}
		serveDocument(rw, document)
	case "/register":
		w.serveRegistration(rw, r)
	case "/authorize":
		w.serveAuthorization(rw, r)
	case "/token":
		w.serveToken(rw, r)
	case "/revoke":
		_ = r.ParseForm()
		w.count("revoke")
		w.mu.Lock()
		delete(w.refresh, r.PostForm.Get("token"))
		delete(w.access, r.PostForm.Get("token"))
		w.mu.Unlock()
	default:
		http.NotFound(rw, r)
	}
}

func (w *World) metadata() map[string]any {
	return map[string]any{
		"issuer":                                         w.Issuer.URL,
		"authorization_endpoint":                         w.Issuer.URL + "/authorize",
		"token_endpoint":                                 w.Issuer.URL + "/token",
		"registration_endpoint":                          w.Issuer.URL + "/register",
		"revocation_endpoint":                            w.Issuer.URL + "/revoke",
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          []string{"none", "client_secret_basic", "client_secret_post", "private_key_jwt"},
		"authorization_response_iss_parameter_supported": true,
	}
}

func (w *World) serveRegistration(rw http.ResponseWriter, r *http.Request) {
	var document map[string]any
	_ = json.NewDecoder(r.Body).Decode(&document)
	w.mu.Lock()
	w.counts["register"]++
	w.registry = append(w.registry, document)
	id := fmt.Sprintf("client-%d", len(w.registry))
	w.mu.Unlock()
	if w.Register != nil {
		if status, body := w.Register(document); status != 0 {
			rw.WriteHeader(status)
			_, _ = rw.Write([]byte(body))
			return
		}
	}
	reply := maps.Clone(document)
	reply["client_id"] = id
	if document["token_endpoint_auth_method"] != "none" {
		reply["client_secret"] = "canary-registered-secret"
	}
	answer(rw, http.StatusCreated, reply)
}

func (w *World) serveAuthorization(rw http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	w.mu.Lock()
	w.counts["authorize"]++
	w.serial++
	code := fmt.Sprintf("canary-code-%d", w.serial)
	w.codes[code] = grant{query.Get("scope"), query.Get("code_challenge"), query.Get("resource"), query.Get("client_id")}
	edit := w.EditRedirect
	w.mu.Unlock()
	back := url.Values{"code": {code}, "state": {query.Get("state")}, "iss": {w.Issuer.URL}}
	if edit != nil {
		edit(back)
	}
	http.Redirect(rw, r, query.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (w *World) serveToken(rw http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	form := r.PostForm
	w.mu.Lock()
	w.counts[form.Get("grant_type")]++
	w.forms = append(w.forms, form)
	w.headers = append(w.headers, r.Header.Clone())
	nonce := w.TokenNonce
	w.mu.Unlock()
	if nonce != "" && claims(r.Header.Get("Dpop"))["nonce"] != nonce {
		rw.Header().Set("Dpop-Nonce", nonce)
		refuse(rw, http.StatusBadRequest, "use_dpop_nonce", "")
		return
	}
	if w.Token != nil {
		if status, body := w.Token(form, r.Header); status != 0 {
			rw.WriteHeader(status)
			_, _ = rw.Write([]byte(body))
			return
		}
	}
	given, ok := w.redeem(form)
	if !ok {
		refuse(rw, http.StatusBadRequest, "invalid_grant", "the grant is not good")
		return
	}
	reply := w.issue(given, r.Header.Get("Dpop") != "")
	if w.EditToken != nil {
		w.EditToken(form, reply)
	}
	answer(rw, http.StatusOK, reply)
}

// redeem takes a code or a refresh token, each once.
func (w *World) redeem(form url.Values) (grant, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch form.Get("grant_type") {
	case "authorization_code":
		given, ok := w.codes[form.Get("code")]
		delete(w.codes, form.Get("code"))
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		return given, ok && given.challenge == base64.RawURLEncoding.EncodeToString(sum[:]) && form.Get("resource") == given.resource
	case "refresh_token":
		given, ok := w.refresh[form.Get("refresh_token")]
		delete(w.refresh, form.Get("refresh_token")) // rotation
		return given, ok
	default:
		return grant{scope: form.Get("scope")}, true
	}
}

func (w *World) issue(given grant, bound bool) map[string]any {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.serial++
	access, refresh := fmt.Sprintf("canary-access-%d", w.serial), fmt.Sprintf("canary-refresh-%d", w.serial)
	w.access[access], w.refresh[refresh] = given, given
	reply := map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 3600}
	if bound {
		reply["token_type"] = "DPoP"
	}
	if given.scope != "" {
		reply["scope"] = given.scope
	}
	return reply
}

// claims reads a JWT without looking at its signature.
func claims(token string) map[string]any {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil
	}
	text, _ := base64.RawURLEncoding.DecodeString(parts[1])
	var decoded map[string]any
	_ = json.Unmarshal(text, &decoded)
	return decoded
}

func answer(rw http.ResponseWriter, status int, document any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(document)
}

func refuse(rw http.ResponseWriter, status int, code, description string) {
	answer(rw, status, map[string]string{"error": code, "error_description": description})
}
