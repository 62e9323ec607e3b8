package supervise_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// fakeLink is a plain link to a peer that the test plays. Its zero hooks start
// and close at once.
type fakeLink struct {
	onStart func(ctx context.Context) error
	onClose func(ctx context.Context) error
	hold    bool // waiters stay until release is called

	mu       sync.Mutex
	started  bool
	closes   int
	in       func(transporters.Link, mcp.Message)
	sent     []string
	aborted  []uint64
	version  mcp.Version
	ended    int   // Terminate calls
	err      error // may stay nil: an end without a reason
	done     chan struct{}
	released chan struct{} // closed after done: waiters go
}

func newFakeLink() *fakeLink {
	return &fakeLink{done: make(chan struct{}), released: make(chan struct{})}
}

func (f *fakeLink) Traits() transporters.Traits { return transporters.Traits{Name: "fake"} }

func (f *fakeLink) Start(ctx context.Context, in func(transporters.Link, mcp.Message)) error {
	f.mu.Lock()
	f.started, f.in = true, in
	f.mu.Unlock()
	if f.onStart != nil {
		return f.onStart(ctx)
	}
	return nil
}

// Exchange answers the method "echo" at once; anything else waits for the end.
func (f *fakeLink) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	if err := f.Send(ctx, out); err != nil {
		return transporters.Reply{}, err
	}
	if sink != nil {
		sink.Accepted()
	}
	if out.Method == "echo" {
		return transporters.Reply{Message: mcp.Message{Result: out.Frame}}, nil
	}
	select {
	case <-f.released:
		return transporters.Reply{}, f.Err()
	case <-ctx.Done():
		return transporters.Reply{}, context.Cause(ctx)
	}
}

func (f *fakeLink) Send(_ context.Context, out *transporters.Outbound) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return fmt.Errorf("%w: %w", errors.ErrNotSent, f.err)
	}
	f.sent = append(f.sent, out.Method)
	return nil
}

func (f *fakeLink) Done() <-chan struct{} { return f.done }

func (f *fakeLink) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *fakeLink) Close(ctx context.Context) error {
	f.mu.Lock()
	f.closes++
	f.mu.Unlock()
	var err error
	if f.onClose != nil {
		err = f.onClose(ctx)
	}
	f.die(errors.ErrTransportClosed)
	return err
}

func (f *fakeLink) Terminate(context.Context, http.Header) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended++
	return nil
}

func (f *fakeLink) Abort(id uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.aborted = append(f.aborted, id)
}

func (f *fakeLink) SetVersion(version mcp.Version) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version = version
}

// die ends the peer. A second way of ending, or one more signal of the same
// death, changes nothing.
func (f *fakeLink) die(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !isDone(f) {
		f.err = err
		close(f.done)
		if !f.hold {
			close(f.released)
		}
	}
}

// refuse makes the living peer's link fail what is sent from now on.
func (f *fakeLink) refuse(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

// release lets the waiters of a held link go.
func (f *fakeLink) release() { close(f.released) }

// deliver plays an inbound message.
func (f *fakeLink) deliver(method string) {
	f.mu.Lock()
	in := f.in
	f.mu.Unlock()
	in(f, mcp.Message{Method: method})
}

func (f *fakeLink) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closes > 0
}

func (f *fakeLink) methods() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sent)
}

// plainLink has no optional interfaces.
type plainLink struct{ transporters.Link }

// exit is how a stdio link tells of a process that ended.
func exit(status int) error {
	return &errors.TransporterRequestError{
		Kind: errors.KindTransport, Message: fmt.Sprintf("exit status %d", status),
		Stderr: "cannot open database", Err: errors.ErrPeerLost,
	}
}

// world is a supervised link, the links it dialled, and what it announced.
type world struct {
	*supervise.Link
	t *testing.T

	mu       sync.Mutex
	links    []*fakeLink
	dials    int
	dialling func(number int, ctx context.Context) (transporters.Link, error) // nil: a fresh fake
	events   []string
	errs     []error
	inbound  []string
	logs     strings.Builder
}

// build makes a world whose link was not started.
func build(t *testing.T, cfg *supervise.Config, options ...supervise.Option) *world {
	w := &world{t: t}
	logger := hclog.New(&hclog.LoggerOptions{Output: &lockedWriter{w: w}, DisableTime: true, Level: hclog.Debug})
	options = append([]supervise.Option{
		supervise.WithLogger(logger),
		supervise.WithErrorListener(func(err error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.errs = append(w.errs, err)
			w.events = append(w.events, "error: "+kindOf(err))
		}),
	}, options...)
	w.Link = supervise.New("memory", cfg, w.dial, options...)
	w.OnConnectionClosed(func(err error) { w.note("closed: " + kindOf(err)) })
	w.OnReconnect(func() { w.note("reconnect") })
	return w
}

// started makes a world whose first connection serves, and closes it at the end.
func started(t *testing.T, cfg *supervise.Config, options ...supervise.Option) *world {
	w := build(t, cfg, options...)
	require.NoError(t, w.start())
	t.Cleanup(w.shut)
	return w
}

func (w *world) start() error { return w.Start(w.t.Context(), w.receive) }

func (w *world) shut() { _ = w.Close(context.Background()) }

func (w *world) dial(ctx context.Context) (transporters.Link, error) {
	w.mu.Lock()
	w.dials++
	number, dialling := w.dials, w.dialling
	w.mu.Unlock()
	if dialling != nil {
		if link, err := dialling(number, ctx); link != nil || err != nil {
			return link, err
		}
	}
	return w.fresh(), nil
}

// fresh makes a fake link and remembers it.
func (w *world) fresh() *fakeLink {
	f := newFakeLink()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.links = append(w.links, f)
	return f
}

// scripted sets what dialling does; a nil link without an error stands for an
// ordinary fake one.
func (w *world) scripted(dialling func(number int, ctx context.Context) (transporters.Link, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dialling = dialling
}

func (w *world) receive(_ transporters.Link, m mcp.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inbound = append(w.inbound, m.Method)
}

func (w *world) note(event string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, event)
}

// link returns the n-th link that was dialled, from 1.
func (w *world) link(n int) *fakeLink {
	w.mu.Lock()
	defer w.mu.Unlock()
	require.GreaterOrEqual(w.t, len(w.links), n, "dialled links")
	return w.links[n-1]
}

// newest returns the link that was dialled last.
func (w *world) newest() *fakeLink {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.links[len(w.links)-1]
}

func (w *world) dialled() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dials
}

func (w *world) announced() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events)
}

func (w *world) received() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.inbound)
}

func (w *world) reported() []error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.errs)
}

func (w *world) logged() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.logs.String()
}

// kill ends the n-th peer and lets everything that follows at once happen.
func (w *world) kill(n int) {
	w.link(n).die(exit(n))
	synctest.Wait()
}

// killAndReplace ends the n-th peer and waits until the next one serves.
func (w *world) killAndReplace(n int) {
	w.kill(n)
	pass(restartDelay)
	require.False(w.t, w.IsReconnecting())
	require.NoError(w.t, w.Connect(w.t.Context()))
}

// open reports the links that were never closed.
func (w *world) open() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, link := range w.links {
		if !link.isClosed() {
			n++
		}
	}
	return n
}

func kindOf(err error) string {
	for name, sentinel := range map[string]error{
		"exhausted": errors.ErrSupervisionExhausted,
		"by owner":  errors.ErrTransportClosed,
	} {
		if errors.Is(err, sentinel) {
			return name
		}
	}
	if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok && failure.Message != "" {
		return failure.Message
	}
	return err.Error()
}

// pass lets fake time pass, and everything happen that it brings.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// lockedWriter writes to the world's log.
type lockedWriter struct{ w *world }

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.w.logs.Write(p)
}

const restartDelay = 100 * time.Millisecond

// supervised is the configuration with every default.
func supervised() *supervise.Config {
	return &supervise.Config{
		MaxRestarts:   3,
		RestartWindow: config.Of(60 * time.Second),
		RestartDelay:  config.Of(restartDelay),
	}
}

// message is an outbound one of that method.
func message(method string) *transporters.Outbound {
	return &transporters.Outbound{Method: method, Frame: []byte(`"` + method + `"`)}
}

// exchange runs an exchange on the link in a goroutine.
func exchange(ctx context.Context, link transporters.Link, method string) <-chan error {
	result := make(chan error, 1)
	go func() {
		_, err := link.Exchange(ctx, message(method), nil)
		result <- err
	}()
	return result
}
