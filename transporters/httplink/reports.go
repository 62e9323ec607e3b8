package httplink

import (
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Progress reports in their usual form, for a call that wants no more than their
// values, are read and handed over where they lie in the stream's buffer. Those that
// came in one read are one batch, which ends before the next read, and before
// anything else is handed over.

// reportSink returns the sink if it takes reports as values, else nil.
func (c *conversation) reportSink() transporters.ReportSink {
	if !c.out.WantEvents || c.out.Token == 0 {
		return nil
	}
	sink, _ := c.sink.(transporters.ReportSink)
	return sink
}

// takeReport hands over the event if it is a progress report of this request in
// the usual form. For any other event it returns false.
func (s *stream) takeReport(data []byte) bool {
	report, ok := jsonrpc.ScanReport(data)
	if !ok || report.Token != s.c.out.Token || !s.reports.WantsReports() {
		return false
	}
	if s.exchange.reporting == nil {
		s.c.sink.Arrived()
		if s.c.waiter != nil && !s.c.beside {
			s.c.waiter.deliver(s.c.sink, nil)
		}
		s.exchange.beginReports(s.reports)
	}
	s.reports.Report(mcp.Progress{Progress: report.Progress, Total: report.Total, Message: s.c.copies.Text(report.Message)})
	return true
}

func (x *exchange) beginReports(sink transporters.ReportSink) {
	x.reporting = sink
	sink.BeginReports()
}

// endReports ends the batch, if there is one.
func (x *exchange) endReports() {
	if x.reporting != nil {
		x.reporting.EndReports()
		x.reporting = nil
	}
}
