package policy

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// The chaos test sends many callers through all policies at once to a server that
// has every fault there is, one after the other and then all over again, and asks
// whether the budgets hold: how much the server is asked, how often a call may
// run, when the circuit opens and closes, how many callers get an answer, and how
// much is kept in memory. Its clock is that of a bubble.

const (
	chaosCallers  = 24
	chaosCycles   = 3
	chaosPhase    = 6 * time.Second
	chaosAttempts = 3
	chaosInFlight = 16
	chaosFailures = 10
	chaosOpenFor  = 2 * time.Second
	chaosDeadline = 3 * time.Second
	chaosCache    = 4 << 20
	chaosBig      = 256 << 10
)

// The phases of the server, in their order.
const (
	phaseWell = iota
	phaseSlow
	phaseDead
	phaseFlapping
	phase429
	phaseBig
	phases
)

// chaosServer behaves according to the phase.
type chaosServer struct {
	began time.Time

	mu      sync.Mutex
	running int
	most    int
	flap    int
	seen    [phases]int    // requests
	pings   [phases]int    // of those
	ran     map[string]int // how often a call of a tool was carried out, by its id
}

func (s *chaosServer) phase() int { return int(time.Since(s.began)/chaosPhase) % phases }

func (s *chaosServer) Request(ctx context.Context, action string, params any, _ transporters.EventFunc) (mcp.Result, error) {
	encoded, err := mcp.ParamsOf(params)
	if err != nil {
		return mcp.Result{}, err
	}
	phase := s.enter(action)
	defer s.leave()
	takes := 20 * time.Millisecond
	switch phase {
	case phaseSlow:
		takes = time.Second
	case phaseDead:
		return mcp.Result{}, failureOf(errors.KindTransport, errors.DeliveryNotSent, errors.ErrNotSent)
	case phaseFlapping:
		if failure := s.flaps(action, encoded); failure != nil {
			return mcp.Result{}, failure
		}
	case phase429:
		if rand.IntN(3) > 0 {
			return mcp.Result{}, status(http.StatusTooManyRequests, 200*time.Millisecond)
		}
	}
	s.run(action, encoded)
	if err := pause(ctx, nil, takes); err != nil {
		return mcp.Result{}, waitFailure("s", action, "", err)
	}
	return s.answer(action, phase), nil
}

func (s *chaosServer) enter(action string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	phase := s.phase()
	s.running++
	s.most = max(s.most, s.running)
	s.seen[phase]++
	if action == mcp.MethodPing {
		s.pings[phase]++
	}
	return phase
}

func (s *chaosServer) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// flaps loses every third request: before it was carried out, or after.
func (s *chaosServer) flaps(action string, params *mcp.Params) error {
	s.mu.Lock()
	s.flap++
	isLost := s.flap%3 == 0
	tookIt := s.flap%2 == 0
	s.mu.Unlock()
	switch {
	case !isLost:
		return nil
	case tookIt:
		s.run(action, params)
		return failureOf(errors.KindTransport, errors.DeliveryUnknown, errors.ErrPeerLost)
	default:
		return failureOf(errors.KindTransport, errors.DeliveryNotSent, errors.ErrNotSent)
	}
}

func (s *chaosServer) run(action string, params *mcp.Params) {
	if action != mcp.MethodCallTool {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran[params.Name()+" "+string(params.Arguments())]++
}

func (s *chaosServer) answer(action string, phase int) mcp.Result {
	text := "x"
	if phase == phaseBig {
		text = strings.Repeat("x", chaosBig)
	}
	switch action {
	case mcp.MethodListTools:
		return mcp.NewResult([]byte(`{"ttlMs":500,"cacheScope":"public","tools":[{"name":"plain"},{"name":"idempotent","annotations":{"idempotentHint":true}}]}`))
	case mcp.MethodReadResource:
		return mcp.NewResult([]byte(`{"ttlMs":60000,"contents":[{"text":"` + text + `"}]}`))
	default:
		return mcp.NewResult([]byte(`{"content":[{"type":"text","text":"` + text + `"}]}`))
	}
}

// outcomes counts what became of the calls.
type outcomes struct {
	mu       sync.Mutex
	calls    int
	answered int
	failures map[string]int
}

func (o *outcomes) note(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls++
	switch {
	case err == nil:
		o.answered++
	case errors.Is(err, errors.ErrCircuitOpen):
		o.failures["circuit open"]++
	case errors.Is(err, errors.ErrLimited):
		o.failures["limited"]++
	case errors.Is(err, context.DeadlineExceeded):
		o.failures["deadline"]++
	case errors.Is(err, errors.ErrPeerLost), errors.Is(err, errors.ErrNotSent):
		o.failures["lost"]++
	default:
		failure, _ := errors.AsType[*errors.TransporterRequestError](err)
		o.failures[fmt.Sprint(failure.Kind, failure.Status)]++
	}
}

func TestChaosThroughAllPolicies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &chaosServer{began: time.Now(), ran: map[string]int{}}
		var log bytes.Buffer
		logger := hclog.New(&hclog.LoggerOptions{Output: &log, Level: hclog.Info, DisableTime: true})
		catalogue := NewToolCatalogue("s", logger, nil)
		store := NewMemoryCache(1000, chaosCache)
		cfg := CacheConfig{Enabled: true, MaxEntries: 1000, MaxBytes: chaosCache}
		chain := transporters.Chain(server,
			NewToolPins("s", PinConfig{Pin: PinRefuse}, nil, logger).Wrap,
			Filter("s", denyTools("danger*")),
			Output("s", OutputConfig{}, logger, catalogue),
			Deadline(DeadlineConfig{RequestTimeout: 2 * time.Second, MaxRequestTimeout: chaosDeadline}),
			NewCache("s", cfg, CacheOptions{Store: store, Peer: &fakePeer{era: mcp.EraModern}, MaxRequestTimeout: chaosDeadline, Logger: logger}).Wrap,
			Retry("s", RetryConfig{Attempts: chaosAttempts}, RetryOptions{
				Check: DefaultCheckRetry(catalogue.IsIdempotent), MaxRequestTimeout: chaosDeadline, Logger: logger,
				Backoff: ExponentialBackoff(50*time.Millisecond, 500*time.Millisecond, nil),
			}),
			Breaker("s", BreakerConfig{Failures: chaosFailures, OpenFor: config.Of(chaosOpenFor), Probes: 1}, logger),
			Limit("s", LimitConfig{InFlight: chaosInFlight, Rate: 1000, Queue: 100, Wait: config.Of(time.Second),
				Tools: []ToolLimit{{Match: "plain", InFlight: chaosInFlight / 2}}}, LimitOptions{MaxRequestTimeout: chaosDeadline}),
		)
		_, err := chain.Request(t.Context(), mcp.MethodListTools, nil, nil)
		require.NoError(t, err)

		o := &outcomes{failures: map[string]int{}}
		var heap [chaosCycles]uint64
		var callers sync.WaitGroup
		for n := range chaosCallers {
			callers.Go(func() { call(t, chain, o, server, n) })
		}
		for cycle := range chaosCycles {
			time.Sleep(time.Until(server.began.Add(time.Duration(cycle+1)*phases*chaosPhase - time.Second)))
			heap[cycle] = heapInUse()
		}
		callers.Wait()
		judge(t, server, o, log.String(), heap, store)
	})
}

// call is one caller: it makes one call after the other, each with a deadline.
func call(t *testing.T, chain transporters.Transporter, o *outcomes, server *chaosServer, n int) {
	random := rand.New(rand.NewPCG(uint64(n), 7))
	end := server.began.Add(chaosCycles * phases * chaosPhase)
	for i := 0; time.Now().Before(end); i++ {
		ctx, cancel := context.WithTimeout(t.Context(), chaosDeadline)
		ctx = transporters.WithCallOptions(ctx, func(options *transporters.CallOptions) { options.Principal = fmt.Sprint("p", n%4) })
		var err error
		tool := func(name string) map[string]any {
			return map[string]any{"name": name, "arguments": map[string]int{"caller": n, "call": i}}
		}
		switch kind := random.IntN(10); {
		case kind < 2:
			_, err = chain.Request(ctx, mcp.MethodListTools, nil, nil)
		case kind < 5:
			_, err = chain.Request(ctx, mcp.MethodReadResource, mcp.URIParams(fmt.Sprint("r", random.IntN(50))), nil)
		case kind < 9:
			_, err = chain.Request(ctx, mcp.MethodCallTool, tool("plain"), nil)
		default:
			_, err = chain.Request(ctx, mcp.MethodCallTool, tool("idempotent"), nil)
		}
		cancel()
		o.note(err)
		time.Sleep(time.Duration(100+random.IntN(200)) * time.Millisecond)
	}
}

func judge(t *testing.T, server *chaosServer, o *outcomes, log string, heap [chaosCycles]uint64, store *MemoryCache) {
	seen := 0
	for _, n := range server.seen {
		seen += n
	}
	t.Logf("%d calls, %d answered, %v; %d requests, by phase %v, %v pings; heap %v", o.calls, o.answered, o.failures, seen, server.seen, server.pings, heap)
	assert.Greater(t, o.calls, 3000)
	assert.GreaterOrEqual(t, 2*o.answered, o.calls, "at least half of the calls are answered")
	assert.LessOrEqual(t, seen, chaosAttempts*o.calls, "nothing is asked more often than configured")
	assert.LessOrEqual(t, server.most, chaosInFlight)

	// While the server is dead it is asked as long as it takes to open the circuit
	// (the row ends a few times, where answers from before still come in), and then
	// once in a while. Without the circuit it would be thousands of times.
	most := chaosCycles * (5*chaosFailures + chaosInFlight + int(chaosPhase/chaosOpenFor) + 1)
	assert.LessOrEqual(t, server.seen[phaseDead], most)
	opened := strings.Count(log, "the circuit is open")
	assert.GreaterOrEqual(t, opened, chaosCycles)
	assert.GreaterOrEqual(t, strings.Count(log, "the circuit is closed"), chaosCycles)
	for _, phase := range []int{phaseWell, phaseSlow, phase429, phaseBig} {
		assert.LessOrEqual(t, server.pings[phase], chaosCycles, "the circuit is not open in phase %d", phase)
	}

	for id, times := range server.ran {
		if strings.HasPrefix(id, "plain") {
			require.Equal(t, 1, times, "a call that may have run is not made again: %s", id)
		}
		require.LessOrEqual(t, times, chaosAttempts, id)
	}
	_, bytes := store.Len()
	assert.LessOrEqual(t, bytes, chaosCache)
	assert.Less(t, heap[chaosCycles-1], heap[0]+chaosCache+4<<20, "memory is flat, the cache aside")
}

// heapInUse is the memory that is reachable. The bubble's clock stands still
// meanwhile.
func heapInUse() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
