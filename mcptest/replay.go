package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Replayer is a transporters.Transporter that answers from a cassette: events,
// progress, results and errors are those that were recorded, byte for byte and
// without waiting. A call that was not recorded fails the test, and gets an
// error; both show the nearest recorded call and how it differs.
//
// Params are compared as values: the order of members and white space do not
// matter. Where the cassette has ***, any secret will do.
//
// It is safe for concurrent use and starts no goroutine.
type Replayer struct {
	t     TB
	path  string
	loose bool

	mu       sync.Mutex
	calls    []*recordedCall
	used     map[*recordedCall]int
	finished bool // the test has ended: nothing may be reported any more
}

var _ transporters.Transporter = (*Replayer)(nil)

// ReplayOption says how strictly a cassette is replayed.
type ReplayOption func(*Replayer)

// Loosely lets calls come in any order, be left out and be repeated: equal calls
// get the recorded answers in turn, and the last of them again and again. _meta
// is not compared.
func Loosely() ReplayOption { return func(r *Replayer) { r.loose = true } }

// Replay returns a transporter that replays the cassette. Without options it is
// strict: every recorded call must be made once, in the recorded order, except
// that calls that ran at the same time may come in any order; those left when
// the test ends fail it.
func Replay(t TB, path string, options ...ReplayOption) *Replayer {
	t.Helper()
	calls, err := readCassette(path)
	if err != nil {
		t.Fatalf("%v", err)
	}
	r := &Replayer{t: t, path: path, calls: calls, used: map[*recordedCall]int{}}
	for _, option := range options {
		option(r)
	}
	t.Cleanup(r.finish)
	return r
}

// Request answers with what was recorded for this call.
func (r *Replayer) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	encoded, err := mcp.ParamsOf(params)
	if err != nil {
		return mcp.Result{}, replayError(action, errors.KindParams, err)
	}
	if ctx.Err() != nil {
		return mcp.Result{}, replayError(action, contextKind(ctx), context.Cause(ctx))
	}
	recorded, complaint := r.find(action, encoded.Raw())
	if recorded == nil {
		r.t.Helper()
		r.fail(complaint)
		return mcp.Result{}, replayError(action, errors.KindProtocol, errors.New(complaint))
	}
	call := &scriptedCall{ctx: ctx, onEvent: onEvent}
	for _, event := range recorded.events {
		call.deliver(event)
	}
	if recorded.failure != nil {
		return mcp.Result{}, recorded.failure.error()
	}
	return recorded.result, nil
}

// find uses the recorded call that is meant, or says why there is none.
func (r *Replayer) find(action string, params json.RawMessage) (*recordedCall, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var chosen *recordedCall
	for _, call := range r.playable() {
		if call.action != action || len(r.differences(call, params)) > 0 {
			continue
		}
		chosen = call
		if r.used[call] == 0 {
			break
		}
	}
	if chosen == nil {
		return nil, r.complaint(action, params)
	}
	r.used[chosen]++
	return chosen, ""
}

// playable returns the calls that may come now: strictly, what is left of the
// first group that is not used up.
func (r *Replayer) playable() []*recordedCall {
	if r.loose {
		return r.calls
	}
	var next []*recordedCall
	for _, call := range r.calls {
		if r.used[call] > 0 {
			continue
		}
		if len(next) > 0 && next[0].group != call.group {
			break
		}
		next = append(next, call)
	}
	return next
}

func (r *Replayer) differences(call *recordedCall, params json.RawMessage) []string {
	want, got := decodeParams(call.params), decodeParams(params)
	if r.loose {
		want, got = withoutMeta(want), withoutMeta(got)
	}
	c := comparison{masked: true}
	c.compare("params", want, got)
	return c.found
}

// complaint says that a call is unknown, and which recorded one is nearest.
func (r *Replayer) complaint(action string, params json.RawMessage) string {
	shown := (&hider{}).json(params)
	text := fmt.Sprintf("%s has no call of %q with params %s", r.path, action, shown)
	if !r.loose {
		text = fmt.Sprintf("%s: not the call that comes next: %q with params %s", r.path, action, shown)
		for _, call := range r.playable() {
			text += "\n\tnext is " + call.describe()
		}
		if len(r.playable()) == 0 {
			text += "\n\tevery recorded call was made"
		}
	}
	var nearest *recordedCall
	fewest := math.MaxInt
	for _, call := range r.calls {
		if call.action != action {
			continue
		}
		distance := 2 * len(r.differences(call, shown))
		if r.used[call] > 0 {
			distance++ // of two that are as near, the one that is left
		}
		if distance < fewest {
			nearest, fewest = call, distance
		}
	}
	if nearest == nil {
		return text + "\n\trecorded are only: " + strings.Join(r.actions(), ", ")
	}
	text += "\n\tnearest is " + nearest.describe()
	if r.used[nearest] > 0 {
		text += ", which was replayed already"
	}
	c := comparison{found: r.differences(nearest, shown)}
	if len(c.found) > 0 {
		text += "\n\t\t" + c.text()
	}
	return text
}

// actions returns what was recorded.
func (r *Replayer) actions() []string {
	var names []string
	for _, call := range r.calls {
		names = append(names, call.action)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return []string{"no calls"}
	}
	return names
}

func (r *Replayer) fail(complaint string) {
	r.mu.Lock()
	finished := r.finished
	r.mu.Unlock()
	if !finished {
		r.t.Helper()
		r.t.Errorf("replay: %s", complaint)
	}
}

// finish reports calls that were not made.
func (r *Replayer) finish() {
	r.mu.Lock()
	var left []string
	for _, call := range r.calls {
		if !r.loose && r.used[call] == 0 {
			left = append(left, call.describe())
		}
	}
	r.finished = true
	r.mu.Unlock()
	for _, call := range left {
		r.t.Errorf("replay: %s: never made: %s", r.path, call)
	}
}

// replayServer is the server's name in the errors of a Replayer's own.
const replayServer = "replay"

func replayError(action string, kind errors.Kind, err error) error {
	return &errors.TransporterRequestError{Server: replayServer, Action: action, Kind: kind, Err: err}
}
