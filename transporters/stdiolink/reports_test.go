//go:build unix

package stdiolink

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// reportCall takes reports as values, and records everything in one order.
type reportCall struct {
	transporters.Outbound
	refuses atomic.Bool
	told    []string
	onTold  func()
	arrived atomic.Int32
}

func (c *reportCall) tell(format string, values ...any) {
	c.told = append(c.told, fmt.Sprintf(format, values...))
	if c.onTold != nil {
		c.onTold()
	}
}

func (c *reportCall) Accepted()             {}
func (c *reportCall) Arrived()              { c.arrived.Add(1) }
func (c *reportCall) Deliver(m mcp.Message) { c.tell("message %s", m.Params) }
func (c *reportCall) WantsReports() bool    { return !c.refuses.Load() }
func (c *reportCall) BeginReports()         { c.tell("begin") }
func (c *reportCall) Report(p mcp.Progress) { c.tell("%v of %v: %s", p.Progress, p.Total, p.Message) }
func (c *reportCall) EndReports()           { c.tell("end") }

func newReportCall(id, token uint64) *reportCall {
	return &reportCall{Outbound: transporters.Outbound{ID: id, Token: token, WantEvents: true, Frame: []byte(`{}`)}}
}

// start begins the call on a link to the child and returns how to wait for its end.
func (c *reportCall) start(ctx context.Context, t *testing.T, link *Link, child *fakeChild) (wait func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := link.Exchange(ctx, &c.Outbound, c)
		done <- err
	}()
	_, err := child.server.Read(make([]byte, 100)) // the frame
	require.NoError(t, err)
	synctest.Wait()
	return func() error { return <-done }
}

func reportLine(token, progress int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":%d,"total":9,"message":"m%d"}}`+"\n",
		token, progress, progress)
}

const unusualReport = `{"jsonrpc": "2.0", "method":"notifications/progress", "params":{"progressToken":5,"progress":3}}` + "\n"

// Whose answer has arrived when the caller's context ends gets it (R121), and all that
// came before it: none of the reports that had come together is left out.
func TestReportsBeforeAnAnswerThatWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		child := newFakeChild()
		link := startFake(t, child, Config{})
		ctx, cancel := context.WithCancel(t.Context())
		call := newReportCall(7, 5)
		call.onTold = func() { // what arrives while the first report is shown
			if len(call.told) == 2 {
				_, err := io.WriteString(child.print, reportLine(5, 4)+`{"jsonrpc":"2.0","id":7,"result":{}}`+"\n")
				require.NoError(t, err)
				synctest.Wait()
				cancel()
			}
		}
		end := call.start(ctx, t, link, child)
		_, err := io.WriteString(child.print, reportLine(5, 1)+reportLine(5, 2)+reportLine(5, 3))
		require.NoError(t, err)
		require.NoError(t, end())
		batches := func(told string) bool { return told == "begin" || told == "end" } // how many is up to select
		require.Equal(t, []string{"1 of 9: m1", "2 of 9: m2", "3 of 9: m3", "4 of 9: m4"}, slices.DeleteFunc(call.told, batches))
		require.NoError(t, link.Close(t.Context()))
	})
}

// Reports that come together are delivered together, in order with everything else
// and before the answer, also to two calls whose reports alternate (R132, R135).
func TestReportsOfOneReadComeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		child := newFakeChild()
		link := startFake(t, child, Config{})
		first, second := newReportCall(1, 5), newReportCall(2, 6)
		endFirst, endSecond := first.start(t.Context(), t, link, child), second.start(t.Context(), t, link, child)
		print := func(lines ...string) {
			_, err := child.print.Write([]byte(strings.Join(lines, "")))
			require.NoError(t, err)
			synctest.Wait()
		}
		print(reportLine(5, 1), reportLine(5, 2))
		print(unusualReport)
		print(reportLine(5, 4), reportLine(6, 1), reportLine(7, 1), reportLine(5, 5))
		first.refuses.Store(true)
		print(reportLine(5, 6))
		first.refuses.Store(false)
		long := reportLine(5, 7)
		print(reportLine(6, 2), long[:30])
		print(long[30:], `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n", reportLine(5, 8), reportLine(6, 3), `{"jsonrpc":"2.0","id":2,"result":{}}`+"\n")
		require.NoError(t, endFirst())
		require.NoError(t, endSecond())

		require.Equal(t, []string{
			"begin", "1 of 9: m1", "2 of 9: m2", "end",
			`message {"progressToken":5,"progress":3}`,
			"begin", "4 of 9: m4", "5 of 9: m5", "end",
			`message {"progressToken":5,"progress":6,"total":9,"message":"m6"}`,
			"begin", "7 of 9: m7", "end",
		}, first.told)
		require.Equal(t, []string{"begin", "1 of 9: m1", "end", "begin", "2 of 9: m2", "end", "begin", "3 of 9: m3", "end"}, second.told)
		require.NoError(t, link.Close(t.Context()))
	})
}

// A callback that is too far behind fails its call, as with messages; one whose
// context ends hears no more.
func TestReportsBeyondTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		child := newFakeChild()
		link := startFake(t, child, Config{})
		link.eventBytes = 1000
		call := newReportCall(1, 5)
		stuck := make(chan struct{})
		call.onTold = func() { <-stuck }
		end := call.start(t.Context(), t, link, child)
		var lines strings.Builder
		for i := range 200 {
			lines.WriteString(reportLine(5, i))
		}
		_, err := child.print.Write([]byte(lines.String()))
		require.NoError(t, err)
		close(stuck)
		require.ErrorIs(t, end(), errors.ErrDeliveryDropped)
		require.NoError(t, link.Close(t.Context()))
	})
}

// A report does not overtake a message that still waits.
func TestReportsWaitBehindMessages(t *testing.T) {
	link := New("test", Config{})
	e, _, _ := link.pending.add(&transporters.Outbound{ID: 1, Token: 5, WantEvents: true}, &reportCall{}, DefaultEventBytes)
	link.take([]byte(strings.TrimSpace(unusualReport)), false)
	require.False(t, link.takeReport([]byte(strings.TrimSpace(reportLine(5, 1)))))
	_, m, ok := e.events.Next()
	require.True(t, ok)
	require.Equal(t, mcp.NotificationProgress, m.Method)
	require.True(t, link.takeReport([]byte(strings.TrimSpace(reportLine(5, 1)))))
}

func TestReportsCostNoMemory(t *testing.T) {
	link := New("test", Config{})
	e, _, _ := link.pending.add(&transporters.Outbound{ID: 1, Token: 5, WantEvents: true}, &reportCall{}, DefaultEventBytes)
	line := []byte(strings.TrimSpace(reportLine(5, 1)))
	// What other goroutines of the process allocate meanwhile counts as well.
	require.Less(t, testing.AllocsPerRun(100, func() {
		for range 2 * mostReports {
			if !link.takeReport(line) {
				t.Error("not taken")
			}
		}
		e.events.Next()
	}), 10.0)
}

// FuzzReports: whatever a process prints, what a call gets as values is what
// another gets as messages.
func FuzzReports(f *testing.F) {
	f.Add([]byte(reportLine(5, 1) + unusualReport + reportLine(5, 2) + reportLine(6, 1) + reportLine(5, 3)))
	f.Add([]byte(strings.Repeat(reportLine(5, 1), 70) + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + reportLine(5, 2)))
	f.Add([]byte("\xef\xbb\xbf" + reportLine(5, 1) + "\r\n" + strings.TrimSpace(reportLine(5, 2)) + "\r\n{oops\n"))
	f.Fuzz(func(t *testing.T, output []byte) {
		values := reportsOf(t, output, &reportCall{})
		messages := reportsOf(t, output, silentSink{})
		require.Equal(t, messages, values)
	})
}

// reportsOf reads the output of a process and returns what is queued for a call.
func reportsOf(t *testing.T, output []byte, sink transporters.Sink) []mcp.Progress {
	link := New("fuzz", Config{})
	link.receive = func(transporters.Link, mcp.Message) {}
	e, _, _ := link.pending.add(&transporters.Outbound{ID: 1, Token: 5, WantEvents: true}, sink, DefaultEventBytes)
	link.child = &fakeChild{stdout: pipeOf(output)}
	require.ErrorIs(t, link.read(), io.EOF)
	var all []mcp.Progress
	for reports, m, ok := e.events.Next(); ok; reports, m, ok = e.events.Next() {
		all = append(all, reports...)
		if len(reports) == 0 {
			if _, p, isReport := m.Progress(); isReport {
				all = append(all, p)
			}
		}
	}
	return all
}
