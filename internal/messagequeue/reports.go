package messagequeue

import (
	"unsafe"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Progress reports whose messages nobody wants to see wait as values, in two
// slices in turn: one fills while the other is delivered, so that the lock is taken
// once for many and nothing is allocated for any. Order is kept by one rule: reports
// are queued only while no message waits, so that they always go first.

// reportOverhead is what a waiting report counts beyond its text: its own size.
const reportOverhead = int(unsafe.Sizeof(mcp.Progress{}))

// keptReports is how many reports an unused queue has room for.
const keptReports = 256

// TakesReports reports whether PushReports may be called: no message is waiting.
// Only who pushes messages can change that.
func (q *Queue) TakesReports() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) == 0
}

// PushReports adds copies of the reports, whose texts must never change. It returns
// false at the first for which there is no room. A queue that fills lets others
// run, as with Push.
func (q *Queue) PushReports(reports []mcp.Progress) bool {
	q.mu.Lock()
	for i := range reports {
		size := len(reports[i].Message) + reportOverhead
		if q.bytes+size > q.limit {
			q.mu.Unlock()
			return false
		}
		q.reports = append(q.reports, reports[i])
		q.bytes += size
	}
	isCrowded := q.bytes > q.limit/8
	q.mu.Unlock()
	q.pushed(isCrowded)
	return true
}

// Next takes what is next: all reports that wait, or else the oldest message;
// false if there is nothing. The reports are valid until the following Next or
// Reset, and count until then. It is for one consumer.
func (q *Queue) Next() (reports []mcp.Progress, m mcp.Message, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.given {
		q.bytes -= len(q.given[i].Message) + reportOverhead
	}
	clear(q.given)
	q.given, q.reports = q.reports, q.given[:0]
	if len(q.given) > 0 {
		return q.given, mcp.Message{}, true
	}
	m, ok = q.pop()
	return nil, m, ok
}

// forgetReports empties the queue of reports and keeps a little room.
func (q *Queue) forgetReports() {
	for _, reports := range []*[]mcp.Progress{&q.reports, &q.given} {
		clear(*reports)
		if *reports = (*reports)[:0]; cap(*reports) > keptReports {
			*reports = nil
		}
	}
}
