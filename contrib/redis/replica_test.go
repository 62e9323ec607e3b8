//go:build unix

package redis

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// replicaMode, in the environment of this test program, makes it a replica of a
// small web backend with that configuration.
const replicaMode = "MCPCLIENT_TEST_REPLICA"

// answer is what a replica answers.
type answer struct {
	Text  string `json:"text,omitempty"`
	Tools int    `json:"tools,omitempty"`
	Error string `json:"error,omitempty"`
	// Down: the error is the documented one of a store that is down.
	Down bool `json:"down,omitempty"`
	// Login: the error asks for a login.
	Login bool `json:"login,omitempty"`
}

// playReplica serves until its standard input ends. It tells its address on its
// standard output.
func playReplica() {
	fatal := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	cfg, err := config.Load(os.Getenv(replicaMode))
	fatal(err)
	client, err := mcpclient.New(cfg, Register())
	fatal(err)
	for _, problem := range client.Problems() {
		fatal(problem)
	}
	files, err := client.Connect("files")
	fatal(err)
	open, err := client.Connect("open")
	fatal(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fatal(err)
	server := &http.Server{Handler: routes(files, open)}
	go func() { _ = server.Serve(listener) }()
	fmt.Println(listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = server.Close()
	fatal(client.Close())
}

// routes are those of the backend: what a user calls, the user's login, and what is
// the same for all.
func routes(files, open *mcpclient.Connection) http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, do func(r *http.Request, user string) (answer, error)) {
		mux.HandleFunc(pattern, func(rw http.ResponseWriter, r *http.Request) {
			user := r.Header.Get("X-User")
			given, err := do(r.WithContext(mcpclient.WithPrincipal(r.Context(), user)), user)
			if err != nil {
				given = answer{Error: err.Error(), Down: errors.Is(err, ErrDown), Login: errors.Is(err, errors.ErrAuthRequired)}
			}
			_ = json.NewEncoder(rw).Encode(given)
		})
	}
	handle("/echo", func(r *http.Request, user string) (answer, error) {
		result, err := files.CallTool(r.Context(), "echo", map[string]any{"text": user})
		if err != nil {
			return answer{}, err
		}
		return answer{Text: result.Text()}, nil
	})
	handle("/tools", func(r *http.Request, _ string) (answer, error) {
		tools, err := files.Tools(r.Context())
		if err != nil {
			return answer{}, err
		}
		return answer{Tools: tools.Len()}, nil
	})
	mux.HandleFunc("/open/tools", func(rw http.ResponseWriter, r *http.Request) {
		var given answer
		tools, err := open.Tools(r.Context())
		if err != nil {
			given.Error = err.Error()
		} else {
			given.Tools = tools.Len()
		}
		_ = json.NewEncoder(rw).Encode(given)
	})
	handle("/login", func(r *http.Request, user string) (answer, error) {
		flow, err := files.Authorizer().Begin(r.Context(), user)
		if err != nil {
			return answer{}, err
		}
		return answer{Text: flow.URL}, nil
	})
	handle("/callback", func(r *http.Request, user string) (answer, error) {
		return answer{}, files.Authorizer().Finish(r.Context(), user, r.URL.Query())
	})
	return mux
}
