package day

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// endpoint is a server over HTTP, which does as its controls say.
type endpoint struct {
	kind   serverKind
	server *mcptest.Server
	inner  http.Handler
	issuer *issuer // nil: everybody is let in

	mu     sync.Mutex
	owners map[string]string // users by session
	ill    illness
	until  time.Time
}

// illness is what a server has for a while.
type illness struct {
	Status  int           // of every answer, with Retry-After
	Delay   time.Duration // before every answer
	Garbage bool          // a page instead of an answer
}

// serveHTTP serves on the socket that was handed over, until it is killed.
func serveHTTP(name string, kind serverKind) int {
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return 2
	}
	e := &endpoint{kind: kind, owners: map[string]string{}}
	e.server = newServer(name, func(q question) string { return q.Owner }, kind.options...)
	e.inner = e.server.Handler()
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", e.serve)
	mux.HandleFunc("/control/forget", func(w http.ResponseWriter, _ *http.Request) {
		e.server.ForgetSessions()
	})
	mux.HandleFunc("/control/ill", e.fallIll)
	mux.HandleFunc("/control/change", func(http.ResponseWriter, *http.Request) {
		e.server.AddTool(mcp.Tool{Name: "new"}, nil)
		e.server.RemoveTool("new")
	})
	mux.HandleFunc("/control/violations", func(w http.ResponseWriter, _ *http.Request) {
		note(name, e.server.Violations())
	})
	if kind.protected {
		e.issuer = newIssuer(os.Getenv(originVariable))
		e.issuer.register(mux)
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	_ = server.Serve(listener)
	return 1
}

// fallIll takes what the server has from now on, and for how long.
func (e *endpoint) fallIll(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		illness
		For time.Duration
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ill, e.until = asked.illness, time.Now().Add(asked.For)
}

func (e *endpoint) illness() illness {
	e.mu.Lock()
	defer e.mu.Unlock()
	if time.Now().After(e.until) {
		return illness{}
	}
	return e.ill
}

func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	if err != nil {
		return // the client has gone
	}
	ill := e.illness()
	time.Sleep(ill.Delay)
	switch {
	case ill.Status != 0:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "not now", ill.Status)
		return
	case ill.Garbage:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Under maintenance</title>")
		return
	}
	user := ""
	if e.issuer != nil {
		if user = e.issuer.admit(w, r); user == "" {
			return
		}
	}
	if r.Method == http.MethodPost {
		body = e.withOwner(body, r.Header.Get(mcp.HeaderSessionID), user)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	e.inner.ServeHTTP(w, r)
}

// withOwner tells the tool whom a question comes from: whose the token is or, where
// there are none, who used the session first.
func (e *endpoint) withOwner(body []byte, session, user string) []byte {
	var message, params, arguments map[string]json.RawMessage
	var asks string
	if json.Unmarshal(body, &message) != nil || string(message["method"]) != `"tools/call"` ||
		json.Unmarshal(message["params"], &params) != nil ||
		json.Unmarshal(params["arguments"], &arguments) != nil || json.Unmarshal(arguments["user"], &asks) != nil {
		return body
	}
	e.mu.Lock()
	if session != "" {
		if user == "" {
			user = asks
		}
		if e.owners[session] == "" {
			e.owners[session] = user
		}
		user = e.owners[session]
	}
	e.mu.Unlock()
	arguments["owner"] = encode(user)
	params["arguments"] = encode(arguments)
	message["params"] = encode(params)
	return encode(message)
}

func encode(value any) json.RawMessage {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings and raw messages encode
	}
	return encoded
}
