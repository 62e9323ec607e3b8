package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// A run is a call that takes longer than a request: it belongs to the backend, not
// to the browser that began it, which may go away and come back. runs keeps those
// of all users, and tells who looks when one of them has changed.
//
// What is kept is bounded: a user has at most keptRuns, of which maxRunning run,
// and there are at most maxUsers.
type runs struct {
	tools mcpclient.ToolCaller
	life  context.Context // ends when calls must end
	end   context.CancelFunc

	mu      sync.Mutex
	closed  chan struct{} // when no run may begin
	users   map[string]*userRuns
	number  int
	working sync.WaitGroup
}

type userRuns struct {
	list    []*run        // the newest first
	changed chan struct{} // closed, and replaced, at each change
}

// run is one call, as the browser gets it.
type run struct {
	ID       string  `json:"id"`
	Steps    int     `json:"steps"`
	Progress float64 `json:"progress"` // 0 to 1
	Message  string  `json:"message"`
	State    string  `json:"state"` // running, done or failed
}

const (
	keptRuns   = 10
	maxRunning = 3
	maxUsers   = 1000
)

var (
	errTooMany = errors.New("too many reports are being made; wait for one of them")
	errClosed  = errors.New("the backend is shutting down")
)

func newRuns(tools mcpclient.ToolCaller) *runs {
	r := &runs{tools: tools, closed: make(chan struct{}), users: make(map[string]*userRuns)}
	r.life, r.end = context.WithCancel(context.Background())
	return r
}

// begin starts a run for a user and returns at once.
func (r *runs) begin(user string, steps int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isClosed() {
		return errClosed
	}
	mine := r.of(user)
	if mine == nil || mine.running() >= maxRunning {
		return errTooMany
	}
	r.number++
	added := &run{ID: strconv.Itoa(r.number), Steps: steps, State: "running", Message: "waiting for the server"}
	mine.list = append([]*run{added}, mine.list...)
	if last := len(mine.list) - 1; last >= keptRuns { // it is not running: maxRunning is less
		mine.list = slices.Delete(mine.list, last, last+1)
	}
	mine.tell()
	r.working.Go(func() { r.work(user, added) })
	return nil
}

// of returns a user's runs, nil if there is no place for one more user. r.mu is
// held.
func (r *runs) of(user string) *userRuns {
	if mine := r.users[user]; mine != nil {
		return mine
	}
	if len(r.users) >= maxUsers {
		return nil
	}
	mine := &userRuns{changed: make(chan struct{})}
	r.users[user] = mine
	return mine
}

func (u *userRuns) running() int {
	n := 0
	for _, run := range u.list {
		if run.State == "running" {
			n++
		}
	}
	return n
}

func (u *userRuns) tell() {
	close(u.changed)
	u.changed = make(chan struct{})
}

// work makes the call. Progress is shown as it comes, in the goroutine of the call.
func (r *runs) work(user string, is *run) {
	ctx := mcpclient.WithPrincipal(r.life, user)
	arguments := map[string]any{"ms": is.Steps * int(stepTime.Milliseconds()), "steps": is.Steps}
	result, err := r.tools.CallTool(ctx, "slow", arguments, mcpclient.OnProgress(func(p mcp.Progress) {
		r.change(user, func() {
			if p.Total > 0 {
				is.Progress = min(p.Progress/p.Total, 1)
			}
			is.Message = p.Message
		})
	}))
	r.change(user, func() {
		switch {
		case err != nil:
			slog.Error("report", "user", user, "error", err)
			is.State, is.Message = "failed", "the server does not answer"
		case result.IsError:
			is.State, is.Message = "failed", result.Text()
		default:
			is.State, is.Progress, is.Message = "done", 1, result.Text()
		}
	})
}

// stepTime is how long the demo server takes for one step.
const stepTime = 500 * time.Millisecond

func (r *runs) change(user string, change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	r.users[user].tell()
}

// now returns a user's runs as they are, and what is closed at the next change.
func (r *runs) now(user string) ([]run, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	mine := r.of(user)
	if mine == nil {
		return []run{}, nil
	}
	list := make([]run, len(mine.list))
	for i, run := range mine.list {
		list[i] = *run
	}
	return list, mine.changed
}

// close refuses further runs and has those who look stop.
func (r *runs) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.isClosed() {
		close(r.closed)
	}
}

func (r *runs) isClosed() bool {
	select {
	case <-r.closed:
		return true
	default:
		return false
	}
}

// wait lets the runs finish, and cancels them when ctx ends.
func (r *runs) wait(ctx context.Context) error {
	defer r.end()
	stop := context.AfterFunc(ctx, r.end)
	defer stop()
	r.working.Wait() // a call returns at once when it is cancelled
	return ctx.Err()
}
