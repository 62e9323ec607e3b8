package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// reportingLink brings reports as values before it goes on.
type reportingLink struct {
	*mcptest.ScriptedLink
	report func(transporters.ReportSink)
}

func (l *reportingLink) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	if out.Method == mcp.MethodCallTool {
		sink.Accepted()
		l.report(sink.(transporters.ReportSink))
		sink = acceptedSink{sink}
	}
	return l.ScriptedLink.Exchange(ctx, out, sink)
}

// acceptedSink was told so before.
type acceptedSink struct{ transporters.Sink }

func (acceptedSink) Accepted() {}

// TestReportsAreProgress: the callback gets them; the time that it takes is not the
// peer's silence, and their end is a sign of life (R133).
func TestReportsAreProgress(t *testing.T) {
	for name, test := range map[string]struct {
		callback, before, after time.Duration
		silence                 bool
		took                    time.Duration
	}{
		"a slow callback": {callback: 100 * time.Second, took: 101 * time.Second},
		"a sign of life":  {before: 50 * time.Second, after: 50 * time.Second, took: 101 * time.Second},
		"silence behind":  {before: 50 * time.Second, silence: true, took: 110 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				scripted := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
				scripted.On("server/discover").Return(discoverResult)
				if rule := scripted.On("tools/call"); test.silence {
					rule.Silence()
				} else {
					rule.Delay(time.Second).Return(`{"content":[]}`)
				}
				want := mcp.Progress{Progress: 1, Total: 2, Message: "one"}
				link := &reportingLink{scripted, func(sink transporters.ReportSink) {
					require.True(t, sink.WantsReports())
					time.Sleep(test.before)
					sink.BeginReports()
					sink.Report(want)
					sink.EndReports()
					time.Sleep(test.after)
				}}
				s := session.New("peer", session.Settings{}, link)
				defer s.Close()
				var reports []mcp.Progress
				ctx := withProgress(t.Context(), func(p mcp.Progress) {
					reports = append(reports, p)
					time.Sleep(test.callback)
				})
				began := time.Now()
				_, err := s.Request(ctx, "tools/call", map[string]any{"name": "slow"}, nil)
				require.Equal(t, test.silence, errors.Is(err, errors.ErrRequestTimeout), err)
				require.Equal(t, test.took, time.Since(began))
				require.Equal(t, []mcp.Progress{want}, reports)
			})
		})
	}
}

// TestReportsThatSomebodyWantsToSee come as messages: to an onEvent, and to
// listeners.
func TestReportsThatSomebodyWantsToSee(t *testing.T) {
	for name, test := range map[string]struct {
		progress, event, listen, want bool
	}{
		"typed callback":     {progress: true, want: true},
		"no callback":        {want: false},
		"onEvent":            {event: true, want: false},
		"both":               {progress: true, event: true, want: false},
		"a message listener": {progress: true, listen: true, want: false},
	} {
		t.Run(name, func(t *testing.T) {
			scripted := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
			scripted.On("server/discover").Return(discoverResult)
			scripted.On("tools/call").Return(`{"content":[]}`)
			wants := !test.want
			link := &reportingLink{scripted, func(sink transporters.ReportSink) { wants = sink.WantsReports() }}
			s := session.New("peer", session.Settings{}, link)
			defer s.Close()
			if test.listen {
				listener := s.Listeners().OnMessage(func(transporters.Source, mcp.Message) {})
				defer listener.Dispose()
			}
			ctx, onEvent := t.Context(), transporters.EventFunc(nil)
			if test.progress {
				ctx = withProgress(ctx, func(mcp.Progress) {})
			}
			if test.event {
				onEvent = func(mcp.Message) {}
			}
			_, err := s.Request(ctx, "tools/call", map[string]any{"name": "a"}, onEvent)
			require.NoError(t, err)
			require.Equal(t, test.want, wants)
		})
	}
}
