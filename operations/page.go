package operations

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The page is one address: the query's format says what of it is wanted, so that
// it can stand at any path. Its live parts are templates; the page is rendered with
// them, and the stream sends those that have changed (events.go).
var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// liveParts are the templates that the stream sends, each the inside of the
// element with that id.
var liveParts = [...]string{"summary", "problems", "servers", "in-flight", "slowest", "failing", "configuration"}

func parsePage() (*template.Template, error) {
	page, err := template.New("page").Funcs(viewFunctions()).Parse(pageHTML)
	if err != nil {
		return nil, fmt.Errorf("operations: the template of the page: %w", err)
	}
	return page, nil
}

// Page shows the servers, their counters, restarts, calls and configuration: to
// people as a page without anything from elsewhere, which keeps itself up to date;
// as JSON (Snapshot) with ?format=json or to those who accept that and not HTML.
// ?format=events, or accepting text/event-stream, is the stream of the page's parts
// that have changed; one more than MaxViewers gets 503.
//
// It shows texts that servers sent, escaped, and no secrets, but more than
// strangers should see: put it behind your access control.
func (s *Site) Page() http.Handler {
	return readOnly(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept")
		switch formatOf(r) {
		case "json":
			writeJSON(w, http.StatusOK, s.Snapshot())
		case "events":
			s.serveEvents(w, r)
		case "html":
			s.servePage(w)
		default:
			http.Error(w, "format is html, json or events", http.StatusBadRequest)
		}
	})
}

func formatOf(r *http.Request) string {
	accepted := r.Header.Get("Accept")
	switch format := r.URL.Query().Get("format"); {
	case format != "":
		return format
	case strings.Contains(accepted, "text/html"):
		return "html"
	case strings.Contains(accepted, "text/event-stream"):
		return "events"
	case strings.Contains(accepted, "application/json"):
		return "json"
	default:
		return "html"
	}
}

// pageData is what the page's template is given.
type pageData struct {
	Snapshot
	Nonce  string
	CSS    template.CSS
	Script template.JS
}

func (s *Site) servePage(w http.ResponseWriter) {
	data := pageData{Snapshot: s.Snapshot(), Nonce: rand.Text(), CSS: template.CSS(pageCSS), Script: template.JS(pageJS)}
	var page bytes.Buffer
	if err := s.page.Execute(&page, data); err != nil {
		http.Error(w, "the page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'nonce-"+data.Nonce+"'; script-src 'nonce-"+data.Nonce+
		"'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	_, _ = w.Write(page.Bytes())
}

// rendered keeps the latest rendering of the live parts, which all viewers share.
type rendered struct {
	mu    sync.Mutex
	at    time.Time
	parts map[string]string // never changed
}

// parts returns the live parts, rendered within the last half interval.
func (s *Site) parts() (map[string]string, error) {
	s.rendered.mu.Lock()
	defer s.rendered.mu.Unlock()
	if s.rendered.parts != nil && time.Since(s.rendered.at) < s.interval/2 {
		return s.rendered.parts, nil
	}
	snapshot := s.Snapshot()
	parts := make(map[string]string, len(liveParts))
	for _, name := range liveParts {
		var part bytes.Buffer
		if err := s.page.ExecuteTemplate(&part, name, snapshot); err != nil {
			return nil, err
		}
		parts[name] = part.String()
	}
	s.rendered.at, s.rendered.parts = time.Now(), parts
	return parts, nil
}
