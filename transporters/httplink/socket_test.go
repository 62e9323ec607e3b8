package httplink

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func TestAddressesOfSockets(t *testing.T) {
	for text, want := range map[string]endpoint{
		"unix:///run/mcp.sock#/mcp":                      {socket: "/run/mcp.sock", target: "http://localhost/mcp", shown: "unix:/run/mcp.sock#/mcp"},
		"unix:/run/mcp.sock#/mcp":                        {socket: "/run/mcp.sock", target: "http://localhost/mcp", shown: "unix:/run/mcp.sock#/mcp"},
		"unix:///run/mcp.sock":                           {socket: "/run/mcp.sock", target: "http://localhost/", shown: "unix:/run/mcp.sock#/"},
		"UNIX:///run/mcp.sock":                           {socket: "/run/mcp.sock", target: "http://localhost/", shown: "unix:/run/mcp.sock#/"},
		"unix:/run/mcp.sock:/mcp":                        {socket: "/run/mcp.sock", target: "http://localhost/mcp", shown: "unix:/run/mcp.sock#/mcp"},
		"unix:///run/mcp.sock:/a:/b":                     {socket: "/run/mcp.sock", target: "http://localhost/a:/b", shown: "unix:/run/mcp.sock#/a:/b"},
		"unix:///run/a:b.sock#/mcp":                      {socket: "/run/a:b.sock", target: "http://localhost/mcp", shown: "unix:/run/a:b.sock#/mcp"},
		"unix:///run/a:/b.sock#/mcp":                     {socket: "/run/a:/b.sock", target: "http://localhost/mcp", shown: "unix:/run/a:/b.sock#/mcp"},
		"unix:///run/my%20%23.sock#/mcp":                 {socket: "/run/my #.sock", target: "http://localhost/mcp", shown: "unix:/run/my #.sock#/mcp"},
		"unix:///run/mcp.sock#/mcp?key=canary":           {socket: "/run/mcp.sock", target: "http://localhost/mcp?key=canary", shown: "unix:/run/mcp.sock#/mcp"},
		"unix:@egress.sock#/mcp":                         {socket: "@egress.sock", target: "http://localhost/mcp", shown: "unix:@egress.sock#/mcp"},
		"unix://@egress.sock":                            {socket: "@egress.sock", target: "http://localhost/", shown: "unix:@egress.sock#/"},
		"http+unix://%2Frun%2Fmcp.sock/mcp":              {socket: "/run/mcp.sock", target: "http://localhost/mcp", shown: "unix:/run/mcp.sock#/mcp"},
		"http+unix://%2frun%2fmcp.sock":                  {socket: "/run/mcp.sock", target: "http://localhost/", shown: "unix:/run/mcp.sock#/"},
		"http+unix://%2Frun%2Fmcp.sock/a%2Fb?key=canary": {socket: "/run/mcp.sock", target: "http://localhost/a%2Fb?key=canary", shown: "unix:/run/mcp.sock#/a%2Fb"},
		"http+unix://%2Frun%2Fmcp.sock?key=canary":       {socket: "/run/mcp.sock", target: "http://localhost/?key=canary", shown: "unix:/run/mcp.sock#/"},
		"http+unix://%40egress.sock/mcp":                 {socket: "@egress.sock", target: "http://localhost/mcp", shown: "unix:@egress.sock#/mcp"},
		"unix:///run/%1B[31m.sock#/mcp":                  {socket: "/run/\x1b[31m.sock", target: "http://localhost/mcp", shown: `unix:/run/\x1b[31m.sock#/mcp`},
	} {
		got, fault := parseEndpoint(text)
		if !assert.Nil(t, fault, text) {
			continue
		}
		want.url, _ = url.Parse(want.target)
		assert.Equal(t, want, got, text)
		assert.True(t, Config{BaseURL: text}.IsSocket())
		assert.NotContains(t, fmt.Sprint(Config{BaseURL: text}, New("s", Config{BaseURL: text})), "canary")
	}
	for text, want := range map[string]string{
		"unix:":                                       "is missing",
		"unix:@":                                      "is missing",
		"unix:#/mcp":                                  "is missing",
		"unix:run/canary.sock":                        "has to be absolute",
		"unix://run/canary.sock#/mcp":                 "has to be absolute",
		"unix:./canary.sock":                          "has to be absolute",
		"http+unix://run%2Fcanary.sock/mcp":           "has to be absolute",
		"http+unix://mcp.example.com/canary":          "has to be absolute",
		"unix:///run/canary/":                         "ends in /",
		"unix:///run/canary%00.sock":                  "zero byte",
		"unix:///" + strings.Repeat("canary", 20):     "longer than the system takes",
		"unix:///run/canary.sock#mcp":                 "has to begin with /",
		"unix:///run/canary.sock#":                    "has to begin with /",
		"unix:///run/canary.sock#/mcp#/x":             "a fragment is never sent",
		"unix:///run/canary.sock#/%zz":                "the HTTP path of the socket is not one",
		"unix:///run/canary.sock?x=y":                 "behind #",
		"unix:///run/canary%zz.sock":                  "written %25",
		"http+unix://%2Frun%zcanary/mcp":              "written %25",
		"http+unix:///run/canary.sock/mcp":            "percent-encoded, as in",
		"http+unix:%2Frun%2Fcanary.sock/mcp":          "percent-encoded, as in",
		"http+unix://%2Frun%2Fcanary.sock/mcp#canary": "a fragment is never sent",
		"unix:///run/canary.sock#/mcp ":               "blanks",
	} {
		_, fault := parseEndpoint(text)
		if !assert.NotNil(t, fault, text) {
			continue
		}
		assert.Contains(t, fault.message, want, text)
		assert.False(t, Config{BaseURL: text}.IsSocket())
		assert.NotContains(t, fmt.Sprint(fault, Config{BaseURL: text}, New("s", Config{BaseURL: text}), New("s", Config{BaseURL: text}).fault), "canary")
	}
	_, faults := decode(t, "base_url: unix:run/mcp.sock")
	require.Len(t, faults, 1)
	assert.Contains(t, faults[0].String(), "base_url: the path of a socket has to be absolute")
	assert.Contains(t, faults[0].String(), "or of a Unix socket: unix:///run/mcp.sock#/mcp")
}

// serveSocket starts a server on a Unix socket.
func serveSocket(t *testing.T, handler http.HandlerFunc) (path string, server *httptest.Server) {
	t.Helper()
	folder, err := os.MkdirTemp("", "s")
	require.NoError(t, err)
	path = filepath.Join(folder, "mcp.sock")
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	server = httptest.NewUnstartedServer(handler)
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(func() {
		server.Close()
		_ = os.RemoveAll(folder)
	})
	return path, server
}

func TestServerOnASocket(t *testing.T) {
	path, server := serveSocket(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "localhost", r.Host)
		assert.Equal(t, "Bearer canary", r.Header.Get("Authorization"))
		switch r.RequestURI {
		case "/away?key=q1secret":
			w.Header().Set("Location", "http://127.0.0.1/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		case "/moved?key=q1secret":
			http.Redirect(w, r, "/mcp?key=q1secret", http.StatusPermanentRedirect)
		case "/page?key=q1secret":
			reply(w, 200, "text/html", "<html>")
		case "/mcp?key=q1secret":
			body, _ := io.ReadAll(r.Body)
			assert.Equal(t, string(call().Frame), string(body))
			reply(w, 200, "application/json", answer7)
		default:
			t.Errorf("asked for %s", r.RequestURI)
		}
	})
	at := func(target string) Config {
		return Config{BaseURL: "unix://" + path + "#" + target + "?key=q1secret", Token: config.LiteralSecret("canary"), Proxy: config.LiteralSecret("http://127.0.0.1:1")}
	}
	logger, text := logs()
	for _, options := range [][]Option{nil, {WithClient(resty.New())}} {
		link, _ := open(t, at("/mcp"), append(options, WithLogger(logger))...)
		for range 2 {
			got, err := link.Exchange(t.Context(), call(), &sink{})
			require.NoError(t, err)
			assert.Equal(t, answer7, string(got.Message.Raw))
		}
	}
	assert.NotContains(t, text(), "plain http", "a socket is read by nobody on the way")

	moved, _ := open(t, at("/moved"))
	_, err := moved.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)

	for target, want := range map[string]string{
		"/away": "the server redirects from unix:" + path + "#/away to http://127.0.0.1/elsewhere; only 307",
		"/page": "(unix:" + path + "#/page)",
	} {
		link, _ := open(t, at(target))
		_, err := link.Exchange(t.Context(), call(), &sink{})
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "q1secret")
	}

	server.Close()
	link, _ := open(t, at("/mcp"))
	_, err = link.Exchange(t.Context(), call(), &sink{})
	require.ErrorContains(t, err, "cannot connect to unix:"+path+": no such file or directory")
	require.ErrorIs(t, err, errors.ErrNotSent)
}

// A server that breaks off is named by its socket as well.
func TestSocketThatBreaksOff(t *testing.T) {
	path, _ := serveSocket(t, func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	link, _ := open(t, Config{BaseURL: "unix:" + path + ":/mcp"})
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.ErrorContains(t, err, "the server at unix:"+path+" closed the connection")
}

// HTTP+SSE over a socket: what the stream names is on the same socket.
func TestSSEOnASocket(t *testing.T) {
	for name, test := range map[string]struct{ endpoint, want string }{
		"relative":       {"/messages?sid=1", ""},
		"of our host":    {"http://localhost/messages?sid=1", ""},
		"of another one": {"http://127.0.0.1:3000/messages?sid=1", "of another origin than the stream unix:"},
	} {
		t.Run(name, func(t *testing.T) {
			old := &oldServer{endpoint: test.endpoint, push: make(chan string, 10)}
			path, _ := serveSocket(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					assert.Equal(t, "/sse", r.RequestURI)
					old.stream(w, r)
					return
				}
				assert.Equal(t, "/messages?sid=1", r.RequestURI)
				accept(old, w, mcp.Message{})
				old.push <- answer7
			})
			cfg := Config{BaseURL: "http+unix://" + url.PathEscape(path) + "/sse"}
			if test.want != "" {
				link := NewSSE("test", cfg)
				require.ErrorContains(t, link.Start(t.Context(), nil), test.want)
				shutSSE(t, link)
				return
			}
			link, _ := openSSE(t, cfg)
			got, err := link.Exchange(t.Context(), call(), &sink{})
			require.NoError(t, err)
			assert.Equal(t, answer7, string(got.Message.Raw))
		})
	}
}

// A round tripper of the user's would send to localhost what is meant for the
// socket.
func TestSocketsAndForeignRoundTrippers(t *testing.T) {
	asked := false
	foreign := roundTripFunc(func(*http.Request) (*http.Response, error) {
		asked = true
		return nil, io.EOF
	})
	for name, option := range map[string]Option{
		"transport": WithTransport(foreign),
		"client":    WithClient(resty.NewWithClient(&http.Client{Transport: foreign})),
	} {
		t.Run(name, func(t *testing.T) {
			link := New("test", Config{BaseURL: "unix:///run/mcp.sock#/mcp"}, option)
			_, err := link.Exchange(t.Context(), call(), &sink{})
			require.ErrorContains(t, err, `server "test": base_url: a Unix socket is not reached by a round tripper of the program's own; found unix:/run/mcp.sock#/mcp`)
			require.ErrorIs(t, err, errors.ErrNotSent)
			shut(t, link)
		})
	}
	assert.False(t, asked)
}

func FuzzAddressesOfSockets(f *testing.F) {
	for _, text := range []string{"unix:///run/mcp.sock#/mcp", "unix:/a:/b", "http+unix://%2Fa/b?c#d", "unix:@x", "unix:%", "http+unix://%2Fa%00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, fault := parseEndpoint(text)
		if fault != nil || e.socket == "" {
			return
		}
		if e.socket[0] != '/' && e.socket[0] != '@' || strings.ContainsRune(e.socket, 0) {
			t.Fatalf("%q leads to the socket %q", text, e.socket)
		}
		if u, err := url.Parse(e.target); err != nil || u.Host != "localhost" || u.Scheme != "http" || u.User != nil || !strings.HasPrefix(u.Path, "/") {
			t.Fatalf("%q asks for %q", text, e.target)
		}
		if _, err := http.NewRequest(http.MethodPost, e.target, nil); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
