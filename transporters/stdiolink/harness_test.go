//go:build unix

package stdiolink

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// soon bounds what should happen at once, on a busy machine.
const soon = 20 * time.Second

// testLink is a link to a test server.
type testLink struct {
	*Link
	t       *testing.T
	ids     atomic.Uint64
	log     *syncBuffer
	mu      sync.Mutex
	inbound []mcp.Message
}

func serve(t *testing.T, role string, change ...func(*Config)) *testLink {
	t.Helper()
	link := prepare(t, role, change...)
	require.NoError(t, link.Start(t.Context(), link.receive))
	return link
}

func prepare(t *testing.T, role string, change ...func(*Config)) *testLink {
	t.Helper()
	cfg := Config{
		Command:         []string{os.Args[0]},
		Env:             map[string]config.Secret{childRole: config.LiteralSecret(role)},
		ShutdownTimeout: config.Of(100 * time.Millisecond),
	}
	for _, f := range change {
		f(&cfg)
	}
	link := &testLink{t: t, log: &syncBuffer{}}
	logger := hclog.New(&hclog.LoggerOptions{Output: link.log, Level: hclog.Trace, DisableTime: true})
	link.Link = New("test", cfg, WithLogger(logger))
	t.Cleanup(func() { assert.NoError(t, link.Close(context.Background())) })
	return link
}

func (l *testLink) receive(_ transporters.Link, m mcp.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inbound = append(l.inbound, m)
}

// received returns the methods, or ids, of what went to the session.
func (l *testLink) received() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, m := range l.inbound {
		if m.Method != "" {
			out = append(out, m.Method)
		} else {
			out = append(out, "answer "+m.ID.String())
		}
	}
	return out
}

// call is a request with its sink.
type call struct {
	transporters.Outbound
	accepted, arrived atomic.Int32
	onEvent           func(mcp.Message)
	mu                sync.Mutex
	events            []mcp.Message
}

func (c *call) Accepted() { c.accepted.Add(1) }
func (c *call) Arrived()  { c.arrived.Add(1) }
func (c *call) Deliver(m mcp.Message) {
	c.mu.Lock()
	c.events = append(c.events, m)
	c.mu.Unlock()
	if c.onEvent != nil {
		c.onEvent(m)
	}
}

func (l *testLink) newCall(method string, params map[string]any) *call {
	id := l.ids.Add(1)
	c := &call{Outbound: transporters.Outbound{ID: id, Token: id, Method: method, WantEvents: true}}
	if params == nil {
		params = map[string]any{}
	}
	params["_meta"] = map[string]any{"progressToken": c.Token}
	frame, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	require.NoError(l.t, err)
	c.Frame = frame
	return c
}

func (l *testLink) do(c *call) (transporters.Reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	return l.Exchange(ctx, &c.Outbound, c)
}

// must makes a call that succeeds and returns result.text.
func (l *testLink) must(method string, params map[string]any) string {
	l.t.Helper()
	reply, err := l.do(l.newCall(method, params))
	require.NoError(l.t, err)
	return resultText(l.t, reply)
}

func resultText(t *testing.T, reply transporters.Reply) string {
	t.Helper()
	var result struct{ Text string }
	require.NoError(t, json.Unmarshal(reply.Message.Result, &result))
	return result.Text
}

func requireClosed(t *testing.T, channel <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-channel:
	case <-time.After(soon):
		require.FailNow(t, what)
	}
}

// syncBuffer is a log that several goroutines write.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
