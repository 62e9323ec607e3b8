package callback

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// visit asks the listener something as a browser does.
func visit(t *testing.T, method, target string) (int, string, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, target, nil)
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text), response.Header
}

func listen(t *testing.T, redirect string) *Listener {
	t.Helper()
	l, err := Listen(redirect, true)
	require.NoError(t, err)
	t.Cleanup(l.Close)
	l.Serve("files <b>", "the-state")
	return l
}

func TestABrowserComesBack(t *testing.T) {
	for name, outcome := range map[string]error{"logged in": nil, "refused": errors.New("denied <script>")} {
		t.Run(name, func(t *testing.T) {
			l := listen(t, "http://127.0.0.1:1/callback")
			// Others come first: a favicon, a scan, a page that guesses.
			for target, status := range map[string]int{
				"/": 404, "/favicon.ico": 404, "/callback": 400, "/callback?state=x&code=evil": 400,
				"/callback?state=the-state&state=the-state&code=evil": 400,
			} {
				origin, _, _ := strings.Cut(l.URL(), "/callback")
				got, text, _ := visit(t, http.MethodGet, origin+target)
				assert.Equal(t, status, got, target)
				assert.NotContains(t, text, "evil")
			}
			got, _, _ := visit(t, http.MethodPost, l.URL()+"?state=the-state&code=c")
			assert.Equal(t, 405, got)

			go func() {
				answer := <-l.Answers()
				assert.Equal(t, "canary-code", answer.Query.Get("code"))
				answer.Reply(outcome)
			}()
			status, text, header := visit(t, http.MethodGet, l.URL()+"?state=the-state&code=canary-code")
			assert.Equal(t, "no-store", header.Get("Cache-Control"))
			assert.Equal(t, "no-referrer", header.Get("Referrer-Policy"))
			assert.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'")
			assert.NotContains(t, text, "canary")
			assert.Contains(t, text, "files &lt;b&gt;")
			if outcome == nil {
				assert.Equal(t, 200, status)
				assert.Contains(t, text, "You can close this window")
			} else {
				assert.Equal(t, 400, status)
				assert.Contains(t, text, "You are not logged in")
				assert.Contains(t, text, "denied &lt;script&gt;")
			}
			status, text, _ = visit(t, http.MethodGet, l.URL()+"?state=the-state&code=canary-code")
			assert.Equal(t, 400, status, "once")
			assert.Contains(t, text, "over already")
		})
	}
}

func TestWhereAListenerListens(t *testing.T) {
	taken, err := Listen("http://127.0.0.1:1/x", true)
	require.NoError(t, err)
	defer taken.Close()
	_, err = Listen(taken.URL(), false)
	var network *net.OpError
	require.ErrorAs(t, err, &network, "the port is taken")

	l, err := Listen("http://localhost:1/callback?own=query", true)
	require.NoError(t, err)
	defer l.Close()
	u, err := url.Parse(l.URL())
	require.NoError(t, err)
	assert.Equal(t, "localhost", u.Hostname(), "what is registered stays as it is")
	assert.NotEqual(t, "1", u.Port())
	assert.Equal(t, "own=query", u.RawQuery)
	same, err := Listen(l.URL(), false)
	require.Error(t, err)
	assert.Nil(t, same)

	for _, redirect := range []string{"https://127.0.0.1:8976/callback", "http://app.example.com/callback", "http://192.0.2.1/x", "http://[::", ""} {
		_, err := Listen(redirect, false)
		require.ErrorIs(t, err, ErrNotHere, redirect)
	}
}

func TestCloseDoesNotWaitForBrowsers(t *testing.T) {
	l := listen(t, "http://127.0.0.1:1/callback")
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, l.URL()+"?state=the-state&code=c", nil)
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	<-l.Answers() // and nobody replies
	l.Close()
	cancel()
	<-ended
}

func TestWhatUsersPaste(t *testing.T) {
	const state = "the-state"
	for name, test := range map[string]struct {
		pasted, code string
		complaints   int
	}{
		"the address":            {"http://127.0.0.1:8976/callback?code=c1&state=the-state&iss=x\n", "c1", 0},
		"in quotes, with blanks": {"  'http://127.0.0.1:8976/callback?code=c1&state=the-state'  \n", "c1", 0},
		"without a line end":     {"http://127.0.0.1:8976/callback?code=c1&state=the-state", "c1", 0},
		"with a fragment":        {"http://127.0.0.1/?code=c1&state=the-state#_=_\n", "c1", 0},
		"the query":              {"code=c1&state=the-state\n", "c1", 0},
		"the code":               {"\n\nc1\n", "c1", 0},
		"a code with padding":    {"c1==\n", "c1==", 0},
		"something else before":  {"http://127.0.0.1:8976/\nwhat now\nhttp://x/?code=evil&state=other\ncode=c1&state=the-state\n", "c1", 3},
		"an error":               {"http://x/?error=access_denied&state=the-state\n", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			complaints := 0
			answer, err := Pasted(strings.NewReader(test.pasted), state, func(text string) {
				complaints++
				assert.NotContains(t, text, "evil")
			})
			require.NoError(t, err)
			assert.Equal(t, test.code, answer.Query.Get("code"))
			assert.Equal(t, state, answer.Query.Get("state"))
			assert.Equal(t, test.complaints, complaints)
			answer.Reply(nil)
		})
	}
	_, err := Pasted(strings.NewReader("\nwhat now\n"), state, func(string) {})
	require.ErrorContains(t, err, "nothing was pasted")
	_, err = Pasted(strings.NewReader(strings.Repeat("x", 2*maxPastedBytes)), state, func(string) {})
	require.Error(t, err)
}
