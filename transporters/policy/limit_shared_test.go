package policy

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// downTurns is a store that does not answer in time.
type downTurns struct{ asked int }

func (d *downTurns) Turn(ctx context.Context, _ string, _ float64, _ int, _ time.Duration) (time.Duration, bool, error) {
	d.asked++
	<-ctx.Done()
	return 0, false, ctx.Err()
}

// replicas are limiters of several programs before one server.
func replicas(next transporters.Transporter, cfg LimitConfig, store TurnStore) (both []transporters.Transporter) {
	for range 2 {
		both = append(both, Limit("s", cfg, LimitOptions{Turns: store})(next))
	}
	return both
}

func TestASharedRateHoldsForAllTogether(t *testing.T) {
	for name, test := range map[string]struct {
		shared bool
		want   time.Duration // of 20 requests
	}{"shared": {true, 1900 * time.Millisecond}, "of each": {false, 900 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				peer := &counting{}
				both := replicas(peer, LimitConfig{Rate: 10, Burst: 1, Queue: 100, Shared: test.shared}, &MemoryTurns{})
				done := make(chan error)
				for i := range 20 {
					go func() {
						_, err := both[i%2].Request(t.Context(), mcp.MethodListTools, nil, nil)
						done <- err
					}()
				}
				for range 20 {
					require.NoError(t, <-done)
				}
				assert.Equal(t, test.want, peer.began[19].Sub(peer.began[0]))
			})
		})
	}
}

func TestSharedTurnsThatAreNotWaitedFor(t *testing.T) {
	request := func(ctx context.Context, l transporters.Transporter) *errors.TransporterRequestError {
		_, err := l.Request(ctx, mcp.MethodListTools, nil, nil)
		failure, ok := errors.AsType[*errors.TransporterRequestError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, errors.DeliveryNotSent, failure.Delivery)
		return failure
	}
	for name, test := range map[string]struct {
		queue int
		says  string
	}{
		"its turn comes too late": {100, `limits, rate 1/s: its turn comes in 1m40s, later than limits.wait`},
		"nobody may wait":         {0, `limits, rate 1/s: 0 requests are waiting already (limits.queue)`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &MemoryTurns{}
				both := replicas(&counting{}, LimitConfig{Rate: 1, Burst: 1, Queue: test.queue, Shared: true}, store)
				for range 100 {
					_, taken, err := store.Turn(t.Context(), "s:limits", 1, 1, time.Hour)
					require.True(t, taken && err == nil)
				}
				failure := request(t.Context(), both[0])
				require.ErrorIs(t, failure, errors.ErrLimited)
				assert.Equal(t, test.says, failure.Message)
				assert.Equal(t, 100*time.Second, failure.RetryAfter)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // the caller gives up
		both := replicas(&counting{}, LimitConfig{Rate: 1, Burst: 1, Queue: 9, Shared: true}, &MemoryTurns{})
		_, err := both[0].Request(t.Context(), mcp.MethodListTools, nil, nil)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second/2, cancel)
		failure := request(ctx, both[1])
		require.ErrorIs(t, failure, context.Canceled)
	})
}

// A store that is down costs each request a short wait at most; the rate then holds
// for each program.
func TestSharedRatesWithoutTheirStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer, store := &counting{}, &downTurns{}
		l := Limit("s", LimitConfig{Rate: 1, Burst: 2, Queue: 9, Shared: true}, LimitOptions{Turns: store})(peer)
		began := time.Now()
		for range 3 {
			_, err := l.Request(t.Context(), mcp.MethodListTools, nil, nil)
			require.NoError(t, err)
		}
		assert.Equal(t, 3, store.asked)
		assert.Equal(t, 3, len(peer.began))
		assert.LessOrEqual(t, time.Since(began), 3*storeTimeout+time.Second)
		assert.GreaterOrEqual(t, time.Since(began), 3*storeTimeout, "it was asked each time")
	})
}

func TestWhatCanBeShared(t *testing.T) {
	for text, want := range map[string]string{
		"{shared: true, rate: 5}":                           "",
		"{shared: true, tools: [{match: a, rate: 1}]}":      "",
		"{shared: false, in_flight: 5}":                     "",
		"{shared: true, in_flight: 5}":                      "there is no rate to share",
		"{shared: true, tools: [{match: a, in_flight: 1}]}": "there is no rate to share",
	} {
		cfg, err := config.Parse("a.yaml", []byte("servers: {s: {limits: "+text+"}}"))
		require.NoError(t, err)
		section, _ := cfg.Server("s")
		var keys struct {
			Limit LimitConfig `config:"limits"`
		}
		require.Empty(t, section.Decode(&keys))
		faults := keys.Limit.Check(section)
		if want == "" {
			assert.Empty(t, faults, text)
		} else if assert.Len(t, faults, 1, text) {
			assert.Equal(t, want, faults[0].Message, text)
		}
	}
}
