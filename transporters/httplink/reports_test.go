package httplink

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// reportSink takes reports as values, and records everything in one order.
type reportSink struct {
	sink
	refuses atomic.Bool
	told    []string
}

func (s *reportSink) Deliver(m mcp.Message) { s.told = append(s.told, string(m.Raw)) }
func (s *reportSink) WantsReports() bool    { return !s.refuses.Load() }
func (s *reportSink) BeginReports()         { s.told = append(s.told, "begin") }
func (s *reportSink) EndReports()           { s.told = append(s.told, "end") }
func (s *reportSink) Report(p mcp.Progress) {
	s.told = append(s.told, fmt.Sprintf("%v of %v: %s", p.Progress, p.Total, p.Message))
}

func report(token, progress int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":%d,"total":9,"message":"m%d"}}`,
		token, progress, progress)
}

// Reports of the call's own are values between begin and end; everything else
// ends such a batch, and comes as a message in its place (R132, R135).
func TestReportsOfOneReadComeTogether(t *testing.T) {
	const unusual = `{"jsonrpc":"2.0", "method":"notifications/progress", "params":{"progressToken":70,"progress":3}}`
	sent := []string{report(70, 1), report(70, 2), unusual, report(99, 1), report(70, 4), logMessage, report(70, 5), answer7}
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { events(w, sent...) })
	for _, resumable := range []bool{false, true} {
		link, box := open(t, Config{BaseURL: server.URL})
		out := call()
		out.Resumable = resumable
		s := &reportSink{}
		got, err := link.Exchange(t.Context(), out, s)
		require.NoError(t, err)
		assert.Equal(t, answer7, string(got.Message.Raw))
		assert.Equal(t, []string{report(99, 1), logMessage}, box.all())
		var told []string
		for i, text := range s.told { // where a read ends is not told beforehand
			if text == "begin" && i > 0 && s.told[i-1] == "end" {
				told = told[:len(told)-1]
				continue
			}
			told = append(told, text)
		}
		assert.Equal(t, []string{
			"begin", "1 of 9: m1", "2 of 9: m2", "end", unusual, report(99, 1),
			"begin", "4 of 9: m4", "end", logMessage, "begin", "5 of 9: m5", "end",
		}, told)
	}
}

// A batch ends before the next read: time that passes there is the peer's.
func TestReportsEndBeforeTheNextRead(t *testing.T) {
	seen := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		events(w, report(70, 1))
		<-seen
		events(w, answer7)
	})
	link, _ := open(t, Config{BaseURL: server.URL})
	s := &endingSink{ended: seen}
	_, err := link.Exchange(t.Context(), call(), s)
	require.NoError(t, err)
	require.Equal(t, []string{"begin", "1 of 9: m1", "end"}, s.told)
}

// endingSink tells when a batch has ended.
type endingSink struct {
	reportSink
	ended chan struct{}
}

func (s *endingSink) EndReports() {
	s.reportSink.EndReports()
	close(s.ended)
}

// A sink that wants messages after all gets them.
func TestReportsThatNobodyWantsAsValues(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { events(w, report(70, 1), answer7) })
	link, _ := open(t, Config{BaseURL: server.URL})
	s := &reportSink{}
	s.refuses.Store(true)
	_, err := link.Exchange(t.Context(), call(), s)
	require.NoError(t, err)
	require.Equal(t, []string{report(70, 1)}, s.told)
}
