package stdiolink

import (
	"io"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// A server may report progress hundreds of thousands of times. Where the caller
// wants no more than the values, the reader collects the reports of one call that
// came in one read, and puts them into the call's queue together: one look into the
// table, one lock and one wake-up for all of them.

// mostReports is how many are collected: the caller is not to wait for more.
const mostReports = 64

// reports are those that the reader has collected. They are the reader's own.
type reports struct {
	exchange  *exchange // nil: there are none
	collected []mcp.Progress
}

// takeReport deals with a line that is a progress report in the usual form, for an
// exchange that takes reports. For any other it returns false.
func (l *Link) takeReport(line []byte) bool {
	report, ok := jsonrpc.ScanReport(line)
	if !ok {
		return false
	}
	if e := l.reports.exchange; e == nil || e.token != report.Token {
		l.handOverReports()
		if e = l.pending.withToken(report.Token); e == nil || !e.takesReports() {
			return false
		}
		l.reports.exchange = e
	}
	l.reports.collected = append(l.reports.collected,
		mcp.Progress{Progress: report.Progress, Total: report.Total, Message: l.copies.Text(report.Message)})
	if len(l.reports.collected) == mostReports {
		l.handOverReports()
	}
	return true
}

// takesReports reports whether progress may be queued as values.
func (e *exchange) takesReports() bool {
	if !e.wantEvents {
		return false
	}
	sink, ok := e.sink.(transporters.ReportSink)
	return ok && sink.WantsReports() && e.events.TakesReports()
}

// handOverReports queues what was collected. It comes before everything else that
// the reader does: an answer must not overtake the reports, and an exchange that was
// answered may be another one's soon.
func (l *Link) handOverReports() {
	e := l.reports.exchange
	if e == nil {
		return
	}
	l.heard.Store(true)
	e.sink.Arrived()
	if !e.events.PushReports(l.reports.collected) {
		l.overflow(e)
	}
	clear(l.reports.collected)
	l.reports.exchange, l.reports.collected = nil, l.reports.collected[:0]
}

// collectingReader hands the reports over before it waits for more.
type collectingReader struct {
	link *Link
	from io.Reader
}

func (r collectingReader) Read(p []byte) (int, error) {
	r.link.handOverReports()
	return r.from.Read(p)
}

// deliverReports hands the reports that are held to the sink, until stop is closed or
// the exchange fails, and reports whether it is to stop. Those that are left stay: if
// the answer has arrived all the same, they come before it.
func (e *exchange) deliverReports(sink transporters.Sink, stop <-chan struct{}) (stopped bool) {
	typed := sink.(transporters.ReportSink) // takesReports has seen it
	typed.BeginReports()
	for len(e.held) > 0 && !stopped {
		next := e.held[0]
		e.held = e.held[1:]
		typed.Report(next)
		select {
		case <-stop:
			stopped = true
		default:
			stopped = e.failed.Load()
		}
	}
	typed.EndReports()
	return stopped
}
