package auth

import (
	"encoding/json"
	"net/http"

	"github.com/mcp-client-go/mcpclient/errors"
)

// IdentifyFunc returns the principal whom a browser's request belongs to, from
// the program's own session. An error answers the request with 401.
type IdentifyFunc func(*http.Request) (principal string, err error)

// LoginHandler sends the user's browser to the authorization server. failed
// answers requests for which Begin fails; nil answers them with 502 and no
// details.
func (a *Authorizer) LoginHandler(identify IdentifyFunc, failed func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		principal, err := identify(r)
		if err != nil {
			http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
			return
		}
		flow, err := a.Begin(r.Context(), principal)
		if err != nil {
			a.fail(w, r, err, failed)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, flow.URL, http.StatusFound)
	})
}

// CallbackHandler serves the redirect URL: it finishes the flow of the
// principal whom the browser belongs to, then calls done. failed answers requests
// for which Finish fails; nil answers them with 400 and no details. The answer
// forbids passing the address on, since a code is in it.
func (a *Authorizer) CallbackHandler(identify IdentifyFunc, done http.HandlerFunc, failed func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "no-referrer")
		principal, err := identify(r)
		if err != nil {
			http.Error(w, http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
			return
		}
		if err := a.Finish(r.Context(), principal, r.URL.Query()); err != nil {
			a.fail(w, r, err, failed)
			return
		}
		done(w, r)
	})
}

func (a *Authorizer) fail(w http.ResponseWriter, r *http.Request, err error, failed func(http.ResponseWriter, *http.Request, error)) {
	a.log.Warn("an authorization failed", "server", a.server, "error", err)
	if failed != nil {
		failed(w, r, err)
		return
	}
	status := http.StatusBadGateway
	if errors.Is(err, errors.ErrAuthorizationResponse) || errors.Is(err, errors.ErrAuthorizationDenied) {
		status = http.StatusBadRequest
	}
	http.Error(w, http.StatusText(status), status)
}

// MetadataHandler serves the document that client_metadata_url names, which is
// where it must be mounted (R248). With a private key it carries the public one.
func (a *Authorizer) MetadataHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		document, err := a.metadataDocument()
		if err != nil {
			a.log.Error("the client's metadata document cannot be made", "server", a.server, "error", err)
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "max-age=300")
		_, _ = w.Write(document)
	})
}

func (a *Authorizer) metadataDocument() ([]byte, error) {
	document := a.cfg.metadata(MethodNone, a.cfg.redirectURL())
	document.ClientID = a.cfg.ClientMetadataURL
	key, err := a.privateKey()
	if err != nil {
		return nil, err
	}
	if key != nil {
		public := key.PublicJWK()
		public["use"], public["alg"] = "sig", key.Algorithm()
		if a.cfg.KeyID != "" {
			public["kid"] = a.cfg.KeyID
		}
		document.AuthMethod, document.Keys = MethodPrivateKeyJWT, map[string]any{"keys": []any{public}}
	}
	return json.MarshalIndent(document, "", "  ")
}
