package fetch

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func rulesFor(t *testing.T, server string) Rules {
	t.Helper()
	u, err := url.Parse(server)
	require.NoError(t, err)
	return RulesFor(u, dial.NewGuard(false, nil, nil).AllowServer(u), "")
}

func TestRules(t *testing.T) { // R257, R302, R303
	for _, test := range []struct {
		server, target string
		allowed        bool
	}{
		{"https://mcp.example.com/mcp", "https://as.example.com/x", true},
		{"https://mcp.example.com/mcp", "https://9.9.9.9/x", true},
		{"https://mcp.example.com/mcp", "http://as.example.com/x", false},
		{"https://mcp.example.com/mcp", "http://localhost/x", false},
		{"https://mcp.example.com/mcp", "https://localhost/x", false},
		{"https://mcp.example.com/mcp", "https://LOCALHOST./x", false},
		{"https://mcp.example.com/mcp", "https://a.localhost/x", false},
		{"https://mcp.example.com/mcp", "https://127.0.0.2/x", false},
		{"https://mcp.example.com/mcp", "https://[::1]/x", false},
		{"https://mcp.example.com/mcp", "https://[::ffff:127.0.0.1]/x", false},
		{"https://mcp.example.com/mcp", "https://10.1.2.3/x", false},
		{"https://mcp.example.com/mcp", "https://169.254.169.254/x", false},
		{"https://mcp.example.com/mcp", "https://100.64.0.1/x", false},
		{"https://mcp.example.com/mcp", "https://0.0.0.0/x", false},
		{"https://mcp.example.com/mcp", "https://[fd00::1]/x", false},
		{"https://mcp.example.com/mcp", "https://user:pw@as.example.com/x", false},
		{"https://mcp.example.com/mcp", "https://as.example.com/x#f", false},
		{"https://mcp.example.com/mcp", "file:///etc/passwd", false},
		{"https://mcp.example.com/mcp", "javascript:alert(1)", false},
		{"https://mcp.example.com/mcp", "/relative", false},
		{"https://mcp.example.com/mcp", "", false},
		{"https://mcp.example.com/mcp", "://", false},
		{"https://mcp.example.com/mcp", "https://2130706433/x", false},
		{"https://mcp.example.com/mcp", "https://mcp.example.com:8443/x", true},
		{"https://10.0.0.1/mcp", "https://10.0.0.1:8443/x", true},
		{"https://10.0.0.1/mcp", "https://10.0.0.2/x", false},
		{"http://localhost:1/mcp", "https://10.0.0.2/x", false},
		{"http://localhost:1/mcp", "http://127.0.0.1:2/x", true},
		{"http://localhost:1/mcp", "http://as.example.com/x", false},
		{"http://localhost:1/mcp", "https://as.example.com/x", true},
	} {
		_, err := rulesFor(t, test.server).Check(test.target)
		assert.Equal(t, test.allowed, err == nil, "%s for %s: %v", test.target, test.server, err)
		if err != nil {
			assert.NotContains(t, err.Error(), "pw")
		}
	}
}

// The operator's own issuer may be on loopback, and nothing beside it.
func TestIssuersOnLoopback(t *testing.T) {
	server, err := url.Parse("https://mcp.example.com/mcp")
	require.NoError(t, err)
	issuer, err := url.Parse("http://localhost:9000/realm")
	require.NoError(t, err)
	guard := dial.NewGuard(false, nil, nil).AllowServer(server).AllowEndpoint(issuer)
	for target, allowed := range map[string]bool{
		"http://localhost:9000/token": true, "http://LOCALHOST:9000/token": true,
		"http://localhost:9001/token": false, "https://localhost:9001/token": false, "http://127.0.0.1:9000/token": false, "http://localhost/token": false,
	} {
		_, err := RulesFor(server, guard, issuer.String()).Check(target)
		assert.Equal(t, allowed, err == nil, "%s: %v", target, err)
	}
	_, err = RulesFor(server, dial.NewGuard(true, nil, nil), "").Check("https://10.0.0.7/x")
	require.NoError(t, err, "allow_private")
	_, err = RulesFor(server, dial.NewGuard(true, nil, nil), "").Check("http://10.0.0.7/x")
	require.ErrorContains(t, err, "only https")
	_, err = RulesFor(server, dial.NewGuard(false, nil, []string{"evil.example"}), "").Check("https://evil.example/x")
	require.ErrorIs(t, err, errors.ErrForbiddenAddress)
	require.EqualError(t, err, `https://evil.example/x: connecting to evil.example is forbidden by the entry "evil.example" of network.deny`)
}

func client(t *testing.T, handler http.HandlerFunc) (*Client, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	t.Cleanup(server.Client().CloseIdleConnections)
	return New(server.Client(), rulesFor(t, server.URL)), server.URL
}

func TestGetAndPost(t *testing.T) {
	c, target := client(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("X-Ours")+" "+string(body))
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "body")
	})
	response, err := c.Get(t.Context(), target, http.Header{"X-Ours": {"1"}})
	require.NoError(t, err)
	assert.Equal(t, "GET  1", response.Header.Get("X-Seen"))
	assert.Equal(t, http.StatusTeapot, response.Status)
	assert.Equal(t, "body", string(response.Body))
	response, err = c.Post(t.Context(), target, "text/x", nil, []byte("sent"))
	require.NoError(t, err)
	assert.Equal(t, "POST text/x  sent", response.Header.Get("X-Seen"))
}

func TestBodiesAreBounded(t *testing.T) { // P97
	c, target := client(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", MaxBodyBytes+1))
	})
	_, err := c.Get(t.Context(), target, nil)
	require.ErrorIs(t, err, errors.ErrMessageTooLarge)
}

func TestRedirects(t *testing.T) { // R303, P97
	for name, test := range map[string]struct {
		path, want string
	}{
		"one hop":         {"/one", ""},
		"a loop":          {"/loop", "more than 3 redirects"},
		"to plain http":   {"/plain", "only https"},
		"to another kind": {"/file", "only https"},
	} {
		t.Run(name, func(t *testing.T) {
			c, target := client(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/one":
					http.Redirect(w, r, "/end", http.StatusFound)
				case "/loop":
					http.Redirect(w, r, "/loop", http.StatusFound)
				case "/plain":
					http.Redirect(w, r, "http://as.example.invalid/", http.StatusFound)
				case "/file":
					w.Header().Set("Location", "ftp://127.0.0.1/etc")
					w.WriteHeader(http.StatusFound)
				}
			})
			_, err := c.Get(t.Context(), target+test.path, nil)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestPostsAreNotRedirected(t *testing.T) {
	hops := 0
	c, target := client(t, func(w http.ResponseWriter, r *http.Request) {
		hops++
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	response, err := c.Post(t.Context(), target, "text/x", nil, []byte("secret"))
	require.NoError(t, err)
	assert.Equal(t, http.StatusTemporaryRedirect, response.Status)
	assert.Equal(t, 1, hops)
}

type silentTransport struct{}

func (silentTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(&http.Client{Transport: silentTransport{}}, Rules{})
		_, err := c.Get(context.Background(), "https://as.example.com/x?secret=1", nil)
		require.EqualError(t, err, "https://as.example.com/x: no answer within 10s")
		require.NotErrorIs(t, err, context.DeadlineExceeded)
	})
	c := New(nil, Rules{})
	_, err := c.Get(t.Context(), "https://as.example.com/", nil)
	require.ErrorContains(t, err, "no HTTP client")
}

func TestDisplayText(t *testing.T) {
	assert.Equal(t, "https://a/b", DisplayText("https://u:p@a/b?c=d#e"))
	assert.Equal(t, "an unreadable URL", DisplayText("http://[::"))
}
