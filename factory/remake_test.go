package factory

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// What was made for another section and is not taken, because the configuration is
// refused for another server, changes nothing: the cache in force hears of changes,
// and the pins in force are those that are asked and accepted.
func TestWhatIsNotTakenChangesNothing(t *testing.T) {
	script := mcptest.NewTransporter(t)
	script.Expect("tools/list").Return(firstTools)
	script.Expect("tools/list").Return(secondTools)
	script.Expect("tools/call")
	f := New()
	require.NoError(t, f.Register("scripted", scriptedType(script)))
	const text = "servers:\n  s: {type: scripted, cache: {enabled: true, ttl: {tools/list: 1h}}, tools: {pin: refuse}"
	made, err := f.Make(section(t, text+"}\n"))
	require.NoError(t, err)
	defer func() { require.NoError(t, made.Slot.Close()) }()
	list := func(made *Made) string {
		result, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		return string(result.Raw())
	}
	assert.JSONEq(t, firstTools, list(made))
	_, err = f.Remake(section(t, text+", request_timeout: 5s}\n"), made.Slot)
	require.NoError(t, err)

	made.Slot.hear("", mcp.Message{Method: mcp.NotificationToolsListChanged})
	assert.JSONEq(t, `{"tools":[{"name":"b"}]}`, list(made), "not from the cache")
	require.Len(t, made.Slot.ChangedTools(), 1)
	require.NoError(t, made.Slot.AcceptTools(t.Context(), "a"))
	_, err = made.Head.Request(t.Context(), "tools/call", mcp.NameParams("a", nil), nil)
	require.NoError(t, err, "it was accepted by the pins in force")

}

// A tool that has changed is not callable again because another key of its server
// has: only a list, or somebody who accepts it, can decide that.
func TestChangedToolsStayRefusedWhenTheSectionChanges(t *testing.T) {
	script := mcptest.NewTransporter(t)
	script.Expect("tools/list").Return(firstTools)
	script.Expect("tools/list").Return(secondTools)
	script.Expect("tools/list").Return(firstTools)
	script.Expect("tools/call").Times(1)
	f := New()
	require.NoError(t, f.Register("scripted", scriptedType(script)))
	const text = "servers:\n  s: {type: scripted, tools: {pin: refuse}"
	made, err := f.Make(section(t, text+"}\n"))
	require.NoError(t, err)
	defer func() { require.NoError(t, made.Slot.Close()) }()
	list := func() {
		_, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
	}
	call := func() error {
		_, err := made.Head.Request(t.Context(), "tools/call", mcp.NameParams("a", nil), nil)
		return err
	}
	list()
	list()
	require.ErrorIs(t, call(), errors.ErrToolChanged)
	made, err = f.Remake(section(t, text+", request_timeout: 5s}\n"), made.Slot)
	require.NoError(t, err)
	require.True(t, made.Take())
	require.ErrorIs(t, call(), errors.ErrToolChanged)
	require.Len(t, made.Slot.ChangedTools(), 1)
	list()
	require.NoError(t, call(), "it is what it was")
	assert.Empty(t, made.Slot.ChangedTools())
}
