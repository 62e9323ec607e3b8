package mcptest_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/mcptest/clienttest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

func echoParams(text string) any {
	return map[string]any{"name": "echo", "arguments": map[string]any{"text": text}}
}

// Each fate of a request is what its name says, to the caller and to the peer.
func TestFates(t *testing.T) {
	always := func(set func(*mcptest.LinkFaults)) mcptest.LinkFaults {
		var faults mcptest.LinkFaults
		set(&faults)
		return faults
	}
	for name, test := range map[string]struct {
		faults mcptest.LinkFaults
		fate   string
		want   error
		served int
		retry  bool
	}{
		"refused": {always(func(f *mcptest.LinkFaults) { f.Refuse = 1 }), mcptest.FateRefused, errors.ErrNotSent, 0, true},
		"lost request": {always(func(f *mcptest.LinkFaults) { f.LoseRequest = 1 }), mcptest.FateLostRequest,
			errors.ErrRequestTimeout, 0, false},
		"lost answer": {always(func(f *mcptest.LinkFaults) { f.LoseAnswer = 1 }), mcptest.FateLostAnswer, errors.ErrRequestTimeout, 1, false},
		"reset":       {always(func(f *mcptest.LinkFaults) { f.Reset = 1 }), mcptest.FateReset, errors.ErrPeerLost, 0, false},
		"cut":         {always(func(f *mcptest.LinkFaults) { f.Cut = 1 }), mcptest.FateCut, io.ErrUnexpectedEOF, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := mcptest.NewDemoServer(mcptest.LegacyOnly())
				defer server.Close()
				link := mcptest.NewFaultyLink(server.Link(), test.faults)
				s := session.New("demo", session.Settings{}, link)
				_, err := s.Request(t.Context(), "tools/call", echoParams("x"), nil)
				require.ErrorIs(t, err, test.want)
				assert.Equal(t, test.retry, errors.SafeToRetry(err))
				assert.GreaterOrEqual(t, link.Injected()[test.fate], 1)
				assert.Equal(t, []string{test.fate}, slices.Collect(maps.Keys(link.Injected())))
				assert.Equal(t, test.served, server.Count("tools/call"))
				require.NoError(t, s.Close())
			})
		})
	}
}

// What befalls a request follows from the seed.
func TestFatesFollowFromTheSeed(t *testing.T) {
	run := func(seed uint64) string {
		server := mcptest.NewDemoServer()
		defer server.Close()
		link := mcptest.NewFaultyLink(server.Link(), mcptest.LinkFaults{Seed: seed, Refuse: 0.5, Methods: []string{"tools/call"}})
		s := session.New("demo", session.Settings{}, link)
		defer func() { _ = s.Close() }()
		var fates strings.Builder
		for range 40 {
			_, err := s.Request(t.Context(), "tools/call", echoParams("x"), nil)
			fmt.Fprint(&fates, err == nil)
		}
		refused := link.Injected()[mcptest.FateRefused]
		assert.Greater(t, refused, 10)
		assert.Less(t, refused, 70)
		return fates.String()
	}
	assert.Equal(t, run(1), run(1))
	assert.NotEqual(t, run(1), run(2))
}

func TestLatencyJitterAndDuplicates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.NewDemoServer(mcptest.ModernOnly())
		defer server.Close()
		link := mcptest.NewFaultyLink(server.Link(), mcptest.LinkFaults{Latency: time.Second, Jitter: time.Minute, Duplicate: 1})
		s := session.New("demo", session.Settings{}, link)
		defer func() { _ = s.Close() }()
		_, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		var calls sync.WaitGroup
		began := time.Now()
		for i := range 20 {
			calls.Go(func() {
				_, err := s.Request(t.Context(), "tools/call", echoParams(fmt.Sprint(i)), nil)
				assert.NoError(t, err)
			})
		}
		calls.Wait()
		assert.Greater(t, time.Since(began), 10*time.Second)
		assert.LessOrEqual(t, time.Since(began), 61*time.Second)
		var ids []uint64
		for _, received := range server.Received() {
			if received.Method == "tools/call" {
				id, _ := received.ID.Uint64()
				ids = append(ids, id)
			}
		}
		assert.Len(t, ids, 20)
		assert.False(t, slices.IsSorted(ids), "requests were put into another order")

		seen := look(s, "tools/call", map[string]any{"name": "slow", "arguments": map[string]any{"ms": 10, "steps": 2}})
		require.NoError(t, seen.err)
		assert.Len(t, seen.events, 5, "two reports, twice, and the answer")
		assert.Equal(t, 2, link.Injected()[mcptest.FateDuplicated])
	})
}

// Under supervision a link that keeps dying is replaced, and the client stays
// right: each call has its own answer or an error.
func TestAFaultyLinkUnderSupervision(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	seed := uint64(0)
	link := supervise.New("demo", &supervise.Config{MaxRestarts: 1000, RestartDelay: config.Off(), WaitForReconnect: config.Seconds(10)}, func(context.Context) (transporters.Link, error) {
		seed++
		return mcptest.NewFaultyLink(server.Link(), mcptest.LinkFaults{Seed: seed, Reset: 0.05, Cut: 0.05, Refuse: 0.1}), nil
	})
	s := session.New("demo", session.Settings{}, link)
	failed, served := 0, 0
	for i := range 200 {
		result, err := s.Request(t.Context(), "tools/call", echoParams(fmt.Sprint(i)), nil)
		if err != nil {
			failed++
			continue
		}
		served++
		require.Contains(t, string(result.Raw()), fmt.Sprintf(`"text":"%d"`, i))
	}
	assert.Positive(t, failed)
	assert.Greater(t, served, 50)
	require.NoError(t, s.Close())
	require.Empty(t, server.Violations())
}

func proxied(t *testing.T, faults mcptest.NetworkFaults) (*mcptest.FaultyProxy, *session.Session) {
	t.Helper()
	proxy := mcptest.StartFaultyProxy(t, mcptest.StartHTTP(t, mcptest.NewDemoServer()), faults)
	s := session.New("demo", session.Settings{}, httplink.New("demo", httplink.Config{BaseURL: proxy.URL()}))
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return proxy, s
}

func TestFaultyProxy(t *testing.T) {
	call := func(t *testing.T, s *session.Session, text string) error {
		result, err := s.Request(t.Context(), "tools/call", echoParams(text), nil)
		if err == nil {
			assert.Contains(t, string(result.Raw()), text)
		}
		return err
	}
	t.Run("pieces", func(t *testing.T) {
		_, s := proxied(t, mcptest.NetworkFaults{Pieces: 7, Latency: time.Microsecond})
		require.NoError(t, call(t, s, strings.Repeat("halves", 100)))
	})
	t.Run("reset", func(t *testing.T) {
		proxy, s := proxied(t, mcptest.NetworkFaults{})
		require.NoError(t, call(t, s, "x"))
		proxy.Reset()
		require.NoError(t, call(t, s, "y"), "a connection that was reset while idle does no harm")
		assert.Equal(t, 2, proxy.Connections())
	})
	t.Run("reset within the answer", func(t *testing.T) {
		_, s := proxied(t, mcptest.NetworkFaults{ResetAfter: 4000})
		require.NoError(t, call(t, s, "x"))
		err := call(t, s, strings.Repeat("long", 2000))
		require.ErrorIs(t, err, errors.ErrPeerLost)
		assert.False(t, errors.SafeToRetry(err))
	})
	t.Run("refuse", func(t *testing.T) {
		proxy, s := proxied(t, mcptest.NetworkFaults{})
		proxy.Refuse(true)
		require.Error(t, call(t, s, "x"))
		proxy.Refuse(false)
		require.Eventually(t, func() bool { return call(t, s, "x") == nil }, 10*time.Second, 10*time.Millisecond)
	})
	t.Run("every connection", func(t *testing.T) {
		proxy, s := proxied(t, mcptest.NetworkFaults{Reset: 1})
		require.Error(t, call(t, s, "x"))
		assert.Positive(t, proxy.Connections())
	})
	t.Run("stall", func(t *testing.T) {
		proxy, s := proxied(t, mcptest.NetworkFaults{})
		require.NoError(t, call(t, s, "x"))
		proxy.Stall(true)
		answered := make(chan error, 1)
		go func() { answered <- call(t, s, "late") }()
		select {
		case err := <-answered:
			t.Fatalf("answered through a stalled network: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		proxy.Stall(false)
		require.NoError(t, <-answered)
	})
	t.Run("no port", func(t *testing.T) {
		fake := &fakeTB{}
		mcptest.StartFaultyProxy(fake, "http://localhost/mcp", mcptest.NetworkFaults{})
		assert.Contains(t, fake.end()[0], "needs a URL with a port")
	})
}

// A process writes its lines in halves, and another dies within one.
func TestFaultyProcesses(t *testing.T) {
	client := clienttest.New(t, clienttest.Servers{
		"halves": mcptest.Process(t, "halves"), "mortal": mcptest.Process(t, "mortal"),
	})
	text := strings.Repeat("half ", 300)
	call := func(name string) (string, error) {
		result, err := clienttest.Connect(t, client, name).CallTool(t.Context(), "echo", map[string]any{"text": text})
		if err != nil {
			return "", err
		}
		return result.Text(), nil
	}
	echoed, err := call("halves")
	require.NoError(t, err)
	assert.Equal(t, text, echoed)

	_, err = call("mortal")
	require.ErrorIs(t, err, errors.ErrPeerLost)
	assert.ErrorContains(t, err, "cut as asked", "the end of what it wrote to stderr")
	assert.False(t, errors.SafeToRetry(err))
	require.NoError(t, clienttest.Connect(t, client, "mortal").Ping(t.Context()), "the next call starts another one")
}

// countingSink is a session's end of an exchange.
type countingSink struct{ delivered int }

func (*countingSink) Accepted()             {}
func (*countingSink) Arrived()              {}
func (s *countingSink) Deliver(mcp.Message) { s.delivered++ }

// A request of which nothing is heard ends with the link, whatever ends that.
func TestALostRequestEndsWithItsLink(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(*mcptest.Server, *mcptest.FaultyLink)
		want error
	}{
		"close": {func(_ *mcptest.Server, l *mcptest.FaultyLink) { _ = l.Close(context.Background()) }, errors.ErrTransportClosed},
		"death": {func(s *mcptest.Server, _ *mcptest.FaultyLink) { s.Kill(errors.New("out of memory")) }, errors.ErrPeerLost},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := mcptest.NewDemoServer()
				link := mcptest.NewFaultyLink(server.Link(), mcptest.LinkFaults{LoseRequest: 1})
				require.NoError(t, link.Start(t.Context(), func(transporters.Link, mcp.Message) {}))
				ended := make(chan error, 1)
				go func() {
					_, err := link.Exchange(context.Background(), &transporters.Outbound{ID: 1, Method: "tools/list"}, &countingSink{})
					ended <- err
				}()
				synctest.Wait()
				test.end(server, link)
				synctest.Wait()
				select {
				case err := <-ended:
					require.ErrorIs(t, err, test.want)
				default:
					t.Fatal("the request still waits")
				}
				require.ErrorIs(t, link.Err(), test.want)
				require.NoError(t, link.Close(context.Background()))
				server.Close()
			})
		})
	}
}
