package operations

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	keptSlowest  = 20
	keptFailing  = 50
	keptInFlight = 1000
	// slowestWindow is how long a slow call is worth looking at.
	slowestWindow = time.Hour

	maxNameText  = 200
	maxErrorText = 500
	shownDigest  = 6
)

// Recorder is a hook (mcpclient.WithHooks) that remembers calls for the page: those
// in flight (1,000 at most), the 20 slowest of the last hour, the latest 50 that
// failed. It holds no arguments and no results, and its memory does not grow with
// the number of calls. The zero Recorder is ready to use, by one client or several;
// it is safe for concurrent use, and must not be copied.
type Recorder struct {
	mu       sync.Mutex
	inFlight map[*transporters.RequestInfo]struct{} // each until its call returns, when it is given up
	unlisted int                                    // in flight, beyond those
	slowest  []Call                                 // the slowest first
	failing  []Call                                 // a ring, once it is full
	next     int                                    // where the ring goes on
}

var (
	_ transporters.HookRequestStart = (*Recorder)(nil)
	_ transporters.HookRequestEnd   = (*Recorder)(nil)
	_ transporters.HookError        = (*Recorder)(nil)
)

// OnRequestStart notes that a call runs. It returns nil: nothing is added to the
// call's context.
func (r *Recorder) OnRequestStart(_ context.Context, request *transporters.RequestInfo) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.inFlight) >= keptInFlight {
		r.unlisted++
		return nil
	}
	if r.inFlight == nil {
		r.inFlight = make(map[*transporters.RequestInfo]struct{})
	}
	r.inFlight[request] = struct{}{}
	return nil
}

// OnRequestEnd keeps the call if it was slow, or failed. One that its own caller
// cancelled did not fail; a tool's result with isError did.
func (r *Recorder) OnRequestEnd(_ context.Context, request *transporters.RequestInfo, outcome *transporters.RequestOutcome) {
	failed := outcome.ToolError || outcome.Err != nil && !errors.Is(outcome.Err, context.Canceled)
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, listed := r.inFlight[request]; listed {
		delete(r.inFlight, request)
	} else {
		r.unlisted--
	}
	slow := len(r.slowest) < keptSlowest || outcome.Duration > r.slowest[len(r.slowest)-1].Duration ||
		slices.ContainsFunc(r.slowest, func(call Call) bool { return request.Began.Sub(call.Began) > slowestWindow })
	if !slow && !failed {
		return
	}
	call := endedCall(request, outcome)
	if slow {
		r.keepSlow(call)
	}
	if failed {
		r.keepFailing(call)
	}
}

// OnError keeps what went wrong without being a call's error, such as a process
// that died.
func (r *Recorder) OnError(source transporters.Source, err error) {
	call := Call{
		Server: source.Server, Principal: principalText(source.Principal), Began: time.Now(),
		Kind: transporters.KindOf(err).String(), Error: errors.PeerText(err.Error(), maxErrorText),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keepFailing(call)
}

// keepSlow puts a call in its place. r.mu is held.
func (r *Recorder) keepSlow(call Call) {
	r.slowest = slices.DeleteFunc(r.slowest, func(old Call) bool { return call.Began.Sub(old.Began) > slowestWindow })
	place, _ := slices.BinarySearchFunc(r.slowest, call, func(a, b Call) int { return cmp.Compare(b.Duration, a.Duration) })
	r.slowest = slices.Insert(r.slowest, place, call)
	r.slowest = r.slowest[:min(len(r.slowest), keptSlowest)]
}

// keepFailing adds a call in place of the oldest. r.mu is held.
func (r *Recorder) keepFailing(call Call) {
	if len(r.failing) < keptFailing {
		r.failing = append(r.failing, call)
		return
	}
	r.failing[r.next] = call
	r.next = (r.next + 1) % keptFailing
}

// calls returns what is remembered: the longest in flight first, the slowest
// first, the latest failure first.
func (r *Recorder) calls(now time.Time) Calls {
	if r == nil {
		return Calls{InFlight: []Call{}, Slowest: []Call{}, Failing: []Call{}}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := Calls{InFlight: make([]Call, 0, len(r.inFlight)), Slowest: make([]Call, 0, len(r.slowest)), Failing: make([]Call, 0, len(r.failing))}
	for request := range r.inFlight {
		call := callOf(request)
		call.Duration = now.Sub(request.Began)
		calls.InFlight = append(calls.InFlight, call)
	}
	slices.SortFunc(calls.InFlight, func(a, b Call) int { return a.Began.Compare(b.Began) })
	calls.NotListed = r.unlisted
	for _, call := range r.slowest {
		if now.Sub(call.Began) <= slowestWindow {
			calls.Slowest = append(calls.Slowest, call)
		}
	}
	calls.Failing = append(append(calls.Failing, r.failing[r.next:]...), r.failing[:r.next]...)
	slices.Reverse(calls.Failing)
	return calls
}

// principalText names a principal. Of one that a token or a header implies, which
// is a digest of it, only enough is shown to tell it from others.
func principalText(principal string) string {
	named, _, _ := strings.Cut(principal, "\x00")
	if digest, implied := strings.CutPrefix(named, "token:"); implied && len(digest) > shownDigest {
		named = "token:" + digest[:shownDigest]
	}
	return errors.PeerText(named, maxNameText)
}

func callOf(request *transporters.RequestInfo) Call {
	return Call{
		Server: request.Server, Principal: principalText(request.Principal),
		Action: errors.PeerText(request.Action, maxNameText), Name: errors.PeerText(request.Name, maxNameText), Began: request.Began,
	}
}

func endedCall(request *transporters.RequestInfo, outcome *transporters.RequestOutcome) Call {
	call := callOf(request)
	call.Duration, call.Attempts = outcome.Duration, outcome.Attempts
	switch {
	case outcome.Err != nil:
		call.Kind = transporters.KindOf(outcome.Err).String()
		call.Error = errors.PeerText(outcome.Err.Error(), maxErrorText)
	case outcome.ToolError:
		call.Kind, call.Error = "tool", "the tool ran and failed: its result has isError set"
	}
	return call
}
