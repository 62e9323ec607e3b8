package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// echoServer is the proxy and the server in one: it gets every secret, and says
// it again.
type echoServer struct {
	kind     string // type of the server in the configuration
	modern   bool   // knows discover
	legacy   bool   // knows initialize
	patience time.Duration

	c       *canaries
	session string
	answer  func(w http.ResponseWriter, r *http.Request, id, echo string)
}

func (s *echoServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	_ = json.Unmarshal(body, &message)
	echo := r.RequestURI
	for name, values := range r.Header {
		echo += " " + name + "=" + strings.Join(values, ",")
	}
	s.c.meet(echo)
	http.SetCookie(w, &http.Cookie{Name: "track", Value: s.c.put("cookie")})
	switch {
	case s.modern && message.Method == mcp.MethodDiscover:
		fmt.Fprintf(jsonAnswer(w, 200), `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`, message.ID)
	case s.legacy && message.Method == mcp.MethodDiscover:
		w.WriteHeader(http.StatusBadRequest)
	case s.legacy && message.Method == mcp.MethodInitialize:
		w.Header().Set(mcp.HeaderSessionID, s.session)
		fmt.Fprintf(jsonAnswer(w, 200), `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}`, message.ID)
	case s.legacy && message.Method == mcp.NotificationInitialized:
		w.WriteHeader(http.StatusAccepted)
	default:
		s.answer(w, r, string(message.ID), echo)
	}
}

func jsonAnswer(w http.ResponseWriter, status int) io.Writer {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	return w
}

func streamAnswer(w http.ResponseWriter) io.Writer {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return w
}

// echoes are the ways in which a server repeats what it was sent. What is not
// among them: a secret in the place of a name, that of a tool, a method, a
// version or the server. Names are shown, for nothing else tells one from the
// other.
func echoes() map[string]func(w http.ResponseWriter, r *http.Request, id, echo string) {
	text := func(status int, media string) func(w http.ResponseWriter, r *http.Request, id, echo string) {
		return func(w http.ResponseWriter, _ *http.Request, _, echo string) {
			w.Header().Set("Content-Type", media)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, echo)
		}
	}
	failure := func(id, echo string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-5,"message":%q,"data":{"a":[%q],%q:1}}}`, id, echo, echo, echo)
	}
	header := func(status int, name string) func(w http.ResponseWriter, r *http.Request, id, echo string) {
		return func(w http.ResponseWriter, _ *http.Request, _, echo string) {
			w.Header().Set(name, echo)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "x")
		}
	}
	return map[string]func(w http.ResponseWriter, r *http.Request, id, echo string){
		"a page": text(200, "text/html"), "no JSON": text(200, "application/json"), "202": text(202, "text/plain"),
		"400": text(400, "text/plain"), "401": text(401, "text/plain"), "403": text(403, "text/html"), "404": text(404, "text/plain"),
		"405": text(405, "text/plain"), "407": text(407, "text/plain"), "413": text(413, "text/plain"), "429": text(429, "text/plain"),
		"500": text(500, "application/json"), "503": text(503, "text/html"),
		"an error, 200": func(w http.ResponseWriter, _ *http.Request, id, echo string) {
			_, _ = io.WriteString(jsonAnswer(w, 200), failure(id, echo))
		},
		"an error, 400": func(w http.ResponseWriter, _ *http.Request, id, echo string) {
			_, _ = io.WriteString(jsonAnswer(w, 400), failure(id, echo))
		},
		"an error, 401": func(w http.ResponseWriter, _ *http.Request, id, echo string) {
			w.Header().Set("Www-Authenticate", "Bearer error_description=\""+echo+"\"")
			_, _ = io.WriteString(jsonAnswer(w, 401), failure(id, echo))
		},
		"an error, 404": func(w http.ResponseWriter, _ *http.Request, id, echo string) {
			_, _ = io.WriteString(jsonAnswer(w, 404), failure(id, echo))
		},
		"an error as an event": func(w http.ResponseWriter, _ *http.Request, id, echo string) {
			_, _ = io.WriteString(streamAnswer(w), "data: "+failure(id, echo)+"\n\n")
		},
		"another answer": func(w http.ResponseWriter, _ *http.Request, _, echo string) {
			_, _ = io.WriteString(jsonAnswer(w, 200), failure("4711", echo))
		},
		"another answer as an event": func(w http.ResponseWriter, _ *http.Request, _, echo string) {
			_, _ = io.WriteString(streamAnswer(w), "data: "+failure("4711", echo)+"\n\n")
		},
		"no answer": func(w http.ResponseWriter, _ *http.Request, _, echo string) {
			_, _ = fmt.Fprintf(jsonAnswer(w, 200), `{"x":%q}`, echo)
		},
		"a member twice": func(w http.ResponseWriter, _ *http.Request, id, echo string) {
			_, _ = fmt.Fprintf(jsonAnswer(w, 200), `{"jsonrpc":"2.0","id":%s,%q:1,%q:2,"id":%q}`, id, echo, echo, echo)
		},
		"bad events": func(w http.ResponseWriter, _ *http.Request, _, echo string) {
			_, _ = io.WriteString(streamAnswer(w), "event: "+echo+"\nid: "+echo+"\ndata: "+echo+"\n\ndata: "+echo+"\n\ndata: {\""+echo+"\":\n\n")
		},
		"events of the server's own": func(w http.ResponseWriter, _ *http.Request, _, echo string) {
			events := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":%q,"data":%q}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%q,"reason":%q}}
{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%q,"progress":1,"message":%q}}
{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":%q,"requestedSchema":%q}}
`
			events = fmt.Sprintf(events, echo, echo, echo, echo, echo, echo, echo, echo)
			_, _ = io.WriteString(streamAnswer(w), "data: "+strings.ReplaceAll(events, "\n", "\n\ndata: ")+"\n\n")
		},
		"lists": func(w http.ResponseWriter, _ *http.Request, id, echo string) {
			_, _ = fmt.Fprintf(jsonAnswer(w, 200), `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":7,"description":%q},%q],"resources":%q,"contents":%q,"content":%q,"nextCursor":7}}`, id, echo, echo, echo, echo, echo)
		},
		"a redirect": func(w http.ResponseWriter, _ *http.Request, _, echo string) {
			w.Header().Set("Location", "https://user:"+url.QueryEscape(echo)+"@example.invalid/"+url.PathEscape(echo)+"?t="+url.QueryEscape(echo)+"#"+url.QueryEscape(echo))
			w.WriteHeader(302)
		},
		"a bad redirect": func(w http.ResponseWriter, r *http.Request, id, echo string) {
			w.Header().Set("Location", "http://["+echo)
			w.WriteHeader(307)
		},
		"a challenge":        header(401, "Www-Authenticate"),
		"a challenge of 403": header(403, "Www-Authenticate"),
		"an odd type":        header(200, "Content-Type"),
		"an odd encoding":    header(200, "Content-Encoding"),
		"an odd Retry-After": header(503, "Retry-After"),
		"a session id":       header(200, mcp.HeaderSessionID),
		"a bad session id": func(w http.ResponseWriter, _ *http.Request, id, echo string) {
			w.Header().Set(mcp.HeaderSessionID, echo+" é")
			_, _ = fmt.Fprintf(jsonAnswer(w, 200), `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}`, id)
		},
		"not HTTP":     hijacked(func(echo string) string { return echo + "\r\n\r\n" }),
		"a bad status": hijacked(func(echo string) string { return "HTTP/1.1 99x " + echo + "\r\n\r\n" }),
		"a bad header": hijacked(func(echo string) string {
			return "HTTP/1.1 200 OK\r\n" + strings.ReplaceAll(echo, " ", "\r\n ") + "\r\n\r\n"
		}),
		"a bad length": hijacked(func(echo string) string { return "HTTP/1.1 200 OK\r\nContent-Length: " + echo + "\r\n\r\n" }),
		"a bad chunk": hijacked(func(echo string) string {
			return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + echo + "\r\n"
		}),
		"an odd transfer": hijacked(func(echo string) string { return "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + echo + "\r\n\r\n" }),
		"a reason":        hijacked(func(echo string) string { return "HTTP/1.1 418 " + echo + "\r\nContent-Length: 0\r\n\r\n" }),
		"a cut":           func(http.ResponseWriter, *http.Request, string, string) { panic(http.ErrAbortHandler) },
		"silence":         func(_ http.ResponseWriter, r *http.Request, _, _ string) { <-r.Context().Done() },
		"a stream that stays": func(w http.ResponseWriter, r *http.Request, _, echo string) {
			_, _ = io.WriteString(streamAnswer(w), ": "+echo+"\n\ndata: "+echo)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	}
}

func hijacked(answer func(echo string) string) func(w http.ResponseWriter, r *http.Request, id, echo string) {
	return func(w http.ResponseWriter, _ *http.Request, _, echo string) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, answer(echo))
		_ = conn.Close()
	}
}

// httpPlaces are where secrets for an HTTP server sit.
var httpPlaces = []string{
	"token", "header", "header from a file", "identity header", "token of a call", "header of a call",
	"query", "proxy", "session id", "resty header",
}

// TestNoSecretOfHTTPIsShown: whatever a server does with the secrets that it was
// sent, none appears in logs, errors and printed values.
func TestNoSecretOfHTTPIsShown(t *testing.T) {
	all := newCanaries(t)
	t.Setenv("CANARY_TOKEN", all.put("token"))
	t.Run("all", func(t *testing.T) {
		for name, answer := range echoes() {
			for _, server := range []echoServer{{kind: "http"}, {kind: "http", legacy: true}, {kind: "http", modern: true}, {kind: "sse"}} {
				t.Run(fmt.Sprint(name, " ", server.kind, " legacy=", server.legacy, " modern=", server.modern), func(t *testing.T) {
					t.Parallel()
					c := newCanaries(t)
					server.c, server.session, server.answer, server.patience = c, c.put("session id"), answer, 5*time.Second
					if slices.Contains([]string{"silence", "a stream that stays", "bad events"}, name) { // they are waited for
						server.patience = 50 * time.Millisecond
					}
					c.converse(&server)
					all.merge(c)
				})
			}
		}
	})
	all.requireMet(httpPlaces...)
}

// converse makes calls of all kinds to the server, and looks at everything.
func (c *canaries) converse(server *echoServer) {
	c.t.Helper()
	endpoint := httptest.NewServer(server)
	defer endpoint.Close()
	client, connection := c.client(endpoint.URL, server)
	defer func() { _ = client.Close() }()
	own := c.t.Context()
	ctx := mcpclient.WithHeader(mcpclient.WithHeader(mcpclient.WithToken(own, c.put("token of a call")), "X-Call", c.put("header of a call")), "X-User", c.put("identity header"))
	patience := mcpclient.WithTimeout(server.patience)
	for _, ctx := range []context.Context{own, ctx} {
		c.value("context", ctx)
		_, err := connection.Tools(ctx, patience)
		c.error("Tools", err)
		_, err = connection.CallTool(ctx, "x", nil, patience)
		c.error("CallTool", err)
		_, err = connection.ReadResource(ctx, "x://y", patience)
		c.error("ReadResource", err)
		c.error("Ping", connection.Ping(ctx, patience))
		listening, cancel := context.WithTimeout(ctx, min(server.patience, 100*time.Millisecond))
		_, err = connection.Listen(listening, mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
		cancel()
		c.error("Listen", err)
	}
	c.value("client", client)
	c.value("connection", connection)
	c.value("stats", connection.Stats())
	c.value("state", connection.State())
	c.error("Close", client.Close())
	c.logged("session")
}

// client is a client with secrets everywhere, whose requests go through a proxy
// at the address.
func (c *canaries) client(address string, server *echoServer) (*mcpclient.Client, *mcpclient.Connection) {
	c.t.Helper()
	file := filepath.Join(c.t.TempDir(), "secret")
	require.NoError(c.t, os.WriteFile(file, []byte(c.put("header from a file")), 0o600))
	c.put("token") // in the environment
	cfg := parse(c.t, fmt.Sprintf(`servers:
  a:
    type: %s
    base_url: http://mcp.invalid/mcp?api_key=%s
    proxy: http://user:%s@%s
    token: ${CANARY_TOKEN}
    headers: {X-Literal: '%s', X-File: '${file:%s}'}
    identity_headers: [X-User]
    connect_backoff: 1ms
    connect_timeout: %v
    close_timeout: %v
`, server.kind, url.QueryEscape(c.put("query")), url.QueryEscape(c.put("proxy")), strings.TrimPrefix(address, "http://"), c.put("header"), file, server.patience, server.patience))
	section, _ := cfg.Server("a")
	c.value("config", cfg)
	c.value("section", section)
	client, err := mcpclient.New(cfg, c.logger(), mcpclient.WithRestyClient(resty.New().SetHeader("X-Resty", c.put("resty header"))))
	require.NoError(c.t, err)
	require.Empty(c.t, client.Problems())
	connection, err := client.Connect("a")
	require.NoError(c.t, err)
	return client, connection
}
