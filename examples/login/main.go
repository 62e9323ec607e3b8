// Command login is a web backend whose users log in to an MCP server, each for
// themselves.
package main

import (
	"log"
	"net/http"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

func main() {
	cfg, err := config.Load("mcp.yaml")
	if err != nil {
		log.Fatal(err)
	}
	client, err := mcpclient.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	files, err := client.Connect("files")
	if err != nil {
		log.Fatal(err)
	}
	log.Print(http.ListenAndServe("127.0.0.1:8080", site(files)))
}

// site is the backend's pages. One connection serves all users.
func site(files *mcpclient.Connection) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /tools", func(w http.ResponseWriter, r *http.Request) { showTools(w, r, files) })
	mux.Handle("GET /login", files.Authorizer().LoginHandler(userOf, nil))
	mux.Handle("GET /callback", files.Authorizer().CallbackHandler(userOf, back, nil))
	return mux
}

// userOf is whom the browser belongs to: what your own sessions say.
func userOf(r *http.Request) (string, error) {
	if name, _, ok := r.BasicAuth(); ok && name != "" {
		return name, nil
	}
	return "", errors.New("nobody is signed in")
}

// showTools calls the server for the user, who is sent to the authorization
// server where that is needed.
func showTools(w http.ResponseWriter, r *http.Request, files *mcpclient.Connection) {
	user, err := userOf(r)
	if err != nil {
		http.Error(w, "sign in first", http.StatusUnauthorized)
		return
	}
	tools, err := files.Tools(mcpclient.WithPrincipal(r.Context(), user))
	switch {
	case errors.Is(err, errors.ErrAuthRequired):
		http.Redirect(w, r, "/login", http.StatusFound)
	case err != nil:
		log.Print(err)
		http.Error(w, "the server does not answer", http.StatusBadGateway)
	default:
		for _, name := range tools.Keys() {
			_, _ = w.Write([]byte(name + "\n"))
		}
	}
}

// back is what a user sees who has come back and is logged in.
func back(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/tools", http.StatusFound) }
