package operations

import (
	"html/template"
	"net/http"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
)

const (
	defaultInterval   = time.Second
	defaultViewers    = 16
	defaultReadyLimit = 2 * time.Second
)

// Site is the handlers of one client. It is safe for concurrent use.
type Site struct {
	client   *mcpclient.Client
	recorder *Recorder
	page     *template.Template
	interval time.Duration

	required   []string // nil: all
	startIdle  bool
	readyLimit time.Duration
	readiness  readiness

	rendered rendered

	mu         sync.Mutex
	viewers    int
	maxViewers int
	closed     bool
	ended      chan struct{} // closed by Close
}

// Option changes a Site.
type Option func(*Site)

// WithRecorder has the page show the calls that the recorder remembers, which the
// client must have been given as a hook. Without one the page shows no calls.
func WithRecorder(recorder *Recorder) Option { return func(s *Site) { s.recorder = recorder } }

// Required names the servers that must be well for the backend to be ready; a name
// that is not configured is not well. Without names none must. The default is all
// servers.
func Required(servers ...string) Option {
	return func(s *Site) { s.required = append([]string{}, servers...) }
}

// StartIdle has Readyz connect to servers that nobody has used yet: see
// mcpclient.HealthStartIdle. The default takes an idle server for ready.
func StartIdle() Option { return func(s *Site) { s.startIdle = true } }

// ReadyTimeout bounds how long Readyz waits for the servers; the default, which 0
// or less means as well, is 2 seconds.
func ReadyTimeout(limit time.Duration) Option {
	return func(s *Site) {
		if limit > 0 {
			s.readyLimit = limit
		}
	}
}

// RefreshEvery is how often the page is brought up to date; the default is a
// second, and less than 100 ms is 100 ms.
func RefreshEvery(interval time.Duration) Option {
	return func(s *Site) { s.interval = max(interval, 100*time.Millisecond) }
}

// MaxViewers bounds how many pages are kept up to date at the same time; the
// default, which 0 or less means as well, is 16. Those beyond it still show the
// moment in which they were loaded.
func MaxViewers(n int) Option {
	return func(s *Site) {
		if n > 0 {
			s.maxViewers = n
		}
	}
}

// New returns the handlers of a client. It starts nothing.
func New(client *mcpclient.Client, options ...Option) (*Site, error) {
	if client == nil {
		return nil, errors.New("operations: there is no client")
	}
	page, err := parsePage()
	if err != nil {
		return nil, err
	}
	s := &Site{
		client: client, page: page, interval: defaultInterval, maxViewers: defaultViewers,
		readyLimit: defaultReadyLimit, ended: make(chan struct{}),
	}
	for _, option := range options {
		option(s)
	}
	return s, nil
}

// Close says that the backend ends: Readyz is not ready from now on, and the
// streams of Page end, for which http.Server.Shutdown would wait. Idempotent; it
// waits for nothing.
func (s *Site) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.ended)
	}
}

func (s *Site) isClosed() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// readOnly lets GET and HEAD through.
func readOnly(serve http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD are served here", http.StatusMethodNotAllowed)
			return
		}
		serve(w, r)
	})
}
