package session_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

const (
	mirroredTool = `{"name":"query","inputSchema":{"type":"object","properties":{"tenant":{"type":"string","x-mcp-header":"Tenant"},"limit":{"type":"integer","x-mcp-header":"Limit"}}}}`
	invalidTool  = `{"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}}`
)

// TestMirroredHeaders holds R079 to R087: annotated arguments are repeated in
// headers, from the newest list; tools that are not valid are left out.
func TestMirroredHeaders(t *testing.T) {
	link := modernLink(t)
	link.On("tools/call").Return(`{"content":[]}`)
	link.On("tools/list").Return(`{"tools":[` + mirroredTool + `,` + invalidTool + `],"nextCursor":"n"}`)
	link.On("tools/call").Times(2).Return(`{"content":[]}`)
	s := newSession(t, link, nil)
	call := func(arguments map[string]any) error {
		_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "query", "arguments": arguments}, nil)
		return err
	}
	require.NoError(t, call(map[string]any{"tenant": "a"}))
	result, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"tools":[`+mirroredTool+`],"nextCursor":"n"}`, string(result.Raw()))
	require.NoError(t, call(map[string]any{"tenant": "größe", "limit": 42}))
	require.NoError(t, call(map[string]any{"tenant": nil}))

	frames := link.Received()
	require.NotContains(t, frames[1].Header, "Mcp-Param-Tenant", "R087: nothing is known yet")
	require.Equal(t, []string{"=?base64?Z3LDtsOfZQ==?="}, frames[3].Header["Mcp-Param-Tenant"])
	require.Equal(t, []string{"42"}, frames[3].Header["Mcp-Param-Limit"])
	require.Equal(t, "query", frames[3].Header.Get("Mcp-Name"))
	require.NotContains(t, frames[4].Header, "Mcp-Param-Tenant", "R080: null gives none")

	err = call(map[string]any{"limit": 9007199254740993})
	require.ErrorIs(t, err, errors.ErrInvalidParams)
	require.True(t, errors.SafeToRetry(err))
}

// TestHeaderMismatch holds R086: the tools are listed again, the call is sent
// once more, with a new id; a second mismatch is the caller's.
func TestHeaderMismatch(t *testing.T) {
	link := modernLink(t)
	link.On("tools/call").Times(2).Status(400).Fail(-32020, "Mcp-Param-Tenant is missing", nil)
	link.On("tools/list").Return(`{"tools":[],"nextCursor":"2"}`)
	link.On("tools/list").Where(mcptest.Params(`{"cursor":"2"}`)).Return(`{"tools":[` + mirroredTool + `],"nextCursor":"2"}`)
	s := newSession(t, link, nil)
	_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "query", "arguments": map[string]any{"tenant": "a"}}, nil)
	require.ErrorContains(t, err, "Mcp-Param-Tenant is missing")
	frames := link.Received()
	require.Equal(t, []string{"server/discover", "tools/call", "tools/list", "tools/list", "tools/call"}, methods(link))
	require.Equal(t, []string{"a"}, frames[4].Header["Mcp-Param-Tenant"])
	require.NotEqual(t, frames[1].ID, frames[4].ID)
}

// TestNothingIsMirroredElsewhere: not on stdio, not in the legacy era (P71).
func TestNothingIsMirroredElsewhere(t *testing.T) {
	stdio := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	stdio.On("server/discover").Return(discoverResult)
	for _, link := range []*mcptest.ScriptedLink{stdio, legacyLink(t)} {
		link.On("tools/list").Return(`{"tools":[` + mirroredTool + `,` + invalidTool + `]}`)
		link.On("tools/call").Return(`{"content":[]}`)
		s := newSession(t, link, nil)
		result, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		require.Contains(t, string(result.Raw()), `"bad"`)
		_, err = s.Request(t.Context(), "tools/call", map[string]any{"name": "query", "arguments": map[string]any{"tenant": "a"}}, nil)
		require.NoError(t, err)
		frames := link.Received()
		require.NotContains(t, frames[len(frames)-1].Header, "Mcp-Param-Tenant")
	}
}

// R082: which tool was left out, and why, is in the log.
func TestToolsThatAreLeftOutAreLogged(t *testing.T) {
	var text strings.Builder
	link := modernLink(t)
	link.On("tools/list").Return(`{"tools":[` + mirroredTool + `,` + invalidTool + `]}`)
	s := newSession(t, link, nil, session.WithLogger(hclog.New(&hclog.LoggerOptions{Output: &text, Level: hclog.Warn})))
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	require.Contains(t, text.String(), "left out a tool")
	require.Contains(t, text.String(), "tool=bad")
	require.Contains(t, text.String(), "reason=")
	require.NotContains(t, text.String(), "tool=query")
}
