package bearer

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/config"
)

// printVariable makes this test program the command: it tells what to do.
const printVariable = "BEARER_TEST_PRINT"

func TestMain(m *testing.M) {
	if what := os.Getenv(printVariable); what != "" {
		os.Exit(command(what, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// command appends a line to the file that its first argument names, and then does
// what it is told.
func command(what string, arguments []string) int {
	runs, err := os.OpenFile(arguments[0], os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return 3
	}
	_, _ = fmt.Fprintln(runs, "run")
	content, _ := os.ReadFile(arguments[0])
	number := strings.Count(string(content), "run")
	_, _ = fmt.Fprintln(os.Stderr, "canary-stderr")
	verb, rest, _ := strings.Cut(what, " ")
	switch verb {
	case "print":
		fmt.Println(strings.ReplaceAll(rest, "{n}", fmt.Sprint(number)))
	case "fail":
		fmt.Println("canary-stdout")
		return 7
	case "flood":
		_, _ = io.Copy(os.Stdout, endless{})
	case "hang":
		time.Sleep(time.Hour)
	case "input":
		text, _ := io.ReadAll(os.Stdin)
		fmt.Printf("canary-input-%d\n", len(text))
	}
	return 0
}

type endless struct{}

func (endless) Read(data []byte) (int, error) { return len(data), nil }

// commanded is a source whose command is this test program; runs returns how
// often it has run.
func commanded(t *testing.T, base, what string, change func(*Settings), options ...Option) (s *Source, runs func() int) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "runs")
	cfg := Settings{
		Command: config.Words{self, file},
		Env: map[string]config.Secret{
			printVariable: config.LiteralSecret(what), "GORACE": config.LiteralSecret("atexit_sleep_ms=0"),
		},
	}
	if change != nil {
		change(&cfg)
	}
	s, err = New("files", base, cfg, options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, func() int {
		content, _ := os.ReadFile(file)
		return strings.Count(string(content), "run")
	}
}

// server takes the tokens that it is told to.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	good  string
	calls int
}

func serve(t *testing.T, good string) *server {
	t.Helper()
	s := &server{good: good}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls++
		if r.Header.Get("Authorization") != "Bearer "+s.good {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.Client().CloseIdleConnections)
	return s
}

func (s *server) accept(good string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.good = good
}

// call makes a request as a link does; it returns the last status.
func (s *server) call(t *testing.T, source *Source) (int, error) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", nil)
		require.NoError(t, err)
		if err := source.Authorize(t.Context(), http.MethodPost, s.URL+"/mcp", request.Header); err != nil {
			return 0, err
		}
		response, err := s.Client().Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		again, err := source.Challenged(t.Context(), attempt, response.StatusCode, response.Header, request.Header)
		if err != nil || !again {
			return response.StatusCode, err
		}
	}
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func jwt(expires time.Time) string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return part(`{"alg":"none"}`) + "." + part(fmt.Sprintf(`{"exp":%d}`, expires.Unix())) + "." + part("canary")
}
