package models

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// play runs a history, drawn before, in a bubble of time. What differs from the
// model fails the history.
func play(outer *testing.T, history *rapid.T, run func(differ func(format string, args ...any))) {
	var differences []string
	synctest.Test(outer, func(*testing.T) {
		run(func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) })
	})
	if len(differences) > 0 {
		history.Fatalf("%q", differences)
	}
}

// outcome is how a call ended.
type outcome struct {
	reply  transporters.Reply
	err    error
	events []string
}

// sink keeps what it is told.
type sink struct{ events []string }

func (s *sink) Accepted()             {}
func (s *sink) Arrived()              {}
func (s *sink) Deliver(m mcp.Message) { s.events = append(s.events, string(m.Params)) }

// exchange begins an exchange, whose outcome comes through the channel.
func exchange(ctx context.Context, link transporters.Link, id uint64) <-chan outcome {
	ended := make(chan outcome, 1)
	go func() {
		s := &sink{}
		frame := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"_meta":{"progressToken":%d}}}`, id, id)
		reply, err := link.Exchange(ctx, &transporters.Outbound{Frame: frame, ID: id, Token: id, Method: "tools/call", WantEvents: true}, s)
		ended <- outcome{reply, err, s.events}
	}()
	return ended
}

// now returns the outcome, if there is one yet.
func now(ended <-chan outcome) (outcome, bool) {
	select {
	case o := <-ended:
		return o, true
	default:
		return outcome{}, false
	}
}

// scan reads a message as links do.
func scan(text string) mcp.Message {
	m, err := jsonrpc.Scan([]byte(text))
	if err != nil {
		panic(err)
	}
	return m
}

// arguments of a frame.
func textOf(frame []byte) string {
	var m struct {
		Params struct{ Arguments struct{ Text string } }
	}
	if err := json.Unmarshal(frame, &m); err != nil {
		panic(err)
	}
	return m.Params.Arguments.Text
}
