package stdiolink

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/messagequeue"
	"github.com/mcp-client-go/mcpclient/internal/process"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// The seam at which tests put something else in the place of a process.
type (
	// Starter starts a process.
	Starter = process.Starter
	// Spec says what to start.
	Spec = process.Spec
	// Child is a started process.
	Child = process.Child
)

var (
	_ transporters.Link          = (*Link)(nil)
	_ transporters.VersionSetter = (*Link)(nil)
)

// DefaultEventBytes bounds what waits for one exchange's Deliver.
const DefaultEventBytes = 8 << 20

// Link is the connection to one child process. It implements
// transporters.Link and transporters.VersionSetter. All methods are safe for
// concurrent use.
type Link struct {
	server     string
	config     Config
	logger     hclog.Logger
	start      Starter
	environ    func() []string
	eventBytes int
	hidden     []string // within the command, not to be shown

	pending *pendingTable
	batches atomic.Bool         // the peer may send batches
	skipped atomic.Uint64       // lines that were no message
	heard   atomic.Bool         // a message has come
	cutOff  bool                // the line at hand is the last one and has no end; the reader's
	copies  messagequeue.Copier // of events; the reader's
	reports reports             // that are not queued yet; the reader's
	noise   *limitedLog
	stderr  *limitedLog

	onFault func(error) // set before Start, or nil

	// Set by Start before started is true.
	receive func(from transporters.Link, m mcp.Message)
	secrets process.SecretFilter
	child   process.Child
	writer  *writer
	started atomic.Bool

	mu       sync.Mutex
	begun    bool // Start was called
	isEnding bool
	cause    error         // why it ends; set before ending is closed
	ending   chan struct{} // closed when the link shall end

	firstNoise string // what came before the first message

	err      error         // written before done is closed
	done     chan struct{} // closed when the link is spent
	finished chan struct{} // closed when nothing of the link runs any more
	result   error         // of ending the process; written before finished is closed
	hurried  context.Context
	hurry    context.CancelFunc // ends the patience with the process
}

// Option changes what configuration cannot hold.
type Option func(*Link)

// WithLogger sets the logger, to which also the process's stderr goes. The
// default logs nothing.
func WithLogger(logger hclog.Logger) Option { return func(l *Link) { l.logger = logger } }

// WithStarter replaces the function that starts the process.
func WithStarter(start Starter) Option { return func(l *Link) { l.start = start } }

// WithEnviron replaces process.Environ, this process's own environment, as the source of inherited variables.
func WithEnviron(environ func() []string) Option { return func(l *Link) { l.environ = environ } }

// WithEventBytes sets the bound on what waits for one exchange's Deliver, in
// bytes; the default is DefaultEventBytes.
func WithEventBytes(limit int) Option { return func(l *Link) { l.eventBytes = limit } }

// WithSecrets names texts within the command, its arguments and the working
// directory that must not be shown, such as what references of the configuration
// stand for. The values of Config.Env need not be named.
func WithSecrets(secrets ...string) Option {
	return func(l *Link) { l.hidden = append(l.hidden, secrets...) }
}

// New returns a link to the process that cfg describes, for the server of the
// given name. It does no I/O.
func New(server string, cfg Config, opts ...Option) *Link {
	l := &Link{
		server:     server,
		config:     cfg,
		logger:     hclog.NewNullLogger(),
		start:      process.Start,
		environ:    process.Environ,
		eventBytes: DefaultEventBytes,
		pending:    newPendingTable(),
		ending:     make(chan struct{}),
		done:       make(chan struct{}),
		finished:   make(chan struct{}),
	}
	for _, option := range opts {
		option(l)
	}
	l.logger = l.logger.With("server", server)
	l.noise = newLimitedLog(l.logger, "lines that are no messages", noisePerWindow)
	l.stderr = newLimitedLog(l.logger, "stderr", stderrPerWindow)
	l.hurried, l.hurry = context.WithCancel(context.Background())
	return l
}

// Traits are those of every link to a process; see the function Traits.
func (l *Link) Traits() transporters.Traits { return Traits() }

// Traits says that this is stdio, where silence is evidence of a legacy peer, that
// frames are copied into the link's own buffer, and that nothing of a call is kept
// behind its answer.
func Traits() transporters.Traits {
	return transporters.Traits{Name: "stdio", SilenceIsEvidence: true, CopiesFrames: true, ReleasesCalls: true}
}

// SetVersion tells the negotiated version: only servers of 2025-03-26 may send
// batches (R018).
func (l *Link) SetVersion(version mcp.Version) { l.batches.Store(version == mcp.Version20250326) }

// SkippedLines counts the lines from the process that were no message.
func (l *Link) SkippedLines() uint64 { return l.skipped.Load() }

// Start starts the process and begins to read. It returns ErrStartFailed if
// there is no such program, or if the process ends within startup_delay, and
// ErrTransportClosed after Close. ctx bounds the start alone: the process goes on
// when it ends later. A link that failed to start is spent.
func (l *Link) Start(ctx context.Context, in func(from transporters.Link, m mcp.Message)) error {
	l.mu.Lock()
	switch {
	case l.isEnding:
		l.mu.Unlock()
		return closedError()
	case l.begun:
		l.mu.Unlock()
		return errors.New("a stdio link was started twice: it is single-use")
	}
	l.begun = true
	l.mu.Unlock()

	if l.config.PollInterval != nil {
		l.logger.Warn("poll_interval is ignored: output is read as it comes")
	}
	child, err := l.spawn(ctx)
	if err != nil {
		l.end(err)
		l.declare(err)
		l.hurry()
		close(l.finished)
		return err
	}
	l.receive = in
	l.child = child
	l.writer = &writer{to: child.Stdin(), broken: func(err error) { l.end(&writeFailed{err}) }}
	l.started.Store(true)
	go l.attend()
	return l.awaitStartup(ctx)
}

func (l *Link) spawn(ctx context.Context) (process.Child, error) {
	spec, err := l.config.spec(l.environ(), l.hidden, l.logStderr)
	if err != nil {
		return nil, startFailure(fmt.Errorf("%w: %w", errors.ErrStartFailed, err))
	}
	l.secrets = process.NewSecretFilter(spec.Env, spec.Secrets...)
	child, err := l.start(ctx, spec)
	if err != nil {
		if !errors.Is(err, errors.ErrStartFailed) {
			err = fmt.Errorf("%w: %w", errors.ErrStartFailed, err)
		}
		return nil, startFailure(err)
	}
	l.logger.Debug("process started", "pid", child.PID(), "command", process.CommandLine(spec.Command, spec.Secrets...))
	return child, nil
}

// awaitStartup waits for startup_delay, if there is one.
func (l *Link) awaitStartup(ctx context.Context) error {
	delay, _ := l.config.StartupDelay.Value()
	if delay <= 0 {
		return nil
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		err := startFailure(fmt.Errorf("%w: %w", errors.ErrStartFailed, context.Cause(ctx)))
		l.end(err)
		<-l.done
		return err
	case <-l.done:
		if lost, ok := errors.AsType[*errors.TransporterRequestError](l.err); ok && !errors.Is(lost, errors.ErrTransportClosed) {
			failed := *lost
			failed.Err = fmt.Errorf("%w: %w", errors.ErrStartFailed, lost.Err)
			return &failed
		}
		return l.err
	}
}
