package policy

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestDeadlineSettlesTheLimitsOfACall(t *testing.T) {
	const minute = time.Minute
	length := func(d time.Duration) *time.Duration { return &d }
	for name, test := range map[string]struct {
		silence, ceiling         *time.Duration
		wantSilence, wantCeiling time.Duration
	}{
		"a shorter silence leaves the ceiling":     {silence: length(time.Second), wantSilence: time.Second, wantCeiling: 10 * minute},
		"a silence above the ceiling raises it":    {silence: length(20 * minute), wantSilence: 20 * minute, wantCeiling: 20 * minute},
		"a ceiling of the call's own is not moved": {silence: length(20 * minute), ceiling: length(minute), wantSilence: 20 * minute, wantCeiling: minute},
		"a ceiling alone keeps the silence":        {ceiling: length(3 * minute), wantSilence: minute, wantCeiling: 3 * minute},
		"silence off keeps the ceiling":            {silence: length(0), wantSilence: 0, wantCeiling: 10 * minute},
		"ceiling off":                              {ceiling: length(0), wantSilence: minute, wantCeiling: 0},
	} {
		t.Run(name, func(t *testing.T) {
			var seen *transporters.CallOptions
			next := transporters.TransporterFunc(func(ctx context.Context, _ string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
				seen = transporters.CallOptionsOf(ctx)
				return mcp.Result{}, nil
			})
			chain := Deadline(DeadlineConfig{RequestTimeout: minute, MaxRequestTimeout: 10 * minute})(next)
			ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) {
				o.Principal = "alice"
				o.RequestTimeout, o.MaxRequestTimeout = test.silence, test.ceiling
			})
			_, err := chain.Request(ctx, "tools/call", nil, nil)
			require.NoError(t, err)
			require.NotNil(t, seen.RequestTimeout)
			require.NotNil(t, seen.MaxRequestTimeout)
			assert.Equal(t, test.wantSilence, *seen.RequestTimeout)
			assert.Equal(t, test.wantCeiling, *seen.MaxRequestTimeout)
			assert.Equal(t, "alice", seen.Principal, "other options stay")
		})
	}
}

func TestDeadlineWithoutACeilingRaisesNothing(t *testing.T) {
	silence := time.Hour
	gotSilence, gotCeiling := DeadlineConfig{RequestTimeout: time.Minute}.settle(&transporters.CallOptions{RequestTimeout: &silence})
	assert.Equal(t, time.Hour, gotSilence)
	assert.Zero(t, gotCeiling, "0 is no ceiling, which is above everything")
}

func TestDeadlinePassesACallThatAsksForNothing(t *testing.T) {
	ctx := t.Context()
	next := transporters.TransporterFunc(func(got context.Context, action string, params any, _ transporters.EventFunc) (mcp.Result, error) {
		assert.Equal(t, ctx, got)
		assert.Equal(t, "ping", action)
		assert.Equal(t, "p", params)
		return mcp.NewResult([]byte(`{"a":1}`)), nil
	})
	result, err := Deadline(DeadlineConfig{RequestTimeout: time.Minute})(next).Request(ctx, "ping", "p", nil)
	require.NoError(t, err)
	assert.JSONEq(t, `{"a":1}`, string(result.Raw()))
}
