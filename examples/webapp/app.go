package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"html/template"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/mcp-client-go/mcpclient"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS []byte
	//go:embed page.js
	pageJS []byte
)

// app is the backend's pages. It takes no more of a server than that tools of it
// can be called, so that a test passes a function.
type app struct {
	tools    mcpclient.ToolCaller
	runs     *runs
	sessions *sessions
	page     *template.Template
}

func newApp(tools mcpclient.ToolCaller, sessions *sessions) *app {
	return &app{tools: tools, runs: newRuns(tools), sessions: sessions, page: template.Must(template.New("page").Parse(pageHTML))}
}

func (a *app) register(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", a.showPage)
	mux.HandleFunc("POST /session", a.sessions.signIn)
	mux.HandleFunc("POST /sum", a.sessions.signedIn(a.addUp))
	mux.HandleFunc("POST /reports", a.sessions.signedIn(a.beginReport))
	mux.HandleFunc("GET /reports/events", a.sessions.signedIn(a.streamReports))
	mux.HandleFunc("GET /page.css", asset("text/css; charset=utf-8", pageCSS))
	mux.HandleFunc("GET /page.js", asset("text/javascript; charset=utf-8", pageJS))
}

// pageData is what page.html is given.
type pageData struct {
	User      string
	A, B, Sum string
	Error     string
	Login     string // where the user logs in to the server, if that is what is missing
	Runs      []run
}

func (a *app) showPage(w http.ResponseWriter, r *http.Request) {
	a.render(w, http.StatusOK, pageData{User: a.sessions.userOf(r), A: "19", B: "23"})
}

func (a *app) render(w http.ResponseWriter, status int, data pageData) {
	if data.User != "" {
		data.Runs, _ = a.runs.now(data.User)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	w.WriteHeader(status)
	if err := a.page.Execute(w, data); err != nil {
		slog.Error("page", "error", err)
	}
}

// sum is what the tool add returns.
type sum struct{ Sum float64 }

// addUp calls a tool within the request: if the browser goes away, so does the
// call.
func (a *app) addUp(w http.ResponseWriter, r *http.Request, user string) {
	page := pageData{User: user, A: r.PostFormValue("a"), B: r.PostFormValue("b")}
	first, err := strconv.ParseFloat(page.A, 64)
	second, err2 := strconv.ParseFloat(page.B, 64)
	if errors.Join(err, err2) != nil || math.IsNaN(first+second) || math.IsInf(first+second, 0) {
		page.Error = "Both must be numbers, and not too large."
		a.render(w, http.StatusUnprocessableEntity, page)
		return
	}
	result, err := a.tools.CallTool(r.Context(), "add", map[string]float64{"a": first, "b": second})
	if err != nil { // there is no result: who failed and why is in the error
		slog.Error("add up", "user", user, "error", err)
		var status int
		status, page.Error, page.Login = explain(err)
		a.render(w, status, page)
		return
	}
	added, err := mcpclient.Decode[sum](result) // fails if the tool did, with its text
	if err != nil {
		page.Error = err.Error()
		a.render(w, http.StatusUnprocessableEntity, page)
		return
	}
	page.Sum = strconv.FormatFloat(added.Sum, 'g', -1, 64)
	a.render(w, http.StatusOK, page)
}

const maxSteps = 100

func (a *app) beginReport(w http.ResponseWriter, r *http.Request, user string) {
	steps, err := strconv.Atoi(r.PostFormValue("steps"))
	if err != nil || steps < 1 || steps > maxSteps {
		a.render(w, http.StatusUnprocessableEntity, pageData{User: user, Error: "A report has 1 to 100 steps."})
		return
	}
	if err := a.runs.begin(user, steps); err != nil {
		a.render(w, http.StatusTooManyRequests, pageData{User: user, Error: err.Error()})
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// streamReports sends the user's reports at each change, as server-sent events,
// until the browser goes away or the backend does. An event is the whole list, so
// that a browser that comes back has missed nothing.
func (a *app) streamReports(w http.ResponseWriter, r *http.Request, user string) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // the server's is for requests that end
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for {
		list, changed := a.runs.now(user)
		encoded, err := json.Marshal(list)
		if err != nil {
			return
		}
		_ = control.SetWriteDeadline(time.Now().Add(10 * time.Second)) // a browser that no longer reads
		if _, err := w.Write([]byte("data: " + string(encoded) + "\n\n")); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		case <-a.runs.closed:
			return
		}
	}
}

func asset(contentType string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(content)
	}
}
