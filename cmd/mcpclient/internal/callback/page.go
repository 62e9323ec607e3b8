package callback

import (
	"html/template"
	"net/http"

	"github.com/mcp-client-go/mcpclient/errors"
)

// handler shows the user how it went.
type handler struct {
	*Listener
	name string
}

// page is what the user reads.
type page struct {
	Title, Text string
	status      int
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := h.url.Path
	if path == "" {
		path = "/"
	}
	switch {
	case r.URL.Path != path:
		h.show(w, page{"Nothing here", "This page belongs to a login that waits in a terminal.", http.StatusNotFound})
	case r.Method != http.MethodGet:
		h.show(w, page{"Nothing here", "This page belongs to a login that waits in a terminal.", http.StatusMethodNotAllowed})
	case !h.isOurs(r.URL.Query()):
		h.show(w, page{"Not this login", "This is not the answer to the login that waits in the terminal. Follow the link that is shown there.", http.StatusBadRequest})
	default:
		h.show(w, h.finish(r))
	}
}

// finish hands the answer over and waits for what becomes of it.
func (h *handler) finish(r *http.Request) page {
	outcome := make(chan error, 1)
	err := errors.New("this login is over already")
	h.once.Do(func() {
		select {
		case h.answers <- Answer{Query: r.URL.Query(), reply: outcome}:
		case <-r.Context().Done():
		}
		select {
		case err = <-outcome:
		case <-r.Context().Done():
		}
	})
	if err != nil {
		return page{"That did not work", "You are not logged in to " + h.name + ": " + errors.PeerText(err.Error(), 500) + ".", http.StatusBadRequest}
	}
	return page{"You are logged in", "You are logged in to " + h.name + ". You can close this window and go back to the terminal.", http.StatusOK}
}

// show writes a page that loads nothing, is kept nowhere, and passes its address,
// in which a code is, on to nobody.
func (h *handler) show(w http.ResponseWriter, p page) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Connection", "close")
	w.WriteHeader(p.status)
	parsed, err := template.New("page").Parse(layout)
	if err == nil {
		_ = parsed.Execute(w, p) // the browser is gone: nobody is left to tell
	}
}

const layout = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 0 1.5rem; color-scheme: light dark }
h1 { font-size: 1.6rem }
</style>
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
</html>
`
