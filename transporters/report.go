package transporters

import "github.com/mcp-client-go/mcpclient/mcp"

// ReportSink is a Sink that takes the progress reports of its own request as
// values, so that a link need not make a message of each. A link is free to use it:
// Deliver may bring every report. The order of arrival holds over both.
type ReportSink interface {
	Sink
	// WantsReports reports whether Report will do, since nobody wants to see the
	// reports' messages. It may change during the exchange. Called from any
	// goroutine; it only touches atomics.
	WantsReports() bool
	// BeginReports comes before the first of some reports that have arrived
	// together, EndReports behind the last of them, unless Report panics. Nobody
	// waits for the peer in between, nor is Deliver called.
	BeginReports()
	// Report hands over one report, as Deliver would: in the goroutine that called
	// Exchange, with no lock held.
	Report(p mcp.Progress)
	EndReports()
}
