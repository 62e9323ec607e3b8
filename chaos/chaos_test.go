package chaos

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func TestMain(m *testing.M) {
	mcptest.ServeProcess(map[string]func() *mcptest.Server{
		"kept": func() *mcptest.Server { return newKeptServer() },
	})
	goleak.VerifyTestMain(m)
}

const (
	handlers    = 1000
	maxResponse = 100 << 10
	// usedUp is how many calls a session lives at least: all that met a loss are
	// to get through before the next one, for a call may lose one session only.
	usedUp = handlers
	// atLeast is the part of the calls that must be answered.
	atLeast = 0.6
)

func seed(t *testing.T) uint64 {
	given := uint64(time.Now().UnixNano())
	if text := os.Getenv("CHAOS_SEED"); text != "" {
		var err error
		given, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	t.Logf("CHAOS_SEED=%d", given)
	return given
}

func TestChaos(t *testing.T) {
	for name, era := range map[string]mcptest.Option{"legacy": mcptest.LegacyOnly(), "modern": mcptest.ModernOnly()} {
		t.Run(name+", our transport", func(t *testing.T) { chaos(t, era, nil, 3) })
		t.Run(name+", a user's transport", func(t *testing.T) {
			base := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: handlers}
			defer base.CloseIdleConnections()
			counted := &bodies{base: base}
			chaos(t, era, counted, 2)
			require.Positive(t, counted.total.Load())
			require.Zero(t, counted.open.Load(), "bodies that were not closed")
		})
	}
}

// tally is what became of the calls.
type tally struct {
	mu       sync.Mutex
	answered int
	outcomes map[string]int
}

func (c *tally) add(outcome string, answered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcomes[outcome]++
	if answered {
		c.answered++
	}
}

// chaos runs all handlers, each with that many calls, through the round tripper or, without one, through
// the client's own transport.
func chaos(t *testing.T, era mcptest.Option, roundTripper *bodies, calls int) {
	before := goleak.IgnoreCurrent()
	seed := seed(t)
	server := newServer(seed, era)
	var connections sockets
	endpoint := httptest.NewUnstartedServer(server)
	endpoint.Config.ConnState = connections.changed
	endpoint.Config.ErrorLog = log.New(io.Discard, "", 0)
	endpoint.Start()
	defer func() {
		server.Close()
		endpoint.Close()
		goleak.VerifyNone(t, before)
	}()
	var options []mcpclient.Option
	if roundTripper != nil {
		options = append(options, mcpclient.WithRestyClient(resty.NewWithClient(&http.Client{Transport: roundTripper})))
	}
	client, connection := connect(t, endpoint.URL, options...)
	sub, err := connection.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
	require.NoError(t, err)

	stop := make(chan struct{})
	var forgetting sync.WaitGroup
	forgetting.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				server.forget(usedUp)
			}
		}
	})
	results := tally{outcomes: map[string]int{}}
	started := make(chan struct{})
	var handling sync.WaitGroup
	for i := range handlers {
		h := handler{t: t, connection: connection, number: i, random: rand.New(rand.NewPCG(seed, uint64(i)+1)), calls: calls, results: &results}
		handling.Go(func() {
			<-started
			h.run()
		})
	}
	close(started)
	handling.Wait()
	close(stop)
	forgetting.Wait()
	require.NoError(t, connection.Ping(t.Context()), "it works on, and has noticed the last loss")

	t.Logf("%d of %d answered, %d sessions lost: %v", results.answered, handlers*calls, server.losses, results.outcomes)
	assert.GreaterOrEqual(t, float64(results.answered), atLeast*float64(handlers*calls))
	judge(t, server, connection)
	require.NoError(t, sub.Close())
	require.NoError(t, client.Close())
	if roundTripper != nil {
		roundTripper.base.(*http.Transport).CloseIdleConnections()
	}
	assert.Eventually(t, func() bool { return connections.count() == 0 }, 10*time.Second, time.Millisecond, "sockets are left open")
}

// judge compares what server and client counted.
func judge(t *testing.T, server *server, connection *mcpclient.Connection) {
	server.mu.Lock()
	defer server.mu.Unlock()
	stats := connection.Stats()
	handshakes, probes := 1, 2 // a modern server is asked again by Ping
	if server.Count(mcp.MethodInitialize) > 0 {
		handshakes, probes = 1+server.losses, 1
		assert.Equal(t, handshakes, server.Count(mcp.MethodInitialize), "one handshake for each loss")
		assert.Positive(t, server.losses)
	}
	assert.Equal(t, probes, server.Count(mcp.MethodDiscover))
	assert.EqualValues(t, handshakes, stats.Handshakes)
	assert.EqualValues(t, server.losses, stats.SessionsLost)
	assert.Zero(t, stats.InFlight)
	assert.Empty(t, server.Violations())
	for key, times := range server.executed {
		assert.LessOrEqual(t, times, 1, "%s was carried out more than once", key)
	}
}

func connect(t *testing.T, address string, options ...mcpclient.Option) (*mcpclient.Client, *mcpclient.Connection) {
	cfg, err := config.FromServers(map[string]any{"chaos": map[string]any{
		"type": "http", "base_url": address, "max_response_bytes": maxResponse,
	}})
	require.NoError(t, err)
	client, err := mcpclient.New(cfg, options...)
	require.NoError(t, err)
	require.Empty(t, client.Problems())
	connection, err := client.Connect("chaos")
	require.NoError(t, err)
	return client, connection
}

// handler is one of the web backend's.
type handler struct {
	t          *testing.T
	connection *mcpclient.Connection
	number     int
	calls      int // how many it makes
	random     *rand.Rand
	results    *tally
}

func (h *handler) run() {
	all := plans()
	for i := range h.calls {
		h.call(choose(all, h.random), fmt.Sprintf("call %d of handler %d", i, h.number))
	}
}

// call makes one call, whose answer and reports must bear its key.
func (h *handler) call(p *plan, key string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if p.leaves {
		defer time.AfterFunc(time.Duration(h.random.IntN(20))*time.Millisecond, cancel).Stop()
	}
	options := append(p.options(), mcpclient.OnProgress(func(report mcp.Progress) {
		assert.Equal(h.t, key, report.Message, "progress of another call")
	}))
	result, err := h.connection.CallTool(ctx, "echo", arguments{Key: key, Plan: p.name}, options...)
	if wrong := p.judge(err); wrong != "" {
		h.t.Errorf("%s, %s: %s: %v", key, p.name, wrong, err)
	}
	if err != nil {
		outcome := p.name
		if errors.Is(err, errors.ErrSessionLost) {
			outcome = "session lost"
		}
		h.results.add(outcome, false)
		return
	}
	assert.Equal(h.t, key, result.Text(), "the answer of another call")
	h.results.add("answered", true)
}
