package main

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/contrib/redis"
	"github.com/mcp-client-go/mcpclient/errors"
)

// directory is what users have of each server that the configuration names: the
// tools of it, and a login where it wants to know its users. A login may begin at
// one replica and end at another.
type directory struct {
	client   *mcpclient.Client
	sessions *sessions
}

func (d *directory) register(mux *http.ServeMux) {
	mux.HandleFunc("GET /servers/{server}/tools", d.sessions.signedIn(d.listTools))
	mux.HandleFunc("GET /servers/{server}/login", d.sessions.signedIn(d.login))
	mux.HandleFunc("GET /servers/{server}/callback", d.sessions.signedIn(d.callback)) // auth.redirect_url leads here
}

// loginPath is where a user logs in to a server.
func loginPath(server string) string { return "/servers/" + server + "/login" }

// connection returns that of the server in the request's path; if there is none the
// request is answered.
func (d *directory) connection(w http.ResponseWriter, r *http.Request) *mcpclient.Connection {
	connection, err := d.client.Connect(r.PathValue("server"))
	if err != nil {
		http.Error(w, "there is no such server", http.StatusNotFound)
		return nil
	}
	return connection
}

// listTools answers a name in each line. With cache.enabled most requests do not
// reach the server.
func (d *directory) listTools(w http.ResponseWriter, r *http.Request, user string) {
	connection := d.connection(w, r)
	if connection == nil {
		return
	}
	ctx := r.Context()
	if connection.Authorizer() == nil { // nobody logs in: the list is the same for all
		ctx = mcpclient.WithPrincipal(ctx, "")
	}
	tools, err := connection.Tools(ctx)
	if err != nil {
		slog.Error("list tools", "user", user, "error", err)
		status, text, login := explain(err)
		if login != "" {
			http.Redirect(w, r, login, http.StatusFound)
			return
		}
		http.Error(w, text, status)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(strings.Join(tools.Keys(), "\n") + "\n"))
}

func (d *directory) login(w http.ResponseWriter, r *http.Request, user string) {
	if connection := d.connection(w, r); connection != nil && hasLogin(w, connection) {
		connection.Authorizer().LoginHandler(known(user), refuse).ServeHTTP(w, r)
	}
}

func (d *directory) callback(w http.ResponseWriter, r *http.Request, user string) {
	if connection := d.connection(w, r); connection != nil && hasLogin(w, connection) {
		home := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) }
		connection.Authorizer().CallbackHandler(known(user), home, refuse).ServeHTTP(w, r)
	}
}

func hasLogin(w http.ResponseWriter, connection *mcpclient.Connection) bool {
	if connection.Authorizer() == nil {
		http.Error(w, "nobody logs in to this server", http.StatusNotFound)
		return false
	}
	return true
}

func known(user string) func(*http.Request) (string, error) {
	return func(*http.Request) (string, error) { return user, nil }
}

func refuse(w http.ResponseWriter, _ *http.Request, err error) {
	status, text, _ := explain(err)
	http.Error(w, text, status)
}

// explain is what a user is told of a call that failed; what is more is for the log.
// login is where to log in, if that is what is missing.
func explain(err error) (status int, text, login string) {
	failure, _ := errors.AsType[*errors.TransporterRequestError](err)
	switch {
	case errors.Is(err, redis.ErrDown): // a login cannot be looked at or renewed; what needs none goes on
		return http.StatusServiceUnavailable, "Logins cannot be renewed at the moment. Try again soon.", ""
	case errors.Is(err, errors.ErrAuthRequired) && failure != nil:
		return http.StatusForbidden, "The server wants to know you.", loginPath(failure.Server)
	case errors.Is(err, errors.ErrAuthorizationResponse), errors.Is(err, errors.ErrAuthorizationDenied):
		return http.StatusBadRequest, "You are not logged in: begin again.", ""
	default:
		return http.StatusBadGateway, "The server does not answer.", ""
	}
}
