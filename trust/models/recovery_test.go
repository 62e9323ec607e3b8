package models

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// forgetful is the link to a server of 2025-11-25 that forgets its sessions.
type forgetful struct {
	connection
	mu         sync.Mutex
	session    int // the one it knows; 0 is none
	given      int
	handshakes int
	failing    int            // handshakes that it will refuse
	executed   map[string]int // calls, by text
	hold       chan struct{}  // calls are answered when it is closed; nil: at once
}

func (f *forgetful) Traits() transporters.Traits {
	return transporters.Traits{Name: "http", HTTP: true}
}

func (f *forgetful) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	sink.Accepted()
	f.mu.Lock()
	reply, hold := f.answer(out), f.hold
	f.mu.Unlock()
	if out.Method == mcp.MethodCallTool && reply.Status == http.StatusOK && hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return transporters.Reply{}, context.Cause(ctx)
		}
	}
	return reply, nil
}

func (f *forgetful) answer(out *transporters.Outbound) transporters.Reply {
	result := func(text string) transporters.Reply {
		return transporters.Reply{Status: http.StatusOK, Header: http.Header{}, Message: scan(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, out.ID, text))}
	}
	switch out.Method {
	case mcp.MethodDiscover:
		return transporters.Reply{Status: http.StatusBadRequest, Header: http.Header{}, Body: []byte("what?")}
	case mcp.MethodInitialize:
		f.handshakes++
		if f.failing > 0 {
			f.failing--
			return transporters.Reply{Status: http.StatusServiceUnavailable, Header: http.Header{}}
		}
		f.given++
		f.session = f.given
		reply := result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`)
		reply.Header.Set(mcp.HeaderSessionID, fmt.Sprint("s-", f.session))
		return reply
	default:
		if f.session == 0 || out.Header.Get(mcp.HeaderSessionID) != fmt.Sprint("s-", f.session) {
			return transporters.Reply{Status: http.StatusNotFound, Header: http.Header{}, Body: []byte("gone")}
		}
		text := textOf(out.Frame)
		f.executed[text]++
		return result(fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, text))
	}
}

// turn is a step of a history of a session.
type turn struct {
	Do    string
	Calls int
}

// Recovery: a session that is lost is begun anew once, however many callers met
// the loss, each of which then has its own answer; nothing is carried out twice;
// a recovery that fails fails its callers, and the next one begins anew (R101,
// P31).
func TestSessionRecovery(t *testing.T) {
	turns := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) turn {
		return turn{
			rapid.SampledFrom([]string{"call", "call", "call", "forget", "forget", "refuse the next handshake", "hold", "release"}).Draw(r, "do"),
			rapid.IntRange(1, 20).Draw(r, "calls"),
		}
	}), 1, 40)
	rapid.Check(t, func(r *rapid.T) {
		history := turns.Draw(r, "history")
		play(t, r, func(differ func(string, ...any)) { playRecovery(history, differ) })
	})
}

// called is a call and what the model says of it.
type called struct {
	text  string
	fails bool
	ended chan error
	got   string
}

func playRecovery(history []turn, differ func(string, ...any)) {
	server := &forgetful{connection: connection{done: make(chan struct{})}, executed: map[string]int{}}
	settings := session.DefaultSettings()
	settings.RequestTimeout, settings.MaxRequestTimeout = config.Of(time.Hour), config.Of(time.Hour)
	s := session.New("model", settings, server)
	var (
		open       []*called // calls that have not been looked at
		handshakes int       // that there must have been
		known      bool      // the session that the client has is known
		failing    int
		count      int
	)
	look := func(at int) {
		for _, c := range open {
			select {
			case err := <-c.ended:
				_, typed := errors.AsType[*errors.TransporterRequestError](err)
				switch {
				case c.fails && (err == nil || !typed):
					differ("step %d: %s: want an error of ours, got %v", at, c.text, err)
				case !c.fails && (err != nil || c.got != c.text):
					differ("step %d: %s: %v, answer %q", at, c.text, err, c.got)
				}
			default:
				differ("step %d: %s has not ended", at, c.text)
			}
		}
		open = nil
	}
	for i, step := range history {
		switch step.Do {
		case "forget":
			server.mu.Lock()
			server.session = 0
			server.mu.Unlock()
			known = false
		case "refuse the next handshake":
			server.mu.Lock()
			server.failing++
			server.mu.Unlock()
			failing++
		case "hold":
			server.mu.Lock()
			if server.hold == nil {
				server.hold = make(chan struct{})
			}
			server.mu.Unlock()
		case "release":
			server.mu.Lock()
			if server.hold != nil {
				close(server.hold)
				server.hold = nil
			}
			server.mu.Unlock()
			synctest.Wait()
			look(i)
		case "call":
			fails := false
			if !known {
				handshakes++
				if fails = failing > 0; fails {
					failing--
				}
				known = !fails
			}
			for range step.Calls {
				count++
				c := &called{text: fmt.Sprint("call ", count), fails: fails, ended: make(chan error, 1)}
				open = append(open, c)
				go c.run(s)
			}
			synctest.Wait()
			time.Sleep(11 * time.Second) // longer than any back-off
			synctest.Wait()
			server.mu.Lock()
			if server.handshakes != handshakes {
				differ("step %d: %d handshakes, want %d", i, server.handshakes, handshakes)
			}
			held := server.hold != nil
			server.mu.Unlock()
			if !held {
				look(i)
			}
		}
	}
	server.mu.Lock()
	if server.hold != nil {
		close(server.hold)
	}
	server.mu.Unlock()
	synctest.Wait()
	look(len(history))
	server.mu.Lock()
	for text, times := range server.executed {
		if times != 1 {
			differ("%s was carried out %d times", text, times)
		}
	}
	server.mu.Unlock()
	if err := s.Close(); err != nil {
		differ("close: %v", err)
	}
}

func (c *called) run(s *session.Session) {
	result, err := s.Request(context.Background(), mcp.MethodCallTool, map[string]any{"name": "echo", "arguments": map[string]any{"text": c.text}}, nil)
	if err == nil {
		var decoded struct{ Content []struct{ Text string } }
		if err = result.Decode(&decoded); err == nil && len(decoded.Content) == 1 {
			c.got = decoded.Content[0].Text
		}
	}
	c.ended <- err
}
