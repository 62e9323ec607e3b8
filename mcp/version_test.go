package mcp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
)

func TestVersions(t *testing.T) {
	for _, test := range []struct {
		version mcp.Version
		era     mcp.Era
		header  bool
	}{
		{"2024-11-05", mcp.EraLegacy, false},
		{"2025-03-26", mcp.EraLegacy, false},
		{"2025-06-18", mcp.EraLegacy, true}, // R098
		{"2025-11-25", mcp.EraLegacy, true},
		{"2026-07-28", mcp.EraModern, true}, // R075
		{"2031-01-01", mcp.EraUnknown, false},
		{"", mcp.EraUnknown, false},
	} {
		require.Equal(t, test.era, test.version.Era(), test.version)
		require.Equal(t, test.header, test.version.HasVersionHeader(), test.version)
	}
	newest, ok := mcp.NewestCommon(mcp.LegacyVersions(), []mcp.Version{"2024-11-05", "2025-06-18", "2031-01-01"})
	require.True(t, ok)
	require.Equal(t, mcp.Version20250618, newest)
	_, ok = mcp.NewestCommon(mcp.ModernVersions(), []mcp.Version{"2024-11-05"})
	require.False(t, ok)
	require.Equal(t, "legacy", mcp.EraLegacy.String())
	require.Equal(t, "unknown", mcp.EraUnknown.String())
}

// TestIDs holds R003, P12 and P19: ids keep their bytes, and an integer echoed
// as a string is recognised.
func TestIDs(t *testing.T) {
	for _, test := range []struct {
		id   mcp.ID
		want uint64
		ok   bool
	}{
		{mcp.NumberID(7), 7, true},
		{mcp.StringID("7"), 7, true},
		{mcp.ID(`18446744073709551615`), 1<<64 - 1, true},
		{mcp.ID(`18446744073709551616`), 0, false},
		{mcp.ID(`007`), 0, false}, {mcp.ID(`-1`), 0, false}, {mcp.ID(`"a"`), 0, false},
		// Numbers that some libraries write for an integer.
		{mcp.ID(`1.0`), 1, true}, {mcp.ID(`3e0`), 3, true}, {mcp.ID(`30e-1`), 3, true}, {mcp.ID(`0.3E1`), 3, true},
		{mcp.ID(`1.25e+2`), 125, true}, {mcp.ID(`0.0`), 0, true}, {mcp.ID(`0e9`), 0, true}, {mcp.ID(`12.000`), 12, true},
		{mcp.ID(`1.8446744073709551615e19`), 1<<64 - 1, true}, {mcp.ID(`9007199254740993.0`), 9007199254740993, true},
		{mcp.ID(`1.8446744073709551616e19`), 0, false}, {mcp.ID(`1e20`), 0, false}, {mcp.ID(`1e99999999999999999999`), 0, false},
		{mcp.ID(`1.5`), 0, false}, {mcp.ID(`31e-1`), 0, false}, {mcp.ID(`-1.0`), 0, false}, {mcp.ID(`-10e-1`), 0, false},
		{mcp.ID(`1.`), 0, false}, {mcp.ID(`.5e1`), 0, false}, {mcp.ID(`1e`), 0, false}, {mcp.ID(`01.0`), 0, false},
		{mcp.ID(`1.0.0`), 0, false}, {mcp.ID(`1e0e0`), 0, false}, {mcp.ID(`"1.0"`), 0, false},
		{mcp.ID(`""`), 0, false}, {mcp.ID(`"`), 0, false}, {mcp.ID(`null`), 0, false}, {nil, 0, false},
	} {
		got, ok := test.id.Uint64()
		require.Equal(t, test.ok, ok, "%s", test.id)
		require.Equal(t, test.want, got, "%s", test.id)
	}
	require.False(t, mcp.NumberID(1).Equal(mcp.StringID("1")))
	require.True(t, mcp.ID("null").IsNull())
	require.True(t, mcp.ID(nil).IsZero())
}

func TestMessageKinds(t *testing.T) {
	for _, test := range []struct {
		message mcp.Message
		kind    mcp.MessageKind
	}{
		{mcp.Message{Method: "ping", ID: mcp.NumberID(1)}, mcp.KindRequest},
		{mcp.Message{Method: "ping", ID: mcp.ID("null")}, mcp.KindRequest},
		{mcp.Message{Method: "notifications/x"}, mcp.KindNotification},
		{mcp.Message{ID: mcp.NumberID(1), Result: []byte("null")}, mcp.KindResponse},
		{mcp.Message{Error: []byte("{}")}, mcp.KindResponse},
		{mcp.Message{ID: mcp.NumberID(1)}, mcp.KindInvalid},
	} {
		require.Equal(t, test.kind, test.message.Kind())
	}
	broken := mcp.Message{Error: []byte(`"oops"`)}
	require.Contains(t, broken.Failure().Message, "unreadable error object")
	silent := mcp.Message{Error: []byte(`{"code":5}`)}
	require.Equal(t, 5, silent.Failure().Code)
	require.NotEmpty(t, silent.Failure().Message)
}
