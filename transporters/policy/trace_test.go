package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// TestTraceMergesIntoMeta: R026; the call's own members win.
func TestTraceMergesIntoMeta(t *testing.T) {
	parsed, err := ParseTraceparent(parent)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		hook   map[string]any
		own    map[string]any // of the call's options
		params string
		want   string // the options' _meta afterwards
		log    string
	}{
		"all three":                     {hook: map[string]any{"traceparent": parent, "tracestate": "a=1,b@c=2", "baggage": "user=alice%20b;ttl=5, k = v"}, want: `{"traceparent":"` + parent + `","tracestate":"a=1,b@c=2","baggage":"user=alice%20b;ttl=5, k = v"}`},
		"typed":                         {hook: map[string]any{"traceparent": parsed}, want: `{"traceparent":"` + parent + `"}`},
		"others pass as they are":       {hook: map[string]any{"com.example/x": 7}, want: `{"com.example/x":7}`},
		"nothing":                       {hook: nil, own: map[string]any{"a": 1}, want: `{"a":1}`},
		"the options win":               {hook: map[string]any{"traceparent": parent, "b": 2}, own: map[string]any{"traceparent": "own", "a": 1}, want: `{"traceparent":"own","a":1,"b":2}`},
		"the params win":                {hook: map[string]any{"traceparent": parent, "tracestate": "a=1"}, params: `{"_meta":{"traceparent":"own"}}`, want: `{"tracestate":"a=1"}`},
		"a bad traceparent":             {hook: map[string]any{"traceparent": "00-x", "tracestate": "a=1", "k": 1}, want: `{"k":1}`, log: `key=traceparent error="found \"00-x\"; allowed: 00-<32 lowercase hex digits>-<16>-<2>"`},
		"a tracestate alone":            {hook: map[string]any{"tracestate": "a=1"}, want: `null`, log: "there is no traceparent beside it"},
		"a bad tracestate":              {hook: map[string]any{"traceparent": parent, "tracestate": "A=1"}, want: `{"traceparent":"` + parent + `"}`, log: "key=tracestate"},
		"a bad baggage":                 {hook: map[string]any{"baggage": "a b=c"}, want: `null`, log: "key=baggage"},
		"a value that is no text":       {hook: map[string]any{"traceparent": 5}, want: `null`, log: "found a int; allowed: a string"},
		"a zero Traceparent":            {hook: map[string]any{"traceparent": Traceparent{}}, want: `null`, log: "only zeros"},
		"an own tracestate is not ours": {hook: map[string]any{"k": 1}, own: map[string]any{"tracestate": "a=1"}, want: `{"k":1,"tracestate":"a=1"}`},
	} {
		t.Run(name, func(t *testing.T) {
			var meta map[string]any
			next := transporters.TransporterFunc(func(ctx context.Context, _ string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
				meta = transporters.CallOptionsOf(ctx).Meta
				return mcp.Result{}, nil
			})
			var log bytes.Buffer
			chain := Trace("s", func(context.Context) map[string]any { return test.hook }, logTo(&log))(next)
			ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Meta = test.own })
			var params any
			if test.params != "" {
				params = json.RawMessage(test.params)
			}
			before := len(test.own)
			for range 2 {
				_, err := chain.Request(ctx, "tools/call", params, nil)
				require.NoError(t, err)
			}
			encoded, err := json.Marshal(meta)
			require.NoError(t, err)
			require.JSONEq(t, test.want, string(encoded))
			require.Len(t, test.own, before, "the call's own map is not written to")
			if test.log == "" {
				require.Empty(t, log.String())
				return
			}
			require.Contains(t, log.String(), test.log)
			require.LessOrEqual(t, strings.Count(log.String(), "[WARN]"), 2, "once for each key, though there were two calls")
		})
	}
}

// The hook sees the context of the call.
func TestTraceHookSeesTheContext(t *testing.T) {
	type key struct{}
	var seen any
	var next reached
	chain := Trace("s", func(ctx context.Context) map[string]any { seen = ctx.Value(key{}); return nil }, nil)(&next)
	_, err := chain.Request(context.WithValue(t.Context(), key{}, "span"), "ping", nil, nil)
	require.NoError(t, err)
	assert.Equal(t, "span", seen)
	assert.Same(t, &next, Trace("s", nil, nil)(&next), "without a hook there is no policy")
}

func TestParseTraceparent(t *testing.T) {
	parsed, err := ParseTraceparent(parent)
	require.NoError(t, err)
	assert.Equal(t, parent, parsed.String())
	assert.True(t, parsed.IsSampled())

	later, err := ParseTraceparent("01" + parent[2:] + "-more")
	require.NoError(t, err, "a later version may say more")
	assert.Equal(t, parent, later.String())

	for name, text := range map[string]string{
		"empty":                  "",
		"too short":              parent[:54],
		"more, in version 00":    parent + "-x",
		"more without a dash":    "01" + parent[2:] + "x",
		"version ff":             "ff" + parent[2:],
		"uppercase":              strings.ToUpper(parent),
		"no digit":               "00-0af7651916cd43dd8448eb211c80319g" + parent[35:],
		"a zero trace id":        "00-" + strings.Repeat("0", 32) + parent[35:],
		"a zero span id":         parent[:36] + strings.Repeat("0", 16) + "-01",
		"another separator":      strings.ReplaceAll(parent, "-", "_"),
		"a control character in": "00-\n" + parent[4:],
	} {
		_, err := ParseTraceparent(text)
		assert.Error(t, err, name)
	}
}

func TestTracestateAndBaggageFormats(t *testing.T) {
	many := func(n int) string { return strings.TrimSuffix(strings.Repeat("a=1,", n), ",") }
	for text, isGood := range map[string]bool{
		"a=1": true, "a=1, b=2,": true, "0tenant@sys=v w": true, "a-b*c/d_e=~": true, many(32): true,
		many(33): false, "": false, ",": false, "a": false, "=1": false, "a=": false, "a=1=2": false, "a@=1": false, "@b=1": false,
		"a@" + strings.Repeat("x", 15) + "=1": false, "-a=1": false, "a=\x01": false, "ä=1": false, "a=" + strings.Repeat("x", 257): false,
	} {
		assert.Equal(t, isGood, checkTracestate(text) == nil, "tracestate %q", text)
	}
	for text, isGood := range map[string]bool{
		"a=1": true, "a=1;p=2;q": true, "a=": true, "A.b = c%20d , e=f": true, many(180): true,
		many(181): false, "": false, "a": false, "a=b c": false, `a="x"`: false, "a=ä": false, "a=1;\x7f": false, "a=" + strings.Repeat("x", 8192): false,
	} {
		assert.Equal(t, isGood, checkBaggage(text) == nil, "baggage %q", text)
	}
}
