package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
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
	"github.com/mcp-client-go/mcpclient/transporters"
)

// counted answers with the hints, and the number of the request.
type counted struct {
	hints string        // members of the result, with a comma behind
	takes time.Duration // for each request
	play  func(ctx context.Context, action string, onEvent transporters.EventFunc) (mcp.Result, error)

	mu    sync.Mutex
	count int
}

func (s *counted) Request(ctx context.Context, action string, _ any, onEvent transporters.EventFunc) (mcp.Result, error) {
	s.mu.Lock()
	s.count++
	n := s.count
	s.mu.Unlock()
	if s.takes > 0 {
		if err := pause(ctx, nil, s.takes); err != nil {
			kind := errors.KindCanceled
			if errors.Is(err, context.DeadlineExceeded) {
				kind = errors.KindTimeout
			}
			return mcp.Result{}, failureOf(kind, errors.DeliveryUnknown, err)
		}
	}
	if s.play != nil {
		if result, err := s.play(ctx, action, onEvent); err != nil || !result.IsZero() {
			return result, err
		}
	}
	raw := fmt.Appendf(nil, `{%s"n":%d}`, s.hints, n)
	if onEvent != nil {
		onEvent(mcp.Message{ID: mcp.NumberID(7), Result: raw})
	}
	return mcp.NewResult(raw), nil
}

func (s *counted) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// fakePeer is the end of a chain.
type fakePeer struct {
	mu          sync.Mutex
	generations map[string]Generation
	era         mcp.Era
	watches     []*fakeWatch
	refuses     error
	watchers    []string // principals
	handler     func(mcp.Message)
	closed      bool
	background  sync.WaitGroup
}

type fakeWatch struct {
	mu       sync.Mutex
	openings uint64
	done     chan struct{}
	closes   int
}

func (w *fakeWatch) Openings() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.openings
}

func (w *fakeWatch) reopen() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.openings++
}

func (w *fakeWatch) Done() <-chan struct{} { return w.done }

func (w *fakeWatch) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closes++
	return nil
}

func (p *fakePeer) Generation(principal string) Generation {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.generations[principal]
}

func (p *fakePeer) set(principal string, generation Generation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.generations == nil {
		p.generations = map[string]Generation{}
	}
	p.generations[principal] = generation
}

func (p *fakePeer) Era(context.Context) mcp.Era { return p.era }

func (p *fakePeer) Watch(ctx context.Context, filter mcp.SubscriptionFilter, handler func(mcp.Message)) (CacheWatch, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watchers = append(p.watchers, transporters.CallOptionsOf(ctx).Principal)
	p.handler = handler
	if p.refuses != nil {
		return nil, p.refuses
	}
	if !filter.ToolsListChanged || !filter.PromptsListChanged || !filter.ResourcesListChanged || transporters.CallOptionsOf(ctx).RequestTimeout != nil {
		return nil, errors.New("not what is wanted")
	}
	watch := &fakeWatch{openings: 1, done: make(chan struct{})}
	p.watches = append(p.watches, watch)
	return watch, nil
}

func (p *fakePeer) Background(f func()) bool {
	if p.closed {
		return false
	}
	p.background.Go(f)
	return true
}

func caching() CacheConfig { return CacheConfig{Enabled: true, MaxEntries: 100, MaxBytes: 1 << 20} }

// number makes a request and returns the number of the answer.
func number(t *testing.T, ctx context.Context, chain transporters.Transporter, action string, params any) int {
	t.Helper()
	result, err := chain.Request(ctx, action, params, nil)
	require.NoError(t, err)
	var answer struct{ N int }
	require.NoError(t, result.Decode(&answer))
	return answer.N
}

const minuteLong = `"resultType":"complete","ttlMs":60000,"cacheScope":"private",`

// R230, P67: how long a result is kept.
func TestCacheKeepsWhatTheServerSays(t *testing.T) {
	for name, test := range map[string]struct {
		hints  string
		era    mcp.Era
		cfg    CacheConfig
		action string
		want   time.Duration
	}{
		"ttlMs":                             {hints: `"ttlMs":60000,`, want: time.Minute},
		"server/discover":                   {hints: `"ttlMs":60000,`, action: "server/discover", want: time.Minute}, // P69
		"no ttlMs":                          {hints: ``},
		"0":                                 {hints: `"ttlMs":0,"cacheScope":"public",`},
		"negative":                          {hints: `"ttlMs":-5,`},
		"a fraction":                        {hints: `"ttlMs":1500.9,`, want: 1500 * time.Millisecond},
		"a text":                            {hints: `"ttlMs":"60000",`},
		"huge":                              {hints: `"ttlMs":9e300,`, want: 24 * time.Hour},
		"large":                             {hints: `"ttlMs":9223372036854775807,`, want: 24 * time.Hour},
		"longer than allowed":               {hints: `"ttlMs":7200000,`, cfg: CacheConfig{MaxTTL: config.Of(time.Hour)}, want: time.Hour},
		"hints of a legacy server":          {hints: `"ttlMs":60000,`, era: mcp.EraLegacy},
		"a legacy server, configured":       {era: mcp.EraLegacy, cfg: CacheConfig{TTL: map[string]config.Duration{"tools/list": config.Of(time.Second)}}, want: time.Second},
		"configured off":                    {era: mcp.EraLegacy, cfg: CacheConfig{TTL: map[string]config.Duration{"tools/list": config.Off()}}},
		"configured for another method":     {era: mcp.EraLegacy, cfg: CacheConfig{TTL: map[string]config.Duration{"prompts/list": config.Of(time.Second)}}},
		"a modern server that says nothing": {cfg: CacheConfig{TTL: map[string]config.Duration{"tools/list": config.Of(time.Second)}}, want: time.Second},
		"a modern server knows better":      {hints: `"ttlMs":0,`, cfg: CacheConfig{TTL: map[string]config.Duration{"tools/list": config.Of(time.Second)}}},
		"hints where they are not defined":  {hints: `"ttlMs":60000,`, action: "prompts/get"},
		"a prompt, configured":              {action: "prompts/get", cfg: CacheConfig{TTL: map[string]config.Duration{"prompts/get": config.Of(time.Second)}}, want: time.Second},
		"a call of a tool":                  {hints: `"ttlMs":60000,`, action: "tools/call"},
		"a question":                        {hints: `"resultType":"input_required","ttlMs":60000,`, action: "resources/read"}, // R229
		"a result type that nobody knows":   {hints: `"resultType":"partial","ttlMs":60000,`},
		"off":                               {hints: `"ttlMs":60000,`, cfg: CacheConfig{MaxEntries: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &counted{hints: test.hints}
				cfg := test.cfg
				cfg.Enabled, cfg.MaxEntries, cfg.MaxBytes = cfg.MaxEntries >= 0, 100, 1<<20
				chain := NewCache("s", cfg, CacheOptions{Peer: &fakePeer{era: test.era}}).Wrap(server)
				action := test.action
				if action == "" {
					action = "tools/list"
				}
				assert.Equal(t, 1, number(t, t.Context(), chain, action, nil))
				if test.want == 0 {
					assert.Equal(t, 2, number(t, t.Context(), chain, action, nil))
					return
				}
				time.Sleep(test.want - time.Millisecond)
				assert.Equal(t, 1, number(t, t.Context(), chain, action, nil))
				time.Sleep(time.Millisecond)
				assert.Equal(t, 2, number(t, t.Context(), chain, action, nil))
			})
		})
	}
}

// R228, P66: what a result is kept under.
func TestCacheTellsRequestsApart(t *testing.T) {
	as := func(change func(*transporters.CallOptions)) context.Context {
		return transporters.WithCallOptions(t.Context(), change)
	}
	meta := func(key string, value any) context.Context {
		return as(func(o *transporters.CallOptions) { o.Meta = map[string]any{key: value} })
	}
	plain := t.Context()
	for name, test := range map[string]struct {
		action, other string // methods; other is the same if empty
		first, second any    // params
		one, two      context.Context
		same          bool
		hints         string
	}{
		"the same":                        {first: nil, second: map[string]any{}, same: true},
		"another method":                  {other: "prompts/list"},
		"another page":                    {first: nil, second: map[string]any{"cursor": "2"}}, // R235
		"the empty cursor is a page":      {first: nil, second: map[string]any{"cursor": ""}},
		"another resource":                {action: "resources/read", first: map[string]any{"uri": "a"}, second: map[string]any{"uri": "b"}},
		"the same resource":               {action: "resources/read", first: map[string]any{"uri": "a"}, second: json.RawMessage(`{ "uri" : "\u0061" }`), same: true},
		"the order of members":            {first: json.RawMessage(`{"a":1,"b":{"c":[1,2],"d":2}}`), second: json.RawMessage(`{"b":{"d":2,"c":[1,2]},"a":1}`), same: true},
		"the order of an array":           {first: json.RawMessage(`{"a":[1,2]}`), second: json.RawMessage(`{"a":[2,1]}`)},
		"kinds":                           {first: json.RawMessage(`{"a":"1"}`), second: json.RawMessage(`{"a":1}`)},
		"a trace":                         {one: meta("traceparent", "00-1"), two: meta("traceparent", "00-2"), same: true},
		"a trace in the params":           {first: json.RawMessage(`{"_meta":{"traceparent":"1","progressToken":4}}`), second: nil, same: true},
		"a log level":                     {one: meta(mcp.MetaLogLevel, "info"), two: plain, same: true},
		"own _meta":                       {one: meta("com.example/tenant", 1), two: meta("com.example/tenant", 2)},
		"own _meta in the params":         {first: json.RawMessage(`{"_meta":{"x":1}}`), second: json.RawMessage(`{"_meta":{"x":2}}`)},
		"another principal":               {one: as(func(o *transporters.CallOptions) { o.Principal = "alice" }), two: as(func(o *transporters.CallOptions) { o.Principal = "bob" })},
		"a principal and nobody":          {one: as(func(o *transporters.CallOptions) { o.Principal = "self" }), two: plain},
		"another token":                   {one: as(func(o *transporters.CallOptions) { o.Principal, o.Token = "alice", "1" }), two: as(func(o *transporters.CallOptions) { o.Principal, o.Token = "alice", "2" })}, // R233
		"another header":                  {one: as(func(o *transporters.CallOptions) { o.Header = http.Header{"X-Tenant": {"1"}} }), two: as(func(o *transporters.CallOptions) { o.Header = http.Header{"X-Tenant": {"2"}} })},
		"a token that looks like another": {one: as(func(o *transporters.CallOptions) { o.Principal, o.Token = "a", "bc" }), two: as(func(o *transporters.CallOptions) { o.Principal, o.Token = "ab", "c" })},
		"public, another principal": {hints: `"ttlMs":60000,"cacheScope":"public",`, same: true,
			one: as(func(o *transporters.CallOptions) { o.Principal = "alice" }), two: as(func(o *transporters.CallOptions) { o.Token = "2" })},
		"public, another page":          {hints: `"ttlMs":60000,"cacheScope":"public",`, second: map[string]any{"cursor": "2"}},
		"any other scope is private":    {hints: `"ttlMs":60000,"cacheScope":"Public",`, one: as(func(o *transporters.CallOptions) { o.Principal = "alice" }), two: plain},
		"no scope is private":           {hints: `"ttlMs":60000,`, one: as(func(o *transporters.CallOptions) { o.Principal = "alice" }), two: plain},
		"_meta that cannot be compared": {one: meta("x", func() {}), two: meta("x", func() {})},
		"a continuation":                {action: "resources/read", first: map[string]any{"uri": "a", "requestState": "s"}, second: map[string]any{"uri": "a", "requestState": "s"}}, // R229
	} {
		t.Run(name, func(t *testing.T) {
			server := &counted{hints: minuteLong}
			if test.hints != "" {
				server.hints = test.hints
			}
			chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
			action, other := test.action, test.other
			if action == "" {
				action = "tools/list"
			}
			if other == "" {
				other = action
			}
			if test.one == nil {
				test.one, test.two = plain, plain
			}
			assert.Equal(t, 1, number(t, test.one, chain, action, test.first))
			want := 2
			if test.same {
				want = 1
			}
			assert.Equal(t, want, number(t, test.two, chain, other, test.second))
		})
	}
}

// Servers of one name that are configured differently share nothing in a store
// that they have in common.
func TestCacheTellsServersApart(t *testing.T) {
	store := NewMemoryCache(100, 1<<20)
	chain := func(name, identity string, server transporters.Transporter) transporters.Transporter {
		return NewCache(name, caching(), CacheOptions{Store: store, Identity: func() string { return identity }}).Wrap(server)
	}
	server := &counted{hints: minuteLong}
	assert.Equal(t, 1, number(t, t.Context(), chain("a", "x", server), "tools/list", nil))
	assert.Equal(t, 1, number(t, t.Context(), chain("a", "x", server), "tools/list", nil))
	assert.Equal(t, 2, number(t, t.Context(), chain("a", "y", server), "tools/list", nil))
	assert.Equal(t, 3, number(t, t.Context(), chain("b", "x", server), "tools/list", nil))
	assert.Equal(t, 4, number(t, t.Context(), chain("a:tools/list:-:self:-", "x", server), "tools/list", nil))
	assert.Len(t, strings.Split(store.entries.Keys()[3], ":"), 5, "no part has a colon in it")
}

// R229: a result that took a round is for the caller alone.
func TestCacheKeepsNothingThatTookARound(t *testing.T) {
	server := &counted{hints: minuteLong}
	server.play = func(_ context.Context, _ string, onEvent transporters.EventFunc) (mcp.Result, error) {
		onEvent(mcp.Message{Result: []byte(`{"resultType":"input_required","requestState":"s"}`)})
		return mcp.Result{}, nil
	}
	chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
	params := mcp.URIParams("a")
	assert.Equal(t, 1, number(t, t.Context(), chain, "resources/read", params))
	assert.Equal(t, 2, number(t, t.Context(), chain, "resources/read", params))
	server.play = nil
	assert.Equal(t, 3, number(t, t.Context(), chain, "resources/read", params))
	assert.Equal(t, 3, number(t, t.Context(), chain, "resources/read", params))
}

// Of an answer from the cache onEvent sees the answer; who wants to see what
// happens on the way makes the request itself.
func TestCacheAndEvents(t *testing.T) {
	server := &counted{hints: minuteLong}
	chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
	var seen []mcp.Message
	see := func(m mcp.Message) { seen = append(seen, m) }
	_, err := chain.Request(t.Context(), "tools/list", nil, see)
	require.NoError(t, err)
	require.Len(t, seen, 1)
	assert.Equal(t, "7", seen[0].ID.String())
	result, err := chain.Request(t.Context(), "tools/list", nil, see)
	require.NoError(t, err)
	require.Len(t, seen, 2)
	assert.Equal(t, string(result.Raw()), string(seen[1].Result))
	assert.Equal(t, `{"jsonrpc":"2.0","id":0,"result":`+string(result.Raw())+`}`, string(seen[1].Raw))
	assert.Equal(t, 1, server.requests())
	_, err = chain.Request(t.Context(), "resources/read", mcp.URIParams("a"), see)
	require.NoError(t, err)
	assert.Len(t, seen, 3, "the cache looks on as well")
}

// A fresh answer is fetched, and is what others get from then on.
func TestCacheFresh(t *testing.T) {
	server := &counted{hints: minuteLong}
	chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
	fresh := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Fresh = true })
	assert.Equal(t, 1, number(t, t.Context(), chain, "tools/list", nil))
	assert.Equal(t, 2, number(t, fresh, chain, "tools/list", nil))
	assert.Equal(t, 2, number(t, t.Context(), chain, "tools/list", nil))
}

// A store that fails is a miss, one that hangs is waited for only briefly, and
// what others wrote is looked at.
func TestCacheStoreFails(t *testing.T) {
	t.Run("errors", func(t *testing.T) {
		server := &counted{hints: minuteLong}
		store := &oddStore{get: func(context.Context) ([]byte, error) { return nil, errors.New("down") }}
		chain := NewCache("s", caching(), CacheOptions{Store: store}).Wrap(server)
		assert.Equal(t, 1, number(t, t.Context(), chain, "tools/list", nil))
		assert.Equal(t, 2, number(t, t.Context(), chain, "tools/list", nil))
	})
	t.Run("hangs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := &counted{hints: minuteLong}
			hang := func(ctx context.Context) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }
			cache := NewCache("s", caching(), CacheOptions{Store: &oddStore{get: hang}})
			began := time.Now()
			assert.Equal(t, 1, number(t, t.Context(), cache.Wrap(server), "tools/list", nil))
			assert.LessOrEqual(t, time.Since(began), 2*storeTimeout, "a look and a write")
			cache.Notify("", mcp.Message{Method: mcp.NotificationToolsListChanged})
			assert.LessOrEqual(t, time.Since(began), 2*storeTimeout+deleteTimeout)
		})
	})
	for _, value := range []string{"", "{", "[]", "7", `{"a":1} x`} {
		server := &counted{hints: minuteLong}
		store := &oddStore{get: func(context.Context) ([]byte, error) { return []byte(value), nil }}
		chain := NewCache("s", caching(), CacheOptions{Store: store}).Wrap(server)
		assert.Equal(t, 1, number(t, t.Context(), chain, "tools/list", nil), value)
	}
	store := &oddStore{get: func(context.Context) ([]byte, error) { return []byte(` {"n":9}`), nil }}
	assert.Equal(t, 9, number(t, t.Context(), NewCache("s", caching(), CacheOptions{Store: store}).Wrap(&counted{}), "tools/list", nil))
}

// oddStore does everything as get says.
type oddStore struct {
	get func(context.Context) ([]byte, error)
}

func (s *oddStore) Get(ctx context.Context, _, _ string) ([]byte, string, error) {
	value, err := s.get(ctx)
	return value, "", err
}

func (s *oddStore) Set(ctx context.Context, _ string, _ []byte, _ time.Duration, _ string) error {
	_, err := s.get(ctx)
	return err
}

func (s *oddStore) DeleteOf(ctx context.Context, _, _ []string) error {
	_, err := s.get(ctx)
	return err
}

func (s *oddStore) Delete(ctx context.Context, _ string) error {
	_, err := s.get(ctx)
	return err
}

// A result larger than a quarter of the room is not kept.
func TestCacheKeepsNothingTooLarge(t *testing.T) {
	cfg := caching()
	cfg.MaxBytes = 4000
	server := &counted{hints: minuteLong + `"x":"` + strings.Repeat("x", 1000) + `",`}
	chain := NewCache("s", cfg, CacheOptions{}).Wrap(server)
	assert.Equal(t, 1, number(t, t.Context(), chain, "tools/list", nil))
	assert.Equal(t, 2, number(t, t.Context(), chain, "tools/list", nil))
}

func TestCacheRefusesParamsThatDoNotEncode(t *testing.T) {
	_, err := NewCache("s", caching(), CacheOptions{}).Wrap(&counted{}).Request(t.Context(), "tools/list", []int{}, nil)
	require.ErrorIs(t, err, errors.ErrInvalidParams)
}

func TestCacheIsOffUnlessConfigured(t *testing.T) {
	var next counted
	assert.Same(t, &next, NewCache("s", CacheConfig{}, CacheOptions{}).Wrap(&next))
}
