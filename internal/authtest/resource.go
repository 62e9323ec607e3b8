package authtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func (w *World) serveResource(rw http.ResponseWriter, r *http.Request) {
	const wellKnown = "/.well-known/oauth-protected-resource/mcp"
	if r.URL.Path == wellKnown {
		w.count("resource")
		document := map[string]any{"resource": w.Endpoint(), "authorization_servers": []string{w.Issuer.URL}}
		if w.EditResource != nil {
			document = w.EditResource(document)
		}
		serveDocument(rw, document)
		return
	}
	if !strings.HasPrefix(r.URL.Path, "/mcp") {
		http.NotFound(rw, r)
		return
	}
	usual := fmt.Sprintf(`resource_metadata="%s%s"`, w.Resource.URL, wellKnown)
	scheme, credentials, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	w.mu.Lock()
	known, ok := w.access[credentials]
	needed := w.Scopes[r.URL.Path]
	nonce := w.ResourceNonce
	w.mu.Unlock()
	if nonce != "" && ok && claims(r.Header.Get("Dpop"))["nonce"] != nonce {
		rw.Header().Set("Dpop-Nonce", nonce)
		w.challenge(rw, http.StatusUnauthorized, scheme+` error="use_dpop_nonce"`)
		return
	}
	if !ok {
		challenge := "Bearer " + usual
		if len(needed) > 0 {
			challenge += fmt.Sprintf(`, scope="%s"`, strings.Join(needed, " "))
		}
		w.challenge(rw, http.StatusUnauthorized, challenge)
		return
	}
	for _, scope := range needed {
		if !slices.Contains(strings.Split(known.scope, " "), scope) {
			w.challenge(rw, http.StatusForbidden, fmt.Sprintf(`Bearer error="insufficient_scope", scope="%s", %s`, strings.Join(needed, " "), usual))
			return
		}
	}
	w.count("served")
	if w.Handler != nil {
		w.Handler.ServeHTTP(rw, r)
		return
	}
	rw.WriteHeader(http.StatusOK)
}

func (w *World) challenge(rw http.ResponseWriter, status int, usual string) {
	challenges := []string{usual}
	if w.Challenge != nil {
		challenges = w.Challenge(status, usual)
	}
	for _, challenge := range challenges {
		rw.Header().Add("Www-Authenticate", challenge)
	}
	w.count(fmt.Sprint(status))
	rw.WriteHeader(status)
}

func serveDocument(rw http.ResponseWriter, document map[string]any) {
	if document == nil {
		rw.WriteHeader(http.StatusNotFound)
		return
	}
	answer(rw, http.StatusOK, document)
}
