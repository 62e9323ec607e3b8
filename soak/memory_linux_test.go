package soak

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// memory is a server in this program. Its deaths, and its replacements, take no
// time, so that hundreds of them happen in a second, and each race between a
// death, the replacement and a call gets its chance.
type memory struct {
	server *mcptest.Server

	mu      sync.Mutex
	reached map[string]int
}

func newMemory(options ...mcptest.Option) *memory {
	m := &memory{server: mcptest.NewServer(append(options, mcptest.WithReceivedLimit(0))...), reached: map[string]int{}}
	m.server.AddTool(mcp.Tool{Name: "work"}, m.work)
	m.server.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "soak://item/{id}", Name: "item"}, m.read)
	return m
}

func (m *memory) note(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reached[id]++
}

func (m *memory) work(ctx context.Context, call *mcptest.Call) (any, error) {
	var arguments workArguments
	if err := call.Decode(&arguments); err != nil {
		return nil, err
	}
	m.note(arguments.Call)
	call.Progress(1, 1, arguments.Call)
	timer := time.NewTimer(time.Duration(arguments.Ms) * time.Millisecond / 20)
	defer timer.Stop()
	select {
	case <-timer.C:
		return answer(arguments.Call, arguments.Size), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (m *memory) read(_ context.Context, uri string) (any, error) {
	id := strings.TrimPrefix(uri, "soak://item/")
	m.note(id)
	return answer(id, 0), nil
}

// TestSoakInMemory: the same callers, and deaths in quick succession.
func TestSoakInMemory(t *testing.T) {
	length, full := duration(t)
	for name, options := range map[string][]mcptest.Option{"modern": nil, "legacy": {mcptest.LegacyOnly()}} {
		t.Run(name, func(t *testing.T) {
			before := takeInventory(t)
			m := newMemory(options...)
			link := supervise.New("soak", &supervise.Config{
				MaxRestarts: 1_000_000_000, RestartDelay: config.Of(0), WaitForReconnect: config.Of(20 * time.Second),
			}, func(context.Context) (transporters.Link, error) { return m.server.Link(), nil })
			s := session.New("soak", session.Settings{}, link, session.WithRetryLostRequests(true))
			const wantKills = 11
			var kills atomic.Int32
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for {
					select {
					case <-stop:
						return
					case <-time.After(rand.N(5 * time.Millisecond)):
						if s.State() == transporters.StateReady {
							kills.Add(1)
							m.server.Kill(errors.New("killed"))
						}
					}
				}
			}()
			begun := time.Now()
			records := run(mcpclient.NewConnection("soak", s), workOrRead, func() bool {
				return time.Since(begun) < length/8+shortRun/4 || kills.Load() < wantKills && time.Since(begun) < length+time.Minute
			})
			close(stop)
			<-stopped
			require.NoError(t, s.Close())
			m.server.Close()

			noted := journals{reached: m.reached, ends: map[string]int{"killed": int(kills.Load())}, violations: m.server.Violations()}
			report(t, time.Since(begun), records, noted)
			assert.GreaterOrEqual(t, int(kills.Load()), wantKills, "too few kills")
			if full { // in a short run one is rare enough to be luck
				assert.Zero(t, lostReads(records), "calls that only read state are sent again")
			}
			checkRecords(t, records)
			checkReached(t, records, noted)
			before.check(t, nil)
		})
	}
}
