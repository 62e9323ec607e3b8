package supervise

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/transporters"
)

type standingLink struct {
	transporters.Link
	listened bool
}

func (l *standingLink) Listen(_ context.Context, _ http.Header, tried func()) error {
	l.listened = true
	tried()
	return nil
}

// TestStandingIsForwarded: a supervised link's standing stream can be asked for;
// one that has none says so at once.
func TestStandingIsForwarded(t *testing.T) {
	tried := 0
	with := &standingLink{}
	require.NoError(t, (&generation{link: with}).Listen(t.Context(), nil, func() { tried++ }))
	require.True(t, with.listened)
	without := &generation{link: struct{ transporters.Link }{}}
	require.ErrorIs(t, without.Listen(t.Context(), nil, func() { tried++ }), transporters.ErrNotOffered)
	require.Equal(t, 2, tried)
	require.ErrorIs(t, without.Listen(t.Context(), nil, nil), transporters.ErrNotOffered)
}
