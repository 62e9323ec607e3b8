package httplink

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// P4, P5, P99: whatever is sent, and wherever it is sent on to: nothing leaves the
// origin, and what stays within keeps its method, body and headers.
func TestEveryRequestIsRedirectedAlike(t *testing.T) {
	strangers := atomic.Int32{}
	stranger := serve(t, func(w http.ResponseWriter, r *http.Request) { strangers.Add(1) })
	operations := map[string]struct {
		method string
		do     func(ctx context.Context, link *Link) error
	}{
		"a call": {http.MethodPost, func(ctx context.Context, link *Link) error {
			_, err := link.Exchange(ctx, call(), &sink{})
			return err
		}},
		"a resumable call": {http.MethodPost, func(ctx context.Context, link *Link) error {
			_, err := link.Exchange(ctx, resumable(7), &sink{})
			return err
		}},
		"a notification": {http.MethodPost, func(ctx context.Context, link *Link) error { return link.Send(ctx, notification()) }},
		"the end":        {http.MethodDelete, func(ctx context.Context, link *Link) error { return link.Terminate(ctx, protocolHeader()) }},
		"the standing stream": {http.MethodGet, func(ctx context.Context, link *Link) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			return link.Listen(ctx, protocolHeader(), func() {})
		}},
	}
	for name, operation := range operations {
		for _, status := range []int{301, 302, 303, 307, 308} {
			for where, location := range map[string]string{
				"the same origin": "/final", "another port": stranger.URL + "/final", "another scheme": "https://%s/final", "nowhere": "",
			} {
				t.Run(fmt.Sprint(name, " ", status, " ", where), func(t *testing.T) {
					var mu sync.Mutex
					var asked []string
					server := serve(t, func(w http.ResponseWriter, r *http.Request) {
						body, _ := io.ReadAll(r.Body)
						mu.Lock()
						asked = append(asked, fmt.Sprint(r.Method, " ", r.URL.Path, " ", r.Header.Get("Mcp-Session-Id"), " ", r.Header.Get("Authorization"), " ", r.Header.Get("X-Api-Key"), " ", len(body) > 0))
						mu.Unlock()
						switch {
						case r.URL.Path != "/mcp" && r.Method == http.MethodPost && strings.Contains(string(body), `"id"`):
							reply(w, 200, "application/json", answer7)
						case r.URL.Path != "/mcp" && r.Method == http.MethodPost:
							w.WriteHeader(http.StatusAccepted)
						case r.URL.Path != "/mcp":
							reply(w, 405, "", "") // neither stream nor sessions
						default:
							if strings.Contains(location, "%s") {
								w.Header().Set("Location", fmt.Sprintf(location, r.Host))
							} else if location != "" {
								w.Header().Set("Location", location)
							}
							w.WriteHeader(status)
						}
					})
					link, _ := open(t, Config{BaseURL: server.URL + "/mcp", Token: config.LiteralSecret("canary"), Headers: literals("X-Api-Key", "k")})
					err := operation.do(t.Context(), link)
					mu.Lock()
					defer mu.Unlock()
					sent := fmt.Sprint(operation.method, " /mcp session-1 Bearer canary k ", operation.method == http.MethodPost)
					if where == "the same origin" && isFollowed(status) {
						if operation.method == http.MethodGet {
							require.ErrorIs(t, err, transporters.ErrNotOffered, "that is what /final says")
						} else {
							require.NoError(t, err)
						}
						assert.Equal(t, []string{sent, strings.Replace(sent, "/mcp", "/final", 1)}, asked)
						return
					}
					failure, ok := errors.AsType[*errors.TransporterRequestError](err)
					require.True(t, ok, "%v", err)
					assert.Equal(t, status, failure.Status)
					assert.ErrorContains(t, err, "redirects from "+server.URL+"/mcp to ")
					assert.ErrorContains(t, err, "set base_url to the final address")
					assert.Equal(t, []string{sent}, asked, "asked once")
				})
			}
		}
	}
	assert.Zero(t, strangers.Load())
}

// A redirect within the origin is no licence for the next one.
func TestRedirectsAreJudgedOneByOne(t *testing.T) {
	strangers := atomic.Int32{}
	stranger := serve(t, func(w http.ResponseWriter, r *http.Request) { strangers.Add(1) })
	for name, location := range map[string]string{
		"another port": stranger.URL + "/final", "without a scheme": strings.TrimPrefix(stranger.URL, "http:") + "/final",
		"a backslash": `\\` + strings.TrimPrefix(stranger.URL, "http://") + `\final`, "a name of the same address": strings.Replace(stranger.URL, "127.0.0.1", "localhost", 1),
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.Path)
				if r.URL.Path == "/mcp" {
					http.Redirect(w, r, "/second", http.StatusTemporaryRedirect)
					return
				}
				w.Header().Set("Location", location)
				w.WriteHeader(http.StatusTemporaryRedirect)
			})
			link, _ := open(t, Config{BaseURL: server.URL + "/mcp"})
			_, err := link.Exchange(t.Context(), call(), &sink{})
			require.Error(t, err)
			assert.NotContains(t, asked, "/final")
		})
	}
	assert.Zero(t, strangers.Load())
}

// From HTTPS to HTTP on the same host: the headers would be readable on the way.
func TestDowngradeIsRefused(t *testing.T) {
	readable := atomic.Int32{}
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) { readable.Add(1) })
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", plain.URL+"/final")
		if r.URL.Path == "/same" {
			w.Header().Set("Location", "http://"+r.Host+"/final")
		}
		w.WriteHeader(http.StatusPermanentRedirect)
	}))
	t.Cleanup(secure.Close)
	for _, path := range []string{"/mcp", "/same"} {
		link, _ := open(t, Config{BaseURL: secure.URL + path, Token: config.LiteralSecret("canary"), TLS: TLS{InsecureSkipVerify: true}})
		_, err := link.Exchange(t.Context(), call(), &sink{})
		require.ErrorContains(t, err, "redirects from "+secure.URL+path+" to http://")
		require.ErrorContains(t, err, "only 307 and 308 within the same origin")
	}
	assert.Zero(t, readable.Load())
}

// What one call brings, and what the authorizer adds, reaches nobody else either,
// whatever carries the requests.
func TestCallersCredentialsAreNotRedirected(t *testing.T) {
	strangers := atomic.Int32{}
	stranger := serve(t, func(w http.ResponseWriter, r *http.Request) { strangers.Add(1) })
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", stranger.URL+"/final")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	following := func() *resty.Client { // a client of the user's that would follow
		return resty.New().SetRedirectPolicy(resty.FlexibleRedirectPolicy(10)).SetHeader("X-Client", "canary")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	for name, options := range map[string][]Option{
		"own": nil, "authorizer": {WithAuthorizer(newKeyring())}, "client": {WithClient(following())}, "transport": {WithTransport(transport)},
	} {
		t.Run(name, func(t *testing.T) {
			link, _ := open(t, Config{BaseURL: server.URL}, options...)
			ctx := t.Context()
			if name != "authorizer" {
				ctx = withCall(ctx, "canary-call", http.Header{"X-User": {"canary"}})
			}
			_, err := link.Exchange(ctx, call(), &sink{})
			require.ErrorContains(t, err, stranger.URL+"/final")
			assert.NotContains(t, err.Error(), "canary")
		})
	}
	assert.Zero(t, strangers.Load())
}

// A key that keeps net/http from sending twice does not keep a redirect from being
// followed with its body.
func TestRedirectWithAnIdempotencyKey(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		assert.Equal(t, string(call().Frame), string(body))
		if r.URL.Path == "/mcp" {
			http.Redirect(w, r, "/final", http.StatusTemporaryRedirect)
			return
		}
		assert.Equal(t, "k-1234", r.Header.Get("Idempotency-Key"))
		reply(w, 200, "application/json", answer7)
	})
	link, _ := open(t, Config{BaseURL: server.URL + "/mcp", Headers: literals("Idempotency-Key", "k-1234")})
	got, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.Equal(t, answer7, string(got.Message.Raw))
}

// HTTP+SSE: the stream and what is posted, the latter relative to where the stream
// really is.
func TestRedirectsOfSSE(t *testing.T) {
	strangers := atomic.Int32{}
	stranger := serve(t, func(w http.ResponseWriter, r *http.Request) { strangers.Add(1) })
	for name, test := range map[string]struct {
		stream, post string // where the redirects lead
		startError   string
		callError    string
	}{
		"within":               {"/deep/sse", "/deep/really", "", ""},
		"the stream, away":     {stranger.URL + "/sse", "/deep/really", "redirects from", ""},
		"the posts, away":      {"/deep/sse", stranger.URL + "/final", "", "redirects from"},
		"the stream, to HTTPS": {"https://127.0.0.1:1/sse", "/deep/really", "redirects from", ""},
	} {
		t.Run(name, func(t *testing.T) {
			old := &oldServer{endpoint: "messages?sid=1", push: make(chan string, 10)}
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/sse":
					http.Redirect(w, r, test.stream, http.StatusTemporaryRedirect)
				case r.Method == http.MethodGet:
					old.stream(w, r)
				case r.URL.Path == "/deep/messages":
					http.Redirect(w, r, test.post, http.StatusTemporaryRedirect)
				default:
					assert.Equal(t, "/deep/really", r.URL.Path)
					w.WriteHeader(http.StatusAccepted)
					old.push <- answer7
				}
			})
			link := NewSSE("test", Config{BaseURL: server.URL + "/sse", Token: config.LiteralSecret("canary")})
			t.Cleanup(func() { shutSSE(t, link) })
			err := link.Start(t.Context(), nil)
			if test.startError != "" {
				require.ErrorContains(t, err, test.startError)
				return
			}
			require.NoError(t, err)
			_, err = link.Exchange(t.Context(), call(), &sink{})
			if test.callError != "" {
				require.ErrorContains(t, err, test.callError)
				return
			}
			require.NoError(t, err)
		})
	}
	assert.Zero(t, strangers.Load())
}
