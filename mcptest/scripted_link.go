package mcptest

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// HTTPTraits returns the traits of a link over HTTP.
func HTTPTraits() transporters.Traits { return transporters.Traits{Name: "http", HTTP: true} }

// StdioTraits returns the traits of a link to a process.
func StdioTraits() transporters.Traits {
	return transporters.Traits{Name: "stdio", SilenceIsEvidence: true}
}

// ScriptedLink is a transporters.Link whose peer is a script: On says what comes
// back for a method. A request that no rule covers, a rule that was not used up
// and a frame that contradicts its Outbound fail the test.
//
// Notifications and responses that the client sends need no rule. Like a real
// link it is single-use, routes what arrives by its traits (over HTTP everything
// on a response belongs to its exchange, elsewhere only matching progress does)
// and is safe for concurrent use. It starts no goroutine.
type ScriptedLink struct {
	t       TB
	traits  transporters.Traits
	journal *journal
	done    chan struct{}

	mu         sync.Mutex
	in         func(transporters.Link, mcp.Message)
	startError error
	rules      []*Rule
	err        error // why it ended
	finished   bool  // the test has ended: nothing may be reported any more
	version    mcp.Version
	terminated []http.Header
	abandoned  []mcp.ID
}

var (
	_ transporters.Link          = (*ScriptedLink)(nil)
	_ transporters.Terminator    = (*ScriptedLink)(nil)
	_ transporters.VersionSetter = (*ScriptedLink)(nil)
)

// NewScriptedLink returns a link with an empty script. When the test ends, rules
// that were not used up fail it.
func NewScriptedLink(t TB, traits transporters.Traits) *ScriptedLink {
	l := &ScriptedLink{t: t, traits: traits, journal: newJournal(journalLimit), done: make(chan struct{})}
	t.Cleanup(l.finish)
	return l
}

// On adds a rule for the method, a request's or a notification's, and returns it
// to be filled in. Rules of one method are used in the order they were added,
// each once unless Times or Always say otherwise. A rule must be complete before
// its frame can come.
func (l *ScriptedLink) On(method string) *Rule {
	l.mu.Lock()
	defer l.mu.Unlock()
	rule := &Rule{link: l, method: method, times: 1}
	l.rules = append(l.rules, rule)
	return rule
}

// FailStart makes Start return the error.
func (l *ScriptedLink) FailStart(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.startError = err
}

// Inject hands a message to the session as if it had just come from the peer,
// outside of any exchange. The link must have been started.
func (l *ScriptedLink) Inject(m mcp.Message) {
	l.t.Helper()
	l.mu.Lock()
	in := l.in
	l.mu.Unlock()
	if in == nil {
		l.t.Fatalf("ScriptedLink.Inject before Start")
		return
	}
	in(l, m)
}

// Die ends the link as a peer that went away does: every running and later
// exchange fails with an error that wraps err and ErrPeerLost.
func (l *ScriptedLink) Die(err error) {
	if err == nil {
		l.end(errors.ErrPeerLost)
		return
	}
	l.end(fmt.Errorf("%w: %w", errors.ErrPeerLost, err))
}

// Received returns what the client sent so far, in order: the newest 10,000.
func (l *ScriptedLink) Received() []Received { return l.journal.all() }

// Count returns how many messages of the method the client sent; "" counts
// responses.
func (l *ScriptedLink) Count(method string) int {
	n, _ := l.journal.count(method)
	return n
}

// Await waits until the client sent n messages of the method in all; it fails
// the test after 10 seconds.
func (l *ScriptedLink) Await(method string, n int) {
	l.t.Helper()
	await(l.t, l.journal, method, n)
}

// Abandoned returns the ids of the exchanges whose context ended before their
// answer came, in that order.
func (l *ScriptedLink) Abandoned() []mcp.ID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]mcp.ID(nil), l.abandoned...)
}

// Terminated returns the headers of each Terminate call.
func (l *ScriptedLink) Terminated() []http.Header {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]http.Header(nil), l.terminated...)
}

// Version returns what SetVersion was called with last, "" if it was not.
func (l *ScriptedLink) Version() mcp.Version {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

// Traits returns what the link was made with.
func (l *ScriptedLink) Traits() transporters.Traits { return l.traits }

// Start begins to receive. A second Start, and one after the end, fail.
func (l *ScriptedLink) Start(ctx context.Context, in func(from transporters.Link, m mcp.Message)) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case l.in != nil:
		return errors.New("scripted link started twice")
	case l.startError != nil:
		return l.startError
	}
	l.in = in
	return nil
}

// Exchange plays the rule for the request.
func (l *ScriptedLink) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	frame, err := l.take(out, true)
	if err != nil {
		return transporters.Reply{}, err
	}
	rule, complaint := l.match(frame)
	if rule == nil {
		l.fail("%s", complaint)
		return transporters.Reply{}, fmt.Errorf("%w: %s", errors.ErrProtocol, complaint)
	}
	reply, err := rule.play(ctx, &exchange{link: l, frame: frame, out: out, sink: sink})
	if err != nil && ctx.Err() != nil {
		l.mu.Lock()
		l.abandoned = append(l.abandoned, frame.ID)
		l.mu.Unlock()
	}
	return reply, err
}

// Send takes a notification or a response. A rule for the notification's method
// decides what comes of it, otherwise it is accepted.
func (l *ScriptedLink) Send(ctx context.Context, out *transporters.Outbound) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	frame, err := l.take(out, false)
	if err != nil {
		return err
	}
	rule, _ := l.match(frame)
	if rule == nil {
		return nil
	}
	reply, err := rule.play(ctx, &exchange{link: l, frame: frame, out: out})
	if err == nil && reply.Status >= http.StatusMultipleChoices {
		return &errors.TransporterRequestError{
			Kind: errors.KindStatus, Status: reply.Status, Snippet: string(reply.Body),
		}
	}
	return err
}

// Terminate records the header.
func (l *ScriptedLink) Terminate(_ context.Context, header http.Header) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.terminated = append(l.terminated, header.Clone())
	return nil
}

// SetVersion records the version.
func (l *ScriptedLink) SetVersion(version mcp.Version) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version = version
}

// Done is closed when the link has ended.
func (l *ScriptedLink) Done() <-chan struct{} { return l.done }

// Err says why the link ended, nil before.
func (l *ScriptedLink) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close ends the link with ErrTransportClosed.
func (l *ScriptedLink) Close(context.Context) error {
	l.end(errors.ErrTransportClosed)
	return nil
}

func (l *ScriptedLink) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	l.err = err
	close(l.done)
}
