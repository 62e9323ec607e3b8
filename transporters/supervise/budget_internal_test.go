package supervise

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
)

// The window is tumbling, opened by the first restart, and its edge belongs to
// it.
func TestBudgetCountsOverATumblingWindow(t *testing.T) {
	const second = time.Second
	tests := map[string]struct {
		at     []time.Duration // after an arbitrary origin
		want   []int
		within []bool
	}{
		"three fit, the fourth does not": {
			at: []time.Duration{0, 1, 2, 3}, want: []int{1, 2, 3, 4}, within: []bool{true, true, true, false},
		},
		"a fresh window starts at one (32)": {
			at: []time.Duration{0, 61 * second}, want: []int{1, 1}, within: []bool{true, true},
		},
		"exactly on the edge is inside (33)": {
			at: []time.Duration{0, 60 * second}, want: []int{1, 2}, within: []bool{true, true},
		},
		"a nanosecond past the edge is outside (33)": {
			at: []time.Duration{0, 60*second + 1}, want: []int{1, 1}, within: []bool{true, true},
		},
		"opened by the first restart, not by the clock's origin (34)": {
			at: []time.Duration{59 * second, 61 * second}, want: []int{1, 2}, within: []bool{true, true},
		},
		"tumbling, not sliding: five within a window's length": {
			at:     []time.Duration{0, 59 * second, 60 * second, 60*second + 1, 61 * second, 62 * second},
			want:   []int{1, 2, 3, 1, 2, 3},
			within: []bool{true, true, true, true, true, true},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := budget{limit: 3, window: 60 * second}
			for i, at := range test.at {
				number, within := b.spend(time.Time{}.Add(at))
				require.Equal(t, test.want[i], number, "number %d", i)
				require.Equal(t, test.within[i], within, "number %d", i)
			}
		})
	}
}

func TestBudgetTellsWhenItsWindowIsOver(t *testing.T) {
	b := budget{limit: 1, window: time.Minute}
	start := time.Time{}.Add(time.Hour)
	b.spend(start)
	require.Zero(t, b.exhausted(start), "the limit itself is allowed")
	b.spend(start.Add(time.Second))
	rest := b.exhausted(start.Add(20 * time.Second))
	require.Equal(t, 40*time.Second+1, rest)
	require.Zero(t, b.exhausted(start.Add(20*time.Second+rest)), "what it told is enough")
}

// Each key has the default that the documentation gives.
func TestDefaults(t *testing.T) {
	want := settings{supervised: true, maxRestarts: 3, window: 60 * time.Second, delay: 100 * time.Millisecond}
	require.Equal(t, want, resolve(&Config{}))
	require.Equal(t, settings{maxRestarts: 3, window: 60 * time.Second}, resolve(nil), "on demand")
	require.Zero(t, resolve(&Config{RestartDelay: config.Of(0)}).delay, "0 is not the default")
	require.Zero(t, resolve(&Config{RestartDelay: config.Off()}).delay)
	require.Equal(t, 5*time.Second, resolve(&Config{RestartWindow: config.Of(5 * time.Second)}).window)
	require.Equal(t, 60*time.Second, resolve(&Config{RestartWindow: config.Of(0)}).window, "no window would be no budget")
	for _, timeout := range []time.Duration{0, -time.Second} {
		l := New("memory", nil, nil, WithConnectTimeout(timeout), WithRetireTimeout(timeout))
		require.Equal(t, 60*time.Second, l.connectTimeout)
		require.Equal(t, 20*time.Second, l.retireTimeout)
	}
}

func TestPause(t *testing.T) {
	constant := resolve(&Config{RestartDelay: config.Of(time.Second)})
	growing := resolve(&Config{RestartDelay: config.Of(time.Second), Backoff: config.Of(5 * time.Second)})
	for attempt, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second} {
		require.Equal(t, time.Second, constant.pause(attempt+1))
		require.Equal(t, want, growing.pause(attempt+1))
	}
	require.Equal(t, 5*time.Second, growing.pause(10_000), "no overflow")
}
