package operations_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/operations"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// canary is a secret that must never be shown.
const canary = "canary-7f3a"

// world is a client with a server that works, one that is not there and one whose
// configuration is wrong, and its site.
type world struct {
	client *mcpclient.Client
	site   *operations.Site
}

func newWorld(t *testing.T, options ...operations.Option) *world {
	t.Helper()
	nobody := httptest.NewServer(http.NotFoundHandler())
	nobody.Close()
	cfg, err := config.Parse("mcp.yaml", fmt.Appendf(nil, `
servers:
  demo: {type: http, base_url: %q, token: %s, headers: {X-Key: %s}}
  gone: {type: http, base_url: "%s/mcp", connect_timeout: 2s}
  wrong: {type: http, base_ulr: "http://a.example/<b>"}
`, mcptest.StartHTTP(t, mcptest.NewDemoServer()), canary, canary, nobody.URL))
	require.NoError(t, err)
	recorder := &operations.Recorder{}
	client, err := mcpclient.New(cfg, mcpclient.WithHooks(recorder))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	site, err := operations.New(client, append([]operations.Option{operations.WithRecorder(recorder)}, options...)...)
	require.NoError(t, err)
	return &world{client, site}
}

func (w *world) call(t *testing.T, server, tool string, arguments any) {
	t.Helper()
	connection, err := w.client.Connect(server)
	require.NoError(t, err)
	_, _ = connection.CallTool(mcpclient.WithPrincipal(t.Context(), "ada"), tool, arguments)
}

func get(handler http.Handler, target string, header ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer
}

func TestHealthzAsksNoServer(t *testing.T) {
	w := newWorld(t)
	answer := get(w.site.Healthz(), "/healthz")
	assert.Equal(t, http.StatusOK, answer.Code)
	assert.JSONEq(t, `{"ok":true}`, answer.Body.String())
	post := httptest.NewRecorder()
	w.site.Healthz().ServeHTTP(post, httptest.NewRequest(http.MethodPost, "/healthz", nil))
	assert.Equal(t, http.StatusMethodNotAllowed, post.Code)
	assert.Equal(t, "GET, HEAD", post.Header().Get("Allow"))
}

func TestReadyzAsksTheRequiredServers(t *testing.T) {
	for name, test := range map[string]struct {
		option operations.Option
		ready  bool
		first  string
	}{
		"all servers":            {operations.StartIdle(), false, "gone"},
		"the one that works":     {operations.Required("demo"), true, "demo"},
		"the one that is down":   {operations.Required("demo", "gone"), false, "gone"},
		"one that is not known":  {operations.Required("nobody"), false, "nobody"},
		"none":                   {operations.Required(), true, ""},
		"one with a faulty text": {operations.Required("wrong"), false, "wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, test.option, operations.ReadyTimeout(5*time.Second))
			w.call(t, "demo", "echo", map[string]any{"text": "x"})
			w.call(t, "gone", "echo", nil)
			answer := get(w.site.Readyz(), "/readyz")
			assert.Equal(t, test.ready, answer.Code == http.StatusOK, answer.Body.String())
			var told struct {
				OK      bool
				Servers []struct{ Server string }
			}
			require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &told))
			assert.Equal(t, test.ready, told.OK)
			if test.first != "" {
				require.NotEmpty(t, told.Servers)
				assert.Equal(t, test.first, told.Servers[0].Server)
			}
			assert.NotContains(t, answer.Body.String(), "127.0.0.1", "strangers learn no addresses")

			w.site.Close()
			w.site.Close()
			assert.Equal(t, http.StatusServiceUnavailable, get(w.site.Readyz(), "/readyz").Code, "it is shutting down")
			assert.Equal(t, http.StatusOK, get(w.site.Healthz(), "/healthz").Code)
		})
	}
}

// However many probes there are, the servers are asked once a second.
func TestProbesAreNotPassedOn(t *testing.T) {
	server := mcptest.NewDemoServer()
	cfg, err := config.FromServers(map[string]any{"demo": map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, server)}})
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	demo, err := client.Connect("demo")
	require.NoError(t, err)
	require.NoError(t, demo.Ping(t.Context()))
	before := len(server.Received())
	began := time.Now()
	site, err := operations.New(client)
	require.NoError(t, err)
	var probing sync.WaitGroup
	for range 20 {
		probing.Go(func() { assert.Equal(t, http.StatusOK, get(site.Readyz(), "/readyz").Code) })
	}
	probing.Wait()
	asked := len(server.Received()) - before
	assert.Positive(t, asked)
	assert.LessOrEqual(t, asked, 1+int(time.Since(began)/time.Second))
}

func TestThePageShowsTextsOfPeersEscapedAndNoSecrets(t *testing.T) {
	w := newWorld(t)
	w.call(t, "demo", "fail", map[string]any{"message": "no"})
	w.call(t, "demo", `<img src=x onerror=alert(1)>`, nil)
	w.call(t, "gone", "echo", nil)
	answer := get(w.site.Page(), "/debug/mcp", "Accept", "text/html,*/*")
	require.Equal(t, http.StatusOK, answer.Code)
	page := answer.Body.String()
	assert.NotContains(t, page, canary)
	assert.NotContains(t, page, "<img")
	assert.Contains(t, page, "&lt;img src=x")
	assert.NotContains(t, page, "<b>")
	assert.Contains(t, page, `did you mean &#34;base_url&#34;`, "the fault")
	for _, shown := range []string{"ada", "isError", "Not connected since", "***", "mcp.yaml:3:"} {
		assert.Contains(t, page, shown)
	}

	policy := answer.Header().Get("Content-Security-Policy")
	nonce := regexp.MustCompile(`script-src 'nonce-([^']+)'`).FindStringSubmatch(policy)
	require.Len(t, nonce, 2, policy)
	assert.Contains(t, policy, "default-src 'none'")
	assert.Contains(t, page, `<script nonce="`+nonce[1]+`">`)
	assert.Equal(t, 1, strings.Count(page, "<script"))
	assert.NotRegexp(t, `<[a-z][^>]* (on\w+|style)=`, regexp.MustCompile(`(?s)<script.*</script>`).ReplaceAllString(page, ""), "the policy forbids it")
	assert.NotContains(t, get(w.site.Page(), "/").Body.String(), nonce[1], "a nonce is used once")
}

func TestThePageAsJSON(t *testing.T) {
	w := newWorld(t)
	w.call(t, "demo", "fail", nil)
	for _, answer := range []*httptest.ResponseRecorder{
		get(w.site.Page(), "/debug/mcp?format=json"), get(w.site.Page(), "/debug/mcp", "Accept", "application/json"),
	} {
		assert.Equal(t, "application/json", answer.Header().Get("Content-Type"))
		assert.NotContains(t, answer.Body.String(), canary)
		var told struct {
			Servers []struct {
				Name, State string
				Stats       struct{ Requests int }
				Config      []struct{ Key, Value string }
				Faults      []string
			}
			Slowest, Failing []struct{ Server, Name, Principal, Kind string }
		}
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &told))
		require.Len(t, told.Servers, 3)
		assert.Equal(t, "ready", told.Servers[0].State)
		assert.Equal(t, 1, told.Servers[0].Stats.Requests)
		assert.NotEmpty(t, told.Servers[0].Config)
		assert.Equal(t, "faulty", told.Servers[2].State)
		assert.NotEmpty(t, told.Servers[2].Faults)
		require.Len(t, told.Failing, 1)
		assert.Equal(t, struct{ Server, Name, Principal, Kind string }{"demo", "fail", "ada", "tool"}, told.Failing[0])
	}
	assert.Equal(t, http.StatusBadRequest, get(w.site.Page(), "/debug/mcp?format=xml").Code)
}

// viewer reads the stream of a page.
type viewer struct {
	body   io.ReadCloser
	events *bufio.Scanner
}

func view(t *testing.T, url string) *viewer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	request.Header.Set("Accept", "text/event-stream")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, "text/event-stream", answer.Header.Get("Content-Type"))
	events := bufio.NewScanner(answer.Body)
	events.Buffer(nil, 1<<20)
	return &viewer{answer.Body, events}
}

// next returns the next event; ok is false at the stream's end.
func (v *viewer) next() (name, data string, ok bool) {
	for v.events.Scan() {
		switch line := v.events.Text(); {
		case strings.HasPrefix(line, "event: "):
			name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			return name, line[len("data: "):], true
		}
	}
	return "", "", false
}

func TestTheStreamSendsWhatHasChanged(t *testing.T) {
	w := newWorld(t, operations.RefreshEvery(0), operations.MaxViewers(1))
	server := httptest.NewServer(w.site.Page())
	defer server.Close()
	v := view(t, server.URL)
	_, first, ok := v.next()
	require.True(t, ok)
	var parts map[string]string
	require.NoError(t, json.Unmarshal([]byte(first), &parts))
	assert.Len(t, parts, 7, "everything at first")
	assert.NotContains(t, first, canary)

	second, err := http.Get(server.URL + "?format=events")
	require.NoError(t, err)
	defer func() { _ = second.Body.Close() }()
	assert.Equal(t, http.StatusServiceUnavailable, second.StatusCode, "viewers are bounded")
	assert.NotEmpty(t, second.Header.Get("Retry-After"))

	w.call(t, "demo", "fail", nil)
	for _, known := parts["failing"]; !known || !strings.Contains(parts["failing"], "isError"); _, known = parts["failing"] {
		_, data, ok := v.next()
		require.True(t, ok)
		parts = nil
		require.NoError(t, json.Unmarshal([]byte(data), &parts))
		assert.NotContains(t, parts, "configuration", "it has not changed")
	}

	w.site.Close()
	for name := ""; name != "end"; {
		name, _, ok = v.next()
		require.True(t, ok)
	}
	_, _, ok = v.next()
	assert.False(t, ok, "the stream has ended")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, server.Config.Shutdown(ctx), "nothing keeps the server")
}

func TestAPlaceIsFreeAgainWhenAViewerLeaves(t *testing.T) {
	w := newWorld(t, operations.RefreshEvery(0), operations.MaxViewers(1))
	server := httptest.NewServer(w.site.Page())
	defer server.Close()
	v := view(t, server.URL)
	require.NoError(t, v.body.Close())
	require.Eventually(t, func() bool {
		answer, err := http.Head(server.URL + "?format=events")
		return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	}, 20*time.Second, 20*time.Millisecond)
}
