package mcpclient_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/authtest"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// The two halves of an authorization in a web backend. (LoginHandler and
// CallbackHandler of the authorizer are these, ready to use.)
func ExampleConnection_Authorizer() {
	files, backend, browser := startBackend()
	defer backend.close()

	// A page calls the server. If that wants the user to agree, the user is sent
	// away: what for stands in the error.
	backend.HandleFunc("GET /tools", func(w http.ResponseWriter, r *http.Request) {
		user := r.Header.Get("X-User") // whom your own session says the browser belongs to
		tools, err := files.Tools(mcpclient.WithPrincipal(r.Context(), user))
		if errors.Is(err, errors.ErrAuthRequired) {
			flow, err := files.Authorizer().Begin(r.Context(), user, auth.Because(err))
			if err != nil {
				http.Error(w, "cannot log in", http.StatusBadGateway)
				return
			}
			http.Redirect(w, r, flow.URL, http.StatusFound)
			return
		}
		_, _ = fmt.Fprintln(w, user, "may use", tools.Keys()[0], err)
	})
	// The browser comes back to auth.redirect_url, with a code.
	backend.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		if err := files.Authorizer().Finish(r.Context(), r.Header.Get("X-User"), r.URL.Query()); err != nil {
			http.Error(w, "that did not work", http.StatusBadRequest)
			return
		}
		http.Redirect(w, r, "/tools", http.StatusFound)
	})

	fmt.Print(browser("/tools", "alice"))
	fmt.Print(browser("/tools", "bob"))
	status, err := files.Authorizer().Status(context.Background(), "alice")
	fmt.Println(status.Authorized, status.Renewable, err)
	// Output:
	// alice may use echo <nil>
	// bob may use echo <nil>
	// true true <nil>
}

// A program at its user's own machine waits within the call: consent opens the
// page, and returns where the browser ends.
func ExampleWithInteraction() {
	world := newWorld()
	defer world.close()
	consent := func(ctx context.Context, request auth.AuthorizationRequest) (url.Values, error) {
		fmt.Println(request.Server, "asks for consent")
		return world.Consent(ctx, request.URL) // here: open a browser, listen at auth.redirect_url
	}
	client, err := mcpclient.New(world.config("auth: {}"), mcpclient.WithInteraction(consent))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = client.Close() }()
	files, err := client.Connect("files")
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := files.CallTool(context.Background(), "echo", map[string]any{"text": "hello"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text())
	// Output:
	// files asks for consent
	// hello
}

// exampleWorld is a server that wants authorization, for examples.
type exampleWorld struct {
	*authtest.World
	cleanups []func()
}

func newWorld() *exampleWorld {
	w := &exampleWorld{}
	w.World = authtest.New(w)
	demo := mcptest.NewDemoServer()
	w.Cleanup(demo.Close)
	w.Handler = demo.Handler()
	return w
}

func (w *exampleWorld) Helper()          {}
func (w *exampleWorld) Cleanup(f func()) { w.cleanups = append(w.cleanups, f) }

func (w *exampleWorld) close() {
	for _, cleanup := range slices.Backward(w.cleanups) {
		cleanup()
	}
}

func (w *exampleWorld) config(auth string) *config.Config {
	text := fmt.Sprintf("servers:\n  files:\n    type: http\n    base_url: %s\n    %s\n", w.Endpoint(), auth)
	cfg, err := config.Parse("mcp.yaml", []byte(text))
	if err != nil {
		panic(err)
	}
	return cfg
}

// exampleBackend is a web backend, for examples.
type exampleBackend struct {
	*http.ServeMux
	close func()
}

// startBackend starts a backend with a client, and a browser of its users.
func startBackend() (*mcpclient.Connection, exampleBackend, func(page, user string) string) {
	world := newWorld()
	backend := exampleBackend{ServeMux: http.NewServeMux()}
	server := httptest.NewServer(backend)
	client, err := mcpclient.New(world.config(fmt.Sprintf("auth: {redirect_url: '%s/callback'}", server.URL)))
	if err != nil {
		panic(err)
	}
	files, err := client.Connect("files")
	if err != nil {
		panic(err)
	}
	backend.close = func() {
		_ = client.Close()
		server.Close()
		world.close()
	}
	browser := func(page, user string) string {
		follow := func(request *http.Request, _ []*http.Request) error {
			request.Header.Set("X-User", user)
			return nil
		}
		request, err := http.NewRequest(http.MethodGet, server.URL+page, nil)
		if err != nil {
			return err.Error()
		}
		request.Header.Set("X-User", user)
		response, err := (&http.Client{CheckRedirect: follow, Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
		if err != nil {
			return err.Error()
		}
		defer func() { _ = response.Body.Close() }()
		text := make([]byte, 200)
		n, _ := response.Body.Read(text)
		return string(text[:n])
	}
	return files, backend, browser
}
