package bearer

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/auth/discovery"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/process"
)

const (
	authorizationHeader = "Authorization"
	scheme              = "Bearer "
	// failurePause is how long callers get the error of a run that failed, and how
	// long a token that was refused is not asked for again.
	failurePause = 5 * time.Second
)

// Source gives requests to one server their token. It is safe for concurrent
// use.
type Source struct {
	server  string
	base    *url.URL
	cfg     Settings
	log     hclog.Logger
	now     func() time.Time
	start   process.Starter
	secrets []string

	life context.Context // ends with Close
	end  context.CancelCauseFunc

	current atomic.Pointer[token]

	mu       sync.Mutex
	closed   bool
	running  *run
	failed   error
	pausedTo time.Time // nothing is run before
	working  sync.WaitGroup
}

// token is what a run of the command brought. It is immutable.
type token struct {
	text    string
	born    time.Time
	expires time.Time // zero: unknown
}

// Format prints *** for every verb.
func (*token) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, "***") }

// run is one run of the command, for all who wait.
type run struct {
	done chan struct{}
	err  error // set before done is closed
}

// Option sets what a configuration file cannot hold.
type Option func(*Source)

// WithLogger sets the logger; the default discards.
func WithLogger(logger hclog.Logger) Option {
	return func(s *Source) {
		if logger != nil {
			s.log = logger
		}
	}
}

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(s *Source) { s.now = now } }

// WithStarter replaces the function that starts the command.
func WithStarter(start process.Starter) Option { return func(s *Source) { s.start = start } }

// WithSecrets names words of the command that must not be shown.
func WithSecrets(secrets ...string) Option { return func(s *Source) { s.secrets = secrets } }

// New returns the source of the server at base, with a configuration that Check
// finds no fault with. It does no I/O.
func New(server, base string, cfg Settings, options ...Option) (*Source, error) {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("a bearer token needs the server's absolute URL")
	}
	s := &Source{server: server, base: u, cfg: cfg, log: hclog.NewNullLogger(), now: time.Now, start: process.Start}
	s.life, s.end = context.WithCancelCause(context.Background())
	for _, option := range options {
		option(s)
	}
	return s, nil
}

// Authorize puts the token into the header of a request to the server's origin
// (R268, R270); for another origin it does nothing.
func (s *Source) Authorize(ctx context.Context, _, target string, header http.Header) error {
	u, err := url.Parse(target)
	if err != nil || discovery.Origin(u) != discovery.Origin(s.base) {
		return nil
	}
	text, err := s.text(ctx)
	if err != nil {
		return err
	}
	header.Set(authorizationHeader, scheme+text)
	return nil
}

// Challenged is told of the answer to a request. After a 401 it returns true if
// there is another token to send by now; a command is run for one. A second
// refusal of one request is left as it is.
func (s *Source) Challenged(ctx context.Context, attempt, status int, _, sent http.Header) (again bool, err error) {
	if status != http.StatusUnauthorized || attempt > 1 {
		return false, nil
	}
	refused := strings.TrimPrefix(sent.Get(authorizationHeader), scheme)
	if len(s.cfg.Command) > 0 {
		if err := s.replace(ctx, refused); err != nil {
			return false, err
		}
	}
	text, err := s.text(ctx)
	return err == nil && text != refused, err
}

// Close ends a run of the command, and waits for it. Idempotent.
func (s *Source) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end(errors.ErrTransportClosed)
	s.working.Wait()
	return nil
}

// text returns the token to send.
func (s *Source) text(ctx context.Context) (string, error) {
	if len(s.cfg.Command) == 0 {
		text, err := s.cfg.Token.Reveal()
		if err != nil {
			return "", fmt.Errorf("auth.token: %w", err)
		}
		if text = strings.TrimSpace(text); !isToken(text) {
			return "", errors.New("auth.token: what it stands for now is not a token: it is empty, or has blanks or line breaks in it")
		}
		return text, nil
	}
	t, now := s.current.Load(), s.now()
	if t != nil && !t.isDue(now) {
		return t.text, nil
	}
	err := s.obtain(ctx, func() bool { return s.current.Load() != t })
	switch {
	case err == nil:
		return s.current.Load().text, nil
	case t != nil && t.expires.After(now) && ctx.Err() == nil:
		s.log.Warn("a token could not be renewed yet", "server", s.server, "error", err)
		return t.text, nil // it is still good
	default:
		return "", err
	}
}

// replace gets another token than the one that was refused, unless the command
// was just asked for one.
func (s *Source) replace(ctx context.Context, refused string) error {
	another := func() bool {
		t := s.current.Load()
		return t != nil && (t.text != refused || s.now().Sub(t.born) < failurePause)
	}
	return s.obtain(ctx, another)
}

func (t *token) isDue(now time.Time) bool {
	if t.expires.IsZero() {
		return false
	}
	margin := min(t.expires.Sub(t.born)/10, time.Minute)
	return !now.Before(t.expires.Add(-margin))
}

// Format prints which server the source is for, for every verb.
func (s *Source) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprintf(state, "bearer tokens of server %q", s.server)
}
