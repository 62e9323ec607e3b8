package session_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/session/storetest"
)

// verdicts is a VerdictStore in memory.
type verdicts struct{ known sync.Map }

func (v *verdicts) LoadVerdict(_ context.Context, key string) (session.Verdict, bool) {
	found, ok := v.known.Load(key)
	if !ok {
		return session.Verdict{}, false
	}
	return found.(session.Verdict), true
}

func (v *verdicts) SaveVerdict(_ context.Context, key string, verdict session.Verdict) {
	v.known.Store(key, verdict)
}

// TestVerdictStore holds R043: the era is remembered beyond the process, a wrong
// verdict is replaced, an old legacy one is not believed, a failure is not kept.
func TestVerdictStore(t *testing.T) {
	connect := func(t *testing.T, store *verdicts, link *mcptest.ScriptedLink) []string {
		s := newSession(t, link, nil, session.WithVerdictStore(store, "k"))
		_, _ = s.ServerInfo(t.Context())
		return methods(link)
	}
	initializeOnly := func(t *testing.T) *mcptest.ScriptedLink {
		link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
		link.On("initialize").Return(initializeResult)
		return link
	}
	store := &verdicts{}
	require.Equal(t, legacySent, connect(t, store, legacyLink(t)))
	require.Equal(t, legacySent[1:], connect(t, store, initializeOnly(t)), "no probe this time")

	refuted := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
	refuted.On("initialize").Status(400).Fail(-32022, "modern", unsupported(`["2026-07-28"]`))
	refuted.On("server/discover").Return(discoverResult)
	require.Equal(t, []string{"initialize", "server/discover"}, connect(t, store, refuted))
	require.Equal(t, probeSent, connect(t, store, modernLink(t)))

	store.SaveVerdict(t.Context(), "k", session.Verdict{Era: mcp.EraLegacy, Version: mcp.Version20251125, DecidedAt: time.Now().Add(-25 * time.Hour)})
	require.Equal(t, legacySent, connect(t, store, legacyLink(t)), "too old to be believed")

	failing := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
	failing.On("server/discover").Status(503)
	empty := &verdicts{}
	connect(t, empty, failing)
	_, kept := empty.LoadVerdict(t.Context(), "k")
	require.False(t, kept)
}

func TestVerdictStoreInMemory(t *testing.T) {
	storetest.Verdicts(t, func(*testing.T) (first, second session.VerdictStore) {
		store := &verdicts{}
		return store, store
	})
}
