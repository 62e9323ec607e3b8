package models

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/process"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
)

// child is a process of pipes.
type child struct {
	stdin, server net.Conn
	stdout        *io.PipeReader
	print         *io.PipeWriter
	exit          sync.Once
	done          chan struct{}
}

func newChild() *child {
	c := &child{done: make(chan struct{})}
	c.stdin, c.server = net.Pipe()
	c.stdout, c.print = io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, c.server) }()
	return c
}

func (c *child) PID() int              { return 0 }
func (c *child) Stdin() process.Stdin  { return c.stdin }
func (c *child) Stdout() io.ReadCloser { return c.stdout }
func (c *child) Done() <-chan struct{} { return c.done }
func (c *child) ExitState() string     { return "exit status 1" }
func (c *child) StderrTail() string    { return "" }

func (c *child) Shutdown(context.Context, time.Duration) error {
	c.die()
	return nil
}

func (c *child) die() {
	c.exit.Do(func() {
		_ = c.stdin.Close()
		_ = c.server.Close()
		_ = c.print.Close()
		close(c.done)
	})
}

// step is something that happens, to the request of that index.
type step struct {
	Do      string
	Request int
}

// waiting is what the model knows of a request.
type waiting struct {
	end    string // "", "answer", "cancel" or "death"
	events []string
}

// The table of pending requests: an answer ends the request of its id and no
// other, once, whether the id is a number or a string (R003, P19); what comes for
// nobody ends nothing; progress comes in order and before the answer; a cancelled
// request and a dead process end theirs.
func TestPendingTable(t *testing.T) {
	steps := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) step {
		return step{
			rapid.SampledFrom([]string{"begin", "begin", "begin", "answer", "answer as a string", "answer to nobody", "refuse", "progress", "progress", "cancel", "batch", "die"}).Draw(r, "do"),
			rapid.IntRange(0, 7).Draw(r, "request"),
		}
	}), 1, 60)
	rapid.Check(t, func(r *rapid.T) {
		history := steps.Draw(r, "history")
		play(t, r, func(differ func(string, ...any)) { playPending(history, differ) })
	})
}

func playPending(history []step, differ func(string, ...any)) {
	process_ := newChild()
	link := stdiolink.New("model", stdiolink.Config{}, stdiolink.WithStarter(
		func(context.Context, stdiolink.Spec) (stdiolink.Child, error) { return process_, nil }))
	if err := link.Start(context.Background(), func(transporters.Link, mcp.Message) {}); err != nil {
		differ("start: %v", err)
		return
	}
	var (
		model   []*waiting
		ended   []<-chan outcome
		cancels []context.CancelFunc
		dead    bool
	)
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(process_.print, format+"\n", args...) }
	for _, s := range history {
		i := s.Request
		if s.Do != "begin" && s.Do != "die" && s.Do != "answer to nobody" && (len(model) == 0 || dead) {
			continue
		}
		if len(model) > 0 {
			i %= len(model)
		}
		id := i + 1
		decide := func(end string) {
			if model[i].end == "" {
				model[i].end = end
			}
		}
		switch s.Do {
		case "begin":
			ctx, cancel := context.WithCancel(context.Background())
			ended, cancels = append(ended, exchange(ctx, link, uint64(len(model)+1))), append(cancels, cancel)
			w := &waiting{}
			if dead {
				w.end = "death"
			}
			model = append(model, w)
		case "answer":
			say(`{"jsonrpc":"2.0","id":%d,"result":{"for":%d}}`, id, id)
			decide("answer")
		case "answer as a string":
			say(`{"jsonrpc":"2.0","id":"%d","result":{"for":%d}}`, id, id)
			decide("answer")
		case "refuse":
			say(`{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"for %d"}}`, id, id)
			decide("answer")
		case "answer to nobody":
			if !dead {
				say(`{"jsonrpc":"2.0","id":%d,"result":{}}`, 1000+i)
				say(`{"jsonrpc":"2.0","id":"x%d","result":{}}`, id)
				say(`{"jsonrpc":"2.0","id":null,"result":{}}`)
			}
		case "batch":
			say(`not a message`)
			say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, 1000+i)
		case "progress":
			params := fmt.Sprintf(`{"progressToken":%d,"progress":%d}`, id, len(model[i].events))
			say(`{"jsonrpc":"2.0","method":"notifications/progress","params":%s}`, params)
			if model[i].end == "" {
				model[i].events = append(model[i].events, params)
			}
		case "cancel":
			cancels[i]()
			decide("cancel")
		case "die":
			process_.die()
			dead = true
			for _, w := range model {
				if w.end == "" {
					w.end = "death"
				}
			}
		}
		synctest.Wait()
	}
	comparePending(model, ended, differ)
	if err := link.Close(context.Background()); err != nil {
		differ("close: %v", err)
	}
	synctest.Wait()
	for i, w := range model {
		cancels[i]()
		if w.end == "" {
			if o, is := now(ended[i]); !is || !errors.Is(o.err, errors.ErrTransportClosed) {
				differ("request %d at the close: %v %v", i+1, is, o.err)
			}
		}
	}
}

func comparePending(model []*waiting, ended []<-chan outcome, differ func(string, ...any)) {
	for i, w := range model {
		if w.end == "" {
			if len(ended[i]) != 0 {
				differ("request %d ended: %v", i+1, (<-ended[i]).err)
			}
			continue
		}
		o, is := now(ended[i])
		if !is {
			differ("request %d did not end; want %s", i+1, w.end)
			continue
		}
		var ok bool
		switch w.end {
		case "answer":
			ok = o.err == nil && (string(o.reply.Message.Result) == fmt.Sprintf(`{"for":%d}`, i+1) ||
				string(o.reply.Message.Error) == fmt.Sprintf(`{"code":1,"message":"for %d"}`, i+1))
		case "cancel":
			ok = errors.Is(o.err, context.Canceled)
		case "death":
			ok = errors.Is(o.err, errors.ErrPeerLost)
		}
		if !ok {
			differ("request %d: want %s, got %v %s", i+1, w.end, o.err, o.reply.Message.Raw)
		}
		if !slices.Equal(o.events, w.events) {
			differ("request %d: want events %q, got %q", i+1, w.events, o.events)
		}
	}
}
