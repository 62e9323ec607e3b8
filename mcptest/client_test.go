package mcptest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}`

const initializeParams = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`

// recorder is a sink that keeps what it gets.
type recorder struct {
	accepted, arrived atomic.Int32
	delivered         []mcp.Message
}

func (r *recorder) Accepted()             { r.accepted.Add(1) }
func (r *recorder) Arrived()              { r.arrived.Add(1) }
func (r *recorder) Deliver(m mcp.Message) { r.delivered = append(r.delivered, m) }

// linkClient speaks over any link by hand.
type linkClient struct {
	t      *testing.T
	link   transporters.Link
	ids    atomic.Uint64
	header http.Header

	mu      sync.Mutex
	inbound []mcp.Message
	came    chan mcp.Message
}

func newLinkClient(t *testing.T, link transporters.Link) *linkClient {
	t.Helper()
	c := &linkClient{t: t, link: link, came: make(chan mcp.Message, 100)}
	require.NoError(t, link.Start(t.Context(), func(_ transporters.Link, m mcp.Message) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.inbound = append(c.inbound, m)
		c.came <- m
	}))
	t.Cleanup(func() { require.NoError(t, link.Close(context.Background())) })
	return c
}

func (c *linkClient) outbound(method, params string, id uint64) *transporters.Outbound {
	frame := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	if id == 0 {
		frame = fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
	}
	var envelope struct {
		Params struct {
			Name string
			URI  string `json:"uri"`
			Meta struct {
				Token uint64 `json:"progressToken"`
			} `json:"_meta"`
		}
	}
	require.NoError(c.t, json.Unmarshal([]byte(frame), &envelope))
	return &transporters.Outbound{
		Frame: []byte(frame), ID: id, Token: envelope.Params.Meta.Token, Method: method,
		Name: envelope.Params.Name + envelope.Params.URI, Header: c.header, WantEvents: true,
	}
}

func (c *linkClient) exchange(ctx context.Context, method, params string) (transporters.Reply, *recorder, error) {
	sink := &recorder{}
	reply, err := c.link.Exchange(ctx, c.outbound(method, params, c.ids.Add(1)), sink)
	return reply, sink, err
}

func (c *linkClient) request(method, params string) (transporters.Reply, *recorder) {
	c.t.Helper()
	reply, sink, err := c.exchange(c.t.Context(), method, params)
	require.NoError(c.t, err)
	return reply, sink
}

func (c *linkClient) result(method, params string) string {
	c.t.Helper()
	reply, _ := c.request(method, params)
	require.Nil(c.t, reply.Message.Error, string(reply.Message.Raw))
	return string(reply.Message.Result)
}

func (c *linkClient) failure(method, params string) *mcp.Error {
	c.t.Helper()
	reply, _ := c.request(method, params)
	failure := reply.Message.Failure()
	require.NotNil(c.t, failure, string(reply.Message.Raw))
	return failure
}

func (c *linkClient) notify(method, params string) {
	c.t.Helper()
	require.NoError(c.t, c.link.Send(c.t.Context(), c.outbound(method, params, 0)))
}

func (c *linkClient) handshake() {
	c.t.Helper()
	reply, _ := c.request(mcp.MethodInitialize, initializeParams)
	require.Nil(c.t, reply.Message.Error, string(reply.Message.Raw))
	if c.link.Traits().HTTP {
		c.header = c.header.Clone()
		c.header.Set(mcp.HeaderProtocolVersion, "2025-11-25")
		if id := reply.Header.Get(mcp.HeaderSessionID); id != "" {
			c.header.Set(mcp.HeaderSessionID, id)
		}
	}
	c.notify(mcp.NotificationInitialized, `{}`)
}

// next waits for a message that belongs to no exchange.
func (c *linkClient) next() mcp.Message {
	c.t.Helper()
	select {
	case m := <-c.came:
		return m
	case <-time.After(5 * time.Second):
		require.FailNow(c.t, "nothing came in 5 s")
		return mcp.Message{}
	}
}

func jsonHeader() http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
}
