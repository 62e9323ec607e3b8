package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// keepingLink answers a tool with bytes that it keeps, which a link that owns its
// messages would not.
type keepingLink struct {
	*mcptest.ScriptedLink
	kept []byte
}

func (l *keepingLink) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	if out.Method != mcp.MethodCallTool {
		return l.ScriptedLink.Exchange(ctx, out, sink)
	}
	text := strings.Repeat(`line \"quoted\"\n`, 4<<10)
	l.kept = jsonrpc.AppendResult(nil, mcp.NumberID(out.ID), []byte(`{"content":[{"type":"text","text":"`+text+`"}]}`))
	m, err := jsonrpc.Scan(l.kept)
	return transporters.Reply{Message: m}, err
}

// TestAnswersThatOthersHaveStayAsTheyAre: the text of a large result is decoded in
// its place only where the link vouches for it and nobody was shown the answer.
func TestAnswersThatOthersHaveStayAsTheyAre(t *testing.T) {
	for name, test := range map[string]struct {
		owned, event, listen, raw, changed bool
	}{
		"owned":              {owned: true, changed: true},
		"of a foreign link":  {},
		"shown to onEvent":   {owned: true, event: true},
		"shown to listeners": {owned: true, listen: true},
		"Raw was asked for":  {owned: true, raw: true},
	} {
		t.Run(name, func(t *testing.T) {
			scripted := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
			scripted.On("server/discover").Return(discoverResult)
			link := &keepingLink{ScriptedLink: scripted}
			var options []session.Option
			if test.owned {
				options = append(options, session.WithOwnedMessages())
			}
			s := session.New("peer", session.Settings{}, link, options...)
			defer s.Close()
			if test.listen {
				defer s.Listeners().OnMessage(func(transporters.Source, mcp.Message) {}).Dispose()
			}
			var onEvent transporters.EventFunc
			if test.event {
				onEvent = func(mcp.Message) {}
			}
			result, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, onEvent)
			require.NoError(t, err)
			before := string(link.kept)
			if test.raw {
				require.Contains(t, before, string(result.Raw()))
			}
			tool, err := mcp.ParseCallToolResult(result)
			require.NoError(t, err)
			require.Equal(t, strings.Repeat("line \"quoted\"\n", 4<<10), tool.Text())
			require.Equal(t, test.changed, string(link.kept) != before)
			require.Contains(t, before, string(tool.Raw()))
		})
	}
}
