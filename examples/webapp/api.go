package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/pprof"
	"os"
	"slices"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// api is what scripts of the pages ask, as JSON: every server by its name, with all
// that a server has, for the user who is signed in. The servers are looked up at
// each request, since they come and go with the configuration.
type api struct{ client *mcpclient.Client }

// userHandler serves a request of a user.
type userHandler = func(w http.ResponseWriter, r *http.Request, user string)

// maxArguments bounds the body of a request, in bytes.
const maxArguments = 1 << 20

const (
	// longestTimeout is what a script may ask for: the request_timeout of mcp.yaml.
	longestTimeout = 30 * time.Second
	// writeTimeout is how long a browser may take that no longer reads events.
	writeTimeout = 10 * time.Second
)

func (a api) register(mux *http.ServeMux, signedIn func(userHandler) http.HandlerFunc) {
	handle := func(pattern string, serve func(http.ResponseWriter, *http.Request, *mcpclient.Connection)) {
		mux.HandleFunc(pattern, signedIn(func(w http.ResponseWriter, r *http.Request, _ string) {
			server, err := a.client.Connect(r.PathValue("server"))
			if err != nil {
				http.Error(w, err.Error(), http.StatusNotFound)
				return
			}
			serve(w, r, server)
		}))
	}
	handle("GET /api/{server}/tools", a.listTools)
	handle("POST /api/{server}/tools/{tool}", a.callTool)
	handle("GET /api/{server}/resource", a.readResource)
	handle("POST /api/{server}/prompts/{prompt}", a.getPrompt)
}

func (a api) listTools(w http.ResponseWriter, r *http.Request, server *mcpclient.Connection) {
	tools, err := server.Tools(r.Context())
	answer(w, slices.Collect(tools.Values()), err)
}

func (a api) readResource(w http.ResponseWriter, r *http.Request, server *mcpclient.Connection) {
	result, err := server.ReadResource(r.Context(), r.FormValue("uri"))
	answer(w, result, err)
}

func (a api) getPrompt(w http.ResponseWriter, r *http.Request, server *mcpclient.Connection) {
	var arguments map[string]string
	if !decode(w, r, &arguments) {
		return
	}
	result, err := server.GetPrompt(r.Context(), r.PathValue("prompt"), arguments)
	answer(w, result, err)
}

// callTool answers with the tool's result or, to those who accept an event stream,
// with each progress as it comes and then the result. The query may bound it:
// ?timeout=2s. It cannot lift the limits of the configuration.
func (a api) callTool(w http.ResponseWriter, r *http.Request, server *mcpclient.Connection) {
	var arguments json.RawMessage
	if !decode(w, r, &arguments) {
		return
	}
	var options []mcpclient.CallOption
	if text := r.FormValue("timeout"); text != "" {
		timeout, err := time.ParseDuration(text)
		if err != nil || timeout <= 0 || timeout > longestTimeout { // 0 is no limit to CallTool
			http.Error(w, "timeout must be above 0, and at most "+longestTimeout.String(), http.StatusBadRequest)
			return
		}
		options = append(options, mcpclient.WithTimeout(timeout), mcpclient.WithMaxTimeout(timeout))
	}
	if r.Header.Get("Accept") != "text/event-stream" {
		result, err := server.CallTool(r.Context(), r.PathValue("tool"), arguments, options...)
		answer(w, result, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(name string, data any) {
		encoded, err := json.Marshal(data)
		if err != nil {
			return
		}
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout))
		defer func() { _ = control.SetWriteDeadline(time.Time{}) }()                     // the connection's next request has none
		_, _ = w.Write([]byte("event: " + name + "\ndata: " + string(encoded) + "\n\n")) // a browser that went away ends the context
		_ = control.Flush()
	}
	options = append(options, mcpclient.OnProgress(func(p mcp.Progress) { event("progress", p) }))
	result, err := server.CallTool(r.Context(), r.PathValue("tool"), arguments, options...)
	if err != nil {
		event("error", failureOf(err))
		return
	}
	event("result", result)
}

// failure is what a script is told of an error.
type failure struct {
	Kind  string `json:"kind"`  // an errors.Kind, by name
	Error string `json:"error"` // holds no secrets
	Again bool   `json:"again"` // it is safe to ask again
}

func failureOf(err error) failure {
	told := failure{Kind: errors.KindUnknown.String(), Error: err.Error(), Again: errors.SafeToRetry(err)}
	if typed, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
		told.Kind = typed.Kind.String()
	}
	return told
}

// answer writes a value, or the error with a status for its kind.
func answer(w http.ResponseWriter, value any, err error) {
	status := http.StatusOK
	switch {
	case err == nil:
	case errors.Is(err, errors.ErrAuthRequired):
		status = http.StatusForbidden // the script sends the user to loginPath
	case errors.Is(err, errors.ErrRequestTimeout) || errors.Is(err, context.DeadlineExceeded):
		status = http.StatusGatewayTimeout
	default:
		status = http.StatusBadGateway
	}
	if err != nil {
		value = failureOf(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// decode reads the body, {} where it is empty; false: it has answered.
func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxArguments))
	if err == nil {
		err = json.Unmarshal([]byte(cmp.Or(string(body), "{}")), into)
	}
	if err != nil {
		http.Error(w, "the body must be a JSON object of at most 1 MiB: "+err.Error(), http.StatusBadRequest)
	}
	return err == nil
}

// profilesVariable is the variable of the environment that, if it is set, lets
// everybody who can reach the program look into it.
const profilesVariable = "WEBAPP_PROFILES"

// registerProfiles serves what net/http/pprof knows of this program, where its
// operators want that. A profile costs the program some of its speed, as long as
// whoever asks for it likes.
func registerProfiles(mux *http.ServeMux) {
	if os.Getenv(profilesVariable) == "" {
		return
	}
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
}
