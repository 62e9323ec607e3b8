package messagequeue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
)

func reports(from, to int) []mcp.Progress {
	var all []mcp.Progress
	for i := from; i < to; i++ {
		all = append(all, mcp.Progress{Progress: float64(i), Message: "step"})
	}
	return all
}

// TestReportsKeepTheirOrder: among each other and with messages.
func TestReportsKeepTheirOrder(t *testing.T) {
	q := New(1 << 20)
	require.True(t, q.TakesReports())
	require.True(t, q.PushReports(reports(0, 3)))
	require.True(t, q.PushReports(reports(3, 5)))
	require.True(t, q.Push(message(10)))
	require.False(t, q.TakesReports(), "a report must not overtake the message")
	require.Len(t, q.Wake, 1)

	taken, _, ok := q.Next()
	require.True(t, ok)
	require.Equal(t, reports(0, 5), taken)
	none, m, ok := q.Next()
	require.True(t, ok)
	require.Empty(t, none)
	require.Len(t, m.Raw, 10)
	_, _, ok = q.Next()
	require.False(t, ok)
	require.True(t, q.TakesReports())
	require.True(t, q.PushReports(reports(5, 6)))
	taken, _, _ = q.Next()
	require.Equal(t, reports(5, 6), taken)
}

// TestReportsAreBounded: those that were taken count until the next are.
func TestReportsAreBounded(t *testing.T) {
	each := reportOverhead + len("step")
	q := New(10 * each)
	require.True(t, q.PushReports(reports(0, 8)))
	taken, _, _ := q.Next()
	require.Len(t, taken, 8)
	require.True(t, q.PushReports(reports(8, 10)))
	require.False(t, q.PushReports(reports(10, 11)))
	require.Equal(t, reports(0, 8), taken, "valid until the next ones are taken")
	taken, _, _ = q.Next()
	require.Equal(t, reports(8, 10), taken)
	require.True(t, q.PushReports(reports(0, 8)))
	require.False(t, q.PushReports(reports(0, 1)))
	require.False(t, q.Reset(10*each), "it was not empty")
	require.True(t, q.PushReports(reports(0, 10)), "Reset has emptied it")
}

// TestReportsCostNoMemory once the slices are there.
func TestReportsCostNoMemory(t *testing.T) {
	q := New(1 << 20)
	batch := reports(0, 64)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		q.PushReports(batch)
		q.PushReports(batch)
		q.Next()
	}))
}
