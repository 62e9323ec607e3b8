package mcptest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Transporter is a scripted transporters.Transporter: Expect says which calls
// come and what they get. A call that nobody expected and an expectation that
// was not used up fail the test. It is safe for concurrent use and starts no
// goroutine.
type Transporter struct {
	t       TB
	journal *journal
	ids     atomic.Uint64

	mu           sync.Mutex
	expectations []*Expectation
	finished     bool // the test has ended: nothing may be reported any more
}

var _ transporters.Transporter = (*Transporter)(nil)

// NewTransporter returns a transporter that expects nothing yet. When the test
// ends, expectations that were not used up fail it.
func NewTransporter(t TB) *Transporter {
	s := &Transporter{t: t, journal: newJournal(journalLimit)}
	t.Cleanup(s.finish)
	return s
}

// Expect adds an expectation: a call of the action whose params every matcher
// matches. For one action they are used in the order they were added, each once
// unless Times or Always say otherwise.
func (s *Transporter) Expect(action string, matchers ...Matcher) *Expectation {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &Expectation{transporter: s, action: action, matchers: matchers, times: 1}
	s.expectations = append(s.expectations, e)
	return e
}

// Calls returns the calls so far, in order: the newest 10,000.
func (s *Transporter) Calls() []Received { return s.journal.all() }

// Await waits until n calls of the action have begun; it fails the test after
// 10 seconds.
func (s *Transporter) Await(action string, n int) {
	s.t.Helper()
	await(s.t, s.journal, action, n)
}

// Request plays the first expectation that matches.
func (s *Transporter) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	id := s.ids.Add(1)
	encoded, err := mcp.ParamsOf(params)
	if err != nil {
		return mcp.Result{}, requestError(action, id, errors.KindParams, err)
	}
	request := requestMessage(mcp.NumberID(id), action, encoded.Raw())
	call := &scriptedCall{ctx: ctx, id: id, received: newReceived(request, nil), onEvent: onEvent}
	s.journal.add(call.received)
	if ctx.Err() != nil {
		return mcp.Result{}, requestError(action, id, contextKind(ctx), context.Cause(ctx))
	}
	expectation, complaint := s.match(call.received)
	if expectation == nil {
		s.fail("%s", complaint)
		return mcp.Result{}, requestError(action, id, errors.KindProtocol, errors.New(complaint))
	}
	return expectation.play(call)
}

// match finds and uses the first expectation that covers the call, or says why
// none does.
func (s *Transporter) match(call Received) (*Expectation, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	complaint := fmt.Sprintf("unexpected call of %q with params %s", call.Method, call.Params)
	for _, e := range s.expectations {
		if e.action != call.Method {
			complaint += fmt.Sprintf("\n\t%s: another action", e.describe())
			continue
		}
		if e.times >= 0 && e.used >= e.times {
			complaint += fmt.Sprintf("\n\t%s: used up", e.describe())
			continue
		}
		if why := mismatchOf(e.matchers, call.Params); why != "" {
			complaint += fmt.Sprintf("\n\t%s: %s", e.describe(), why)
			continue
		}
		e.used++
		return e, ""
	}
	if len(s.expectations) == 0 {
		complaint += "\n\tno call is expected"
	}
	return nil, complaint
}

func (s *Transporter) fail(format string, args ...any) {
	s.mu.Lock()
	finished := s.finished
	s.mu.Unlock()
	if !finished {
		s.t.Helper()
		s.t.Errorf("scripted transporter: "+format, args...)
	}
}

// finish reports expectations that were not used up.
func (s *Transporter) finish() {
	s.mu.Lock()
	var unmet []string
	for _, e := range s.expectations {
		if e.times > e.used {
			unmet = append(unmet, fmt.Sprintf("%s: called %d times, expected %d", e.describe(), e.used, e.times))
		}
	}
	s.finished = true
	s.mu.Unlock()
	for _, text := range unmet {
		s.t.Errorf("scripted transporter: %s", text)
	}
}

// scriptedServer is the server's name in the errors of a Transporter.
const scriptedServer = "scripted"

func requestError(action string, id uint64, kind errors.Kind, err error) error {
	return &errors.TransporterRequestError{
		Server: scriptedServer, Action: action, ID: mcp.NumberID(id).String(), Kind: kind, Err: err,
	}
}

func contextKind(ctx context.Context) errors.Kind {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errors.KindTimeout
	}
	return errors.KindCanceled
}
