package models

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// connection is a link that lives until it is told to die.
type connection struct {
	once sync.Once
	done chan struct{}
	err  error
}

func (c *connection) Traits() transporters.Traits { return transporters.Traits{Name: "model"} }

func (c *connection) Start(context.Context, func(transporters.Link, mcp.Message)) error { return nil }

func (c *connection) Exchange(ctx context.Context, _ *transporters.Outbound, _ transporters.Sink) (transporters.Reply, error) {
	select {
	case <-c.done:
		return transporters.Reply{}, c.err
	case <-ctx.Done():
		return transporters.Reply{}, context.Cause(ctx)
	}
}

func (c *connection) Send(context.Context, *transporters.Outbound) error { return nil }
func (c *connection) Done() <-chan struct{}                              { return c.done }
func (c *connection) Err() error                                         { return c.err }

func (c *connection) Close(context.Context) error {
	c.die(errors.ErrTransportClosed)
	return nil
}

func (c *connection) die(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.done)
	})
}

// moment is a step of a history of supervision.
type moment struct {
	Do    string
	After time.Duration
}

// supervised is the model: when the next start is due and what was spent.
type supervised struct {
	limit         int
	window, delay time.Duration

	alive, ended bool
	due          time.Time // of the next start, where neither
	opened       time.Time
	spent        int
	dials        int
	failing      int // starts that will fail

	closed, reconnected int // announcements
}

// lose spends one of the budget at the time.
func (s *supervised) lose(at time.Time) {
	s.alive = false
	if s.spent == 0 || at.Sub(s.opened) > s.window {
		s.opened, s.spent = at, 0
	}
	s.spent++
	if s.ended = s.spent > s.limit; !s.ended {
		s.due = at.Add(s.delay)
	}
}

// until lets time pass.
func (s *supervised) until(at time.Time) {
	for !s.alive && !s.ended && !s.due.After(at) {
		s.dials++
		if s.failing > 0 {
			s.failing--
			if s.lose(s.due); s.ended {
				s.closed++ // the replacement that was promised is withdrawn
			}
			continue
		}
		s.alive = true
		s.reconnected++
	}
}

// Supervision: a dead peer is replaced after the delay, within the budget of a
// tumbling window; failed starts spend it too; then it is over for good (R066,
// R067).
func TestSupervision(t *testing.T) {
	moments := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) moment {
		return moment{
			rapid.SampledFrom([]string{"die", "die", "fail the next start", "wait"}).Draw(r, "do"),
			time.Duration(rapid.IntRange(0, 40).Draw(r, "quarters of a second")) * 250 * time.Millisecond,
		}
	}), 1, 40)
	rapid.Check(t, func(r *rapid.T) {
		model := supervised{
			limit:  rapid.IntRange(1, 4).Draw(r, "max_restarts"),
			window: time.Duration(rapid.IntRange(1, 20).Draw(r, "restart_window")) * time.Second,
			delay:  time.Duration(rapid.IntRange(0, 8).Draw(r, "restart_delay")) * 250 * time.Millisecond,
			alive:  true, dials: 1,
		}
		history := moments.Draw(r, "history")
		play(t, r, func(differ func(string, ...any)) { playSupervision(&model, history, differ) })
	})
}

func playSupervision(model *supervised, history []moment, differ func(string, ...any)) {
	var (
		mu                         sync.Mutex
		dials, closed, reconnected int
		failing                    int
		current                    *connection
	)
	cfg := &supervise.Config{MaxRestarts: model.limit, RestartWindow: config.Of(model.window), RestartDelay: config.Of(model.delay)}
	link := supervise.New("model", cfg, func(context.Context) (transporters.Link, error) {
		mu.Lock()
		defer mu.Unlock()
		dials++
		if failing > 0 {
			failing--
			return nil, errors.ErrStartFailed
		}
		current = &connection{done: make(chan struct{})}
		return current, nil
	})
	link.OnPrepare(func(context.Context, transporters.Link) error { return nil })
	link.OnConnectionClosed(func(error) { mu.Lock(); defer mu.Unlock(); closed++ })
	link.OnReconnect(func() { mu.Lock(); defer mu.Unlock(); reconnected++ })
	if err := link.Start(context.Background(), func(transporters.Link, mcp.Message) {}); err != nil {
		differ("start: %v", err)
		return
	}
	compare := func(at int) {
		mu.Lock()
		defer mu.Unlock()
		ended := false
		select {
		case <-link.Done():
			ended = true
		default:
		}
		if ended != model.ended || ended != errors.Is(link.Err(), errors.ErrSupervisionExhausted) {
			differ("step %d: ended is %v (%v), want %v", at, ended, link.Err(), model.ended)
		}
		if promised := !model.ended && !model.alive; link.IsReconnecting() != promised {
			differ("step %d: IsReconnecting is %v", at, !promised)
		}
		if dials != model.dials || closed != model.closed || reconnected != model.reconnected {
			differ("step %d: %d dials, %d closed, %d reconnected; want %d, %d, %d", at, dials, closed, reconnected, model.dials, model.closed, model.reconnected)
		}
	}
	for i, m := range history {
		time.Sleep(m.After)
		synctest.Wait()
		model.until(time.Now())
		compare(i)
		switch m.Do {
		case "fail the next start":
			mu.Lock()
			failing++
			mu.Unlock()
			model.failing++
		case "die":
			if !model.alive {
				continue
			}
			call := exchange(context.Background(), link, uint64(i+1))
			synctest.Wait()
			mu.Lock()
			peer := current
			mu.Unlock()
			peer.die(errors.ErrPeerLost)
			synctest.Wait()
			model.closed++
			model.lose(time.Now())
			model.until(time.Now())
			if o, is := now(call); !is || !errors.Is(o.err, errors.ErrPeerLost) {
				differ("step %d: the open call: %v %v", i, is, o.err)
			}
			compare(i)
		}
	}
	if err := link.Close(context.Background()); err != nil {
		differ("close: %v", err)
	}
}
