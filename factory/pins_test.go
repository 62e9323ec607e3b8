package factory

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

const (
	firstTools  = `{"tools":[{"name":"a","description":"1"},{"name":"b"}]}`
	secondTools = `{"tools":[{"name":"a","description":"2"},{"name":"b"}]}`
)

// pinned makes the chain of a server that lists the tools, and lists them.
func pinned(t *testing.T, keys, tools string, options ...Option) (*Made, string) {
	t.Helper()
	script := mcptest.NewTransporter(t)
	script.Expect("tools/list").Always().Return(tools)
	script.Expect("tools/call").Always()
	made := makeScripted(t, script, keys, options...)
	result, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	return made, string(result.Raw())
}

// A file remembers tools from one run of the program to the next.
func TestToolsArePinnedInAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pins.json")
	keys := "    tools: {pin: refuse, pin_file: " + path + "}\n"
	_, listed := pinned(t, keys, firstTools)
	assert.JSONEq(t, firstTools, listed)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(content), `"s": {`)

	made, listed := pinned(t, keys, secondTools)
	assert.JSONEq(t, `{"tools":[{"name":"b"}]}`, listed)
	_, err = made.Head.Request(t.Context(), "tools/call", mcp.NameParams("a", nil), nil)
	require.ErrorIs(t, err, errors.ErrToolChanged)
	require.Len(t, made.Slot.ChangedTools(), 1)
	require.NoError(t, made.Slot.AcceptTools(t.Context(), "a"))
	_, err = made.Head.Request(t.Context(), "tools/call", mcp.NameParams("a", nil), nil)
	require.NoError(t, err)

	_, listed = pinned(t, keys, secondTools)
	assert.JSONEq(t, secondTools, listed, "the next run knows that it was accepted")
}

// Without a file they are remembered by the factory, or by an injected store; tools
// that are denied are of no interest.
func TestToolsArePinnedInMemory(t *testing.T) {
	const keys = "    tools: {pin: refuse}\n"
	store := &policy.MemoryPins{}
	pinned(t, keys, firstTools, WithPinStore(store), WithPinStore(nil))
	_, listed := pinned(t, keys, secondTools, WithPinStore(store))
	assert.JSONEq(t, `{"tools":[{"name":"b"}]}`, listed)
	_, listed = pinned(t, keys, secondTools)
	assert.JSONEq(t, secondTools, listed, "another factory has seen nothing")

	pinned(t, "    tools: {pin: refuse, deny: [a]}\n", firstTools, WithPinStore(&policy.MemoryPins{}))
	pins, err := store.Pins(t.Context(), "s")
	require.NoError(t, err)
	assert.Len(t, pins, 2)
	denied := &policy.MemoryPins{}
	pinned(t, "    tools: {pin: refuse, deny: [a]}\n", firstTools, WithPinStore(denied))
	pins, err = denied.Pins(t.Context(), "s")
	require.NoError(t, err)
	assert.Len(t, pins, 1)

	// A section that is read anew keeps what its factory has seen.
	f := New()
	chain := func(tools string) *Made {
		script := mcptest.NewTransporter(t)
		script.Expect("tools/list").Return(tools)
		require.NoError(t, f.Register("scripted", scriptedType(script)))
		made, err := f.Make(section(t, "servers:\n  s:\n    type: scripted\n"+keys))
		require.NoError(t, err)
		_, err = made.Head.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		require.NoError(t, made.Slot.Close())
		return made
	}
	chain(firstTools)
	assert.Len(t, chain(secondTools).Slot.ChangedTools(), 1)
}

func TestASlotWithoutPins(t *testing.T) {
	slot, _ := newSlot(t, 0)
	assert.Empty(t, slot.ChangedTools())
	require.ErrorContains(t, slot.AcceptTools(t.Context()), "not pinned")
}
