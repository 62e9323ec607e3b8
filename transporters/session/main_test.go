package session_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	discoverResult   = `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"be kind","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}`
	initializeResult = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`
)

// newSession returns a session that is closed at the test's end.
func newSession(t *testing.T, link transporters.Link, change func(*session.Settings), options ...session.Option) *session.Session {
	t.Helper()
	settings := session.DefaultSettings()
	if change != nil {
		change(&settings)
	}
	s := session.New("peer", settings, link, options...)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// modernLink scripts a modern peer over HTTP; legacyLink a legacy one with a
// session.
func modernLink(t *testing.T) *mcptest.ScriptedLink {
	link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
	link.On("server/discover").Return(discoverResult)
	return link
}

func legacyLink(t *testing.T) *mcptest.ScriptedLink {
	link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
	link.On("server/discover").Fail(-32601, "Method not found", nil)
	link.On("initialize").Header("Mcp-Session-Id", "s-1").Return(initializeResult)
	return link
}

// methods returns the methods the client sent, in order; answers as "".
func methods(link *mcptest.ScriptedLink) []string {
	var sent []string
	for _, frame := range link.Received() {
		sent = append(sent, frame.Method)
	}
	return sent
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
