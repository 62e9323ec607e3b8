package httplink

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/internal/dial"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Links of one pool keep headers in one place, and none ever sends another's
// credentials.
func TestHeadersOfOneLinkAreNotSentByAnother(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		want := "Bearer " + strings.TrimPrefix(r.URL.Path, "/")
		if r.URL.Path == "/user0" {
			want = ""
		}
		if r.Header.Get("Authorization") != want {
			reply(w, 400, "text/plain", fmt.Sprint(r.Header))
			return
		}
		reply(w, 200, "application/json", answer7)
	})
	pool := dial.NewPool()
	defer pool.Close()
	option := WithPool(pool)
	protocol := http.Header{mcp.HeaderProtocolVersion: {"2025-11-25"}} // of no link
	var callers sync.WaitGroup
	for i := range 4 {
		name := fmt.Sprint("user", i)
		cfg := Config{BaseURL: server.URL + "/" + name, Token: config.LiteralSecret(name)}
		if i == 0 {
			cfg.Token = config.Secret{}
		}
		link, _ := open(t, cfg, option)
		for range 4 {
			callers.Go(func() {
				for range 50 {
					out := call()
					out.Header = protocol
					reply, err := link.Exchange(t.Context(), out, &sink{})
					if assert.NoError(t, err) {
						assert.Equal(t, 200, reply.Status, "%s", reply.Body)
					}
				}
			})
		}
	}
	callers.Wait()
}

// What is sent follows the session, the configured secrets and the call at once.
func TestHeadersThatChangeBetweenCalls(t *testing.T) {
	var seen http.Header
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		reply(w, 200, "application/json", answer7)
	})
	t.Setenv("HEADER_TEST", "one")
	secret := config.NewSecret("${HEADER_TEST}")
	link, _ := open(t, Config{BaseURL: server.URL, Token: secret})
	first, second := http.Header{mcp.HeaderSessionID: {"s1"}}, http.Header{mcp.HeaderSessionID: {"s2"}}
	exchange := func(protocol http.Header, change func(*transporters.CallOptions)) {
		t.Helper()
		out := call()
		out.Header = protocol
		_, err := link.Exchange(transporters.WithCallOptions(t.Context(), change), out, &sink{})
		require.NoError(t, err)
	}
	none := func(*transporters.CallOptions) {}
	for _, step := range []struct {
		secret          string
		protocol        http.Header
		change          func(*transporters.CallOptions)
		bearer, session string
	}{
		{"one", first, none, "one", "s1"},
		{"one", first, none, "one", "s1"},
		{"one", second, none, "one", "s2"},
		{"two", second, none, "two", "s2"},
		{"two", second, func(o *transporters.CallOptions) { o.Token = "call" }, "call", "s2"},
		{"two", second, none, "two", "s2"},
		{"two", nil, none, "two", ""},
		{"one", first, none, "one", "s1"},
	} {
		t.Setenv("HEADER_TEST", step.secret)
		exchange(step.protocol, step.change)
		assert.Equal(t, "Bearer "+step.bearer, seen.Get("Authorization"))
		assert.Equal(t, step.session, seen.Get(mcp.HeaderSessionID))
		assert.Equal(t, link.headers.userAgent, seen["User-Agent"])
	}
}

// The target that resty is not told of is what was configured.
func TestTargetsAreSentAsConfigured(t *testing.T) {
	var seen string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Method + " " + r.Host + r.RequestURI
		reply(w, 200, "application/json", answer7)
	})
	host := server.Listener.Addr().String()
	for _, target := range []string{"/mcp", "/mcp?a=%20b&c", "/mcp?", "/a%2Fb/%C3%A9", "/é", "/a//b/../c"} {
		link, _ := open(t, Config{BaseURL: server.URL + target})
		require.True(t, link.isAside)
		_, err := link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		direct, err := http.Post(server.URL+target, "application/json", nil) //nolint // what net/http makes of it
		require.NoError(t, err)
		require.NoError(t, direct.Body.Close())
		want := seen
		_, err = link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		assert.Equal(t, want, seen)
		assert.Contains(t, seen, "POST "+host+"/")
	}
	http.DefaultClient.CloseIdleConnections()
}
