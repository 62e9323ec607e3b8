package config

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDurationTellsAbsentOffAndAValueApart(t *testing.T) {
	tests := []struct {
		duration Duration
		value    time.Duration
		ok       bool
		off, set bool
		or       time.Duration
		text     string
	}{
		{Duration{}, 0, false, false, false, time.Hour, ""},
		{Off(), 0, false, true, true, 0, "off"},
		{Of(0), 0, true, false, true, 0, "0s"},
		{Of(time.Minute), time.Minute, true, false, true, time.Minute, "1m0s"},
		{Seconds(0.25), 250 * time.Millisecond, true, false, true, 250 * time.Millisecond, "250ms"},
	}
	for _, test := range tests {
		value, ok := test.duration.Value()
		assert.Equal(t, test.value, value)
		assert.Equal(t, test.ok, ok)
		assert.Equal(t, test.off, test.duration.IsOff())
		assert.Equal(t, test.set, test.duration.IsSet())
		assert.Equal(t, !test.set, test.duration.IsZero())
		assert.Equal(t, test.or, test.duration.Or(time.Hour), "off never becomes the fallback")
		assert.Equal(t, test.text, test.duration.String())
		encoded, err := json.Marshal(test.duration)
		require.NoError(t, err)
		assert.Equal(t, `"`+test.text+`"`, string(encoded))
	}
	assert.Equal(t, Of(time.Second), Seconds(1))
}

func TestSecondsDoNotOverflow(t *testing.T) {
	for seconds, want := range map[float64]time.Duration{
		1e300: math.MaxInt64, math.Inf(1): math.MaxInt64, -1e300: math.MinInt64, math.Inf(-1): math.MinInt64, 0.1: 100 * time.Millisecond,
	} {
		value, _ := Seconds(seconds).Value()
		assert.Equal(t, want, value)
	}
	value, _ := Seconds(math.NaN()).Value()
	assert.Zero(t, value)
}

func TestDurationSyntax(t *testing.T) {
	for written, want := range map[string]Duration{
		"30s": Seconds(30), `"30s"`: Seconds(30), "30": Seconds(30), `"30"`: Seconds(30), "1.5": Seconds(1.5), "1h2m": Seconds(3720),
		"off": Off(), `"off"`: Off(), "1e3": Seconds(1000), "0x10": Seconds(16), "1_000": Seconds(1000), "0.001": Of(time.Millisecond),
		"100ms": Of(100 * time.Millisecond), "87600h": Of(longestDuration), "315360000": Of(longestDuration), "~": {},
	} {
		var got struct {
			D Duration `config:"d"`
		}
		require.Empty(t, section(t, "d: "+written).Decode(&got), written)
		assert.Equal(t, want, got.D, written)
	}
	for _, written := range []string{"87601h", "315360001", "0", "-0", "0.0", "-30s", "OFF", "Off", "1d", "''", "[1]", "1:30"} {
		var got struct {
			D Duration `config:"d"`
		}
		require.Len(t, section(t, "d: "+written).Decode(&got), 1, written)
		assert.Equal(t, Duration{}, got.D)
	}
	for _, written := range []string{"0", "0s", "-0", "0.0"} {
		var got struct {
			D Duration `config:"d,zero"`
		}
		require.Empty(t, section(t, "d: "+written).Decode(&got), written)
		assert.Equal(t, Of(0), got.D)
	}
}
