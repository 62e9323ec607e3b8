package session

import (
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// A call with nothing but a typed progress callback takes its reports as values:
// no message is made of them, and the clock is read once for all that come in one
// read.

var _ transporters.ReportSink = (*call)(nil)

// WantsReports implements transporters.ReportSink. Whoever listens to all messages
// is to see the reports' too.
func (c *call) WantsReports() bool {
	return c.onEvent == nil && c.options.OnProgress != nil && !c.session.observers.WantMessages()
}

// BeginReports stops the idle clock, as for every callback.
func (c *call) BeginReports() { c.delivering.Store(true) }

// Report implements transporters.ReportSink.
func (c *call) Report(p mcp.Progress) { c.options.OnProgress(p) }

// EndReports restarts the idle clock.
func (c *call) EndReports() {
	c.sign()
	c.delivering.Store(false)
}
