package bearer

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

func TestACommandRunsOnce(t *testing.T) { // R268
	s, now := serve(t, "canary-1"), &clock{now: time.Now()}
	source, runs := commanded(t, s.URL, "print canary-{n}", nil, WithClock(now.time))
	require.Zero(t, runs(), "not before a token is needed")
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			status, err := s.call(t, source)
			assert.NoError(t, err)
			assert.Equal(t, http.StatusOK, status)
		})
	}
	all.Wait()
	assert.Equal(t, 1, runs())

	s.accept("canary-2")
	now.advance(failurePause)
	for range 50 {
		all.Go(func() {
			status, err := s.call(t, source)
			assert.NoError(t, err)
			assert.Equal(t, http.StatusOK, status)
		})
	}
	all.Wait()
	assert.Equal(t, 2, runs(), "once more for all who were refused")
}

func TestTokensThatTheServerNeverTakes(t *testing.T) {
	now := &clock{now: time.Now()}
	s := serve(t, "another")
	source, runs := commanded(t, s.URL, "print canary", nil, WithClock(now.time))
	for range 5 {
		status, err := s.call(t, source)
		require.NoError(t, err)
		assert.Equal(t, http.StatusUnauthorized, status, "the server's own answer says it")
	}
	assert.Equal(t, 1, runs(), "it has just said what it knows")
	now.advance(failurePause)
	_, err := s.call(t, source)
	require.NoError(t, err)
	assert.Equal(t, 2, runs())
}

func TestTokensGoToTheirOrigin(t *testing.T) { // R270
	source, _ := commanded(t, "https://mcp.example.com/mcp", "print canary", nil)
	for target, want := range map[string]string{
		"https://MCP.example.com:443/other": "Bearer canary",
		"http://mcp.example.com/mcp":        "",
		"https://evil.example.com/mcp":      "",
		"http://[::":                        "",
	} {
		header := http.Header{}
		require.NoError(t, source.Authorize(t.Context(), "GET", target, header))
		assert.Equal(t, want, header.Get("Authorization"), target)
	}
}

func TestHowLongATokenIsGood(t *testing.T) {
	now := &clock{now: time.Now().Truncate(time.Second)}
	soon, past := now.now.Add(100*time.Second), now.now.Add(-time.Hour)
	lifetime := func(c *Settings) { c.Lifetime = config.Of(100 * time.Second) }
	for name, test := range map[string]struct {
		print  string
		change func(*Settings)
		ends   bool
	}{
		"unknown":                       {"canary", nil, false},
		"configured":                    {"canary", lifetime, true},
		"by the command, in seconds":    {`{"access_token":"canary","expires_in":100}`, nil, true},
		"as text":                       {`{"access_token":"canary","expires_in":"100"}`, nil, true},
		"by the command, as a time":     {fmt.Sprintf(`{"token":"canary","expires_at":%q}`, soon.Format(time.RFC3339)), nil, true},
		"by the token":                  {jwt(soon), nil, true},
		"by the token in JSON":          {fmt.Sprintf(`{"access_token":%q}`, jwt(soon)), nil, true},
		"the command goes before":       {`{"access_token":"canary","expires_in":1000}`, lifetime, false},
		"a token ended by our clock":    {jwt(past), nil, false},
		"three parts that are no token": {"a.b.c", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := &clock{now: now.now}
			source, runs := commanded(t, "https://h", "print "+test.print, test.change, WithClock(now.time))
			for _, step := range []struct {
				ahead time.Duration
				again bool
			}{{0, false}, {80 * time.Second, false}, {15 * time.Second, true}} {
				before := runs()
				now.advance(step.ahead)
				require.NoError(t, source.Authorize(t.Context(), "GET", "https://h/", http.Header{}))
				want := before
				if before == 0 || step.again && test.ends {
					want++
				}
				assert.Equal(t, want, runs(), step.ahead)
			}
		})
	}
}

func TestTokensThatAreRenewedInVain(t *testing.T) {
	now := &clock{now: time.Now()}
	folder := t.TempDir()
	file := filepath.Join(folder, "what")
	require.NoError(t, os.WriteFile(file, []byte(`print {"access_token":"canary-{n}","expires_in":100}`), 0o600))
	source, runs := commanded(t, "https://h", "", func(c *Settings) {
		c.Env[printVariable] = config.NewSecret("${file:" + file + "}")
	}, WithClock(now.time))
	header := http.Header{}
	require.NoError(t, source.Authorize(t.Context(), "GET", "https://h/", header))
	require.NoError(t, os.WriteFile(file, []byte("fail"), 0o600))
	now.advance(95 * time.Second)
	require.NoError(t, source.Authorize(t.Context(), "GET", "https://h/", header), "it is still good")
	assert.Equal(t, "Bearer canary-1", header.Get("Authorization"))
	now.advance(failurePause)
	err := source.Authorize(t.Context(), "GET", "https://h/", http.Header{})
	require.ErrorIs(t, err, errors.ErrTokenRequest)
	assert.Equal(t, 3, runs())
	err = source.Authorize(t.Context(), "GET", "https://h/", http.Header{})
	require.ErrorIs(t, err, errors.ErrTokenRequest)
	assert.Equal(t, 3, runs(), "it is not run for every call")
	require.NoError(t, os.WriteFile(file, []byte("print canary-{n}"), 0o600))
	now.advance(failurePause)
	require.NoError(t, source.Authorize(t.Context(), "GET", "https://h/", header))
	assert.Equal(t, "Bearer canary-4", header.Get("Authorization"))
}

func TestCommandsThatFail(t *testing.T) {
	for what, test := range map[string]struct {
		change func(*Settings)
		want   string
	}{
		"fail":                                  {nil, "it ended with exit status 7; run it to see why"},
		"flood":                                 {nil, "it printed more than 65536 bytes"},
		"hang":                                  {func(c *Settings) { c.Timeout = config.Of(50 * time.Millisecond) }, "not done within 50ms (auth.token_timeout)"},
		"nothing":                               {nil, "it printed nothing"},
		"print canary canary":                   {nil, "something else than one token"},
		"print {\"access_token\":\"canary a\"}": {nil, "no access_token that could be sent"},
		"print {\"error\":\"canary\"}":          {nil, "no access_token that could be sent"},
		"print {canary":                         {nil, `JSON such as {"access_token": "...", "expires_in": 3600}`},
		"print {\"token\":\"canary\",\"expires_in\":-1}":                       {nil, "has expired, by what it says of it"},
		"print {\"token\":\"canary\",\"expires_at\":\"2001-01-01T00:00:00Z\"}": {nil, "has expired, by what it says of it"},
		"not there": {func(c *Settings) { c.Command = config.Words{"canary-no-such-program"} }, "not found in the PATH"},
		"no variable": {func(c *Settings) {
			c.Env = map[string]config.Secret{"X": config.NewSecret("${MCPCLIENT_TEST_UNSET_VARIABLE}")}
		}, "token_env.X: cannot resolve a secret"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			source, _ := commanded(t, "https://h", what, test.change, WithSecrets("canary-no-such-program"))
			header := http.Header{}
			err := source.Authorize(t.Context(), "GET", "https://h/", header)
			require.ErrorIs(t, err, errors.ErrTokenRequest)
			require.ErrorContains(t, err, "auth.token_command")
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "canary", "nothing of what it printed")
			assert.Empty(t, header)
		})
	}
}

func TestCommandsHaveNoInput(t *testing.T) {
	source, _ := commanded(t, "https://h", "input", nil)
	header := http.Header{}
	require.NoError(t, source.Authorize(t.Context(), "GET", "https://h/", header))
	assert.Equal(t, "Bearer canary-input-0", header.Get("Authorization"))
}

func TestCallersWaitNoLongerThanTheyWant(t *testing.T) {
	source, runs := commanded(t, "https://h", "hang", nil)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- source.Authorize(ctx, "GET", "https://h/", http.Header{}) }()
	require.Eventually(t, func() bool { return runs() == 1 }, 30*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-result, context.Canceled)

	go func() { result <- source.Authorize(t.Context(), "GET", "https://h/", http.Header{}) }()
	require.NoError(t, source.Close())
	require.ErrorIs(t, <-result, errors.ErrTransportClosed, "Close ends the command")
	require.ErrorIs(t, source.Authorize(t.Context(), "GET", "https://h/", http.Header{}), errors.ErrTransportClosed)
	assert.Equal(t, 1, runs())
}

// A file that an agent rewrites, in place or with another in its place: the next
// request has its latest content.
func TestFilesThatChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	written := time.Now()
	write := func(text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, written, written)) // time and size tell nothing
	}
	write("canary-1\n")
	s := serve(t, "canary-1")
	source, err := New("files", s.URL, Settings{Token: config.NewSecret("${file:" + path + "}")})
	require.NoError(t, err)
	defer func() { require.NoError(t, source.Close()) }()
	call := func(want int) {
		t.Helper()
		status, err := s.call(t, source)
		require.NoError(t, err)
		assert.Equal(t, want, status)
	}
	call(200)
	write("canary-2\n")
	s.accept("canary-2")
	call(200)
	require.NoError(t, os.Rename(path, path+".old"))
	require.NoError(t, os.WriteFile(path, []byte("canary-3"), 0o600))
	s.accept("canary-3")
	call(200)
	assert.Equal(t, 3, s.calls, "no call was refused")
	s.accept("canary-4")
	call(401)
	assert.Equal(t, 4, s.calls, "there is nothing else to send")

	write("canary-old-5")
	header := http.Header{}
	require.NoError(t, source.Authorize(t.Context(), "POST", s.URL, header))
	write("canary-new-5") // while the request is under way
	again, err := source.Challenged(t.Context(), 1, http.StatusUnauthorized, nil, header)
	require.NoError(t, err)
	assert.True(t, again)
	again, err = source.Challenged(t.Context(), 2, http.StatusUnauthorized, nil, header)
	require.NoError(t, err)
	assert.False(t, again, "once")
	again, err = source.Challenged(t.Context(), 1, http.StatusForbidden, nil, header)
	require.NoError(t, err)
	assert.False(t, again)

	for _, text := range []string{"", "canary canary", "canary\x00"} {
		write(text)
		_, err = s.call(t, source)
		require.ErrorContains(t, err, "auth.token: what it stands for now is not a token")
		assert.NotContains(t, err.Error(), "canary")
	}
	require.NoError(t, os.Remove(path))
	_, err = s.call(t, source)
	require.ErrorContains(t, err, "auth.token: cannot resolve a secret")
}

func TestSourcesDoNotShowThemselves(t *testing.T) {
	source, _ := commanded(t, "https://h", "print canary", nil)
	require.NoError(t, source.Authorize(t.Context(), "GET", "https://h/", http.Header{}))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		assert.Equal(t, `bearer tokens of server "files"`, fmt.Sprintf(verb, source))
		assert.Equal(t, "***", fmt.Sprintf(verb, source.current.Load()))
	}
	for _, base := range []string{"", "/x", "http://[::"} {
		_, err := New("files", base, Settings{})
		require.Error(t, err)
	}
}
