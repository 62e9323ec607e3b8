package httplink

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func message(t *testing.T, text string) mcp.Message {
	t.Helper()
	m, err := jsonrpc.Scan([]byte(text))
	require.NoError(t, err)
	return m
}

// P28, P82: what finds an exchange, and what does not.
func TestRoute(t *testing.T) {
	for text, found := range map[string]bool{
		answer7:                                  true,
		`{"jsonrpc":"2.0","id":"7","result":{}}`: true,
		`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}`: true,
		answer8: false,
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`: false,
		`{"jsonrpc":"2.0","id":"x","result":{}}`:                       false,
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`:                     false,
		progress70: true,
		progress99: false,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"70","progress":1}}`: true,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}`:  false,
		`{"jsonrpc":"2.0","method":"notifications/progress"}`:                                              false,
		logMessage: false,
	} {
		var table pendingTable
		s := &sink{}
		w, err := table.add(resumable(7), s)
		require.NoError(t, err)
		assert.Equal(t, found, table.route(message(t, text)), text)
		assert.Equal(t, found, s.arrived.Load() == 1, text)
		if w.settled.Load() {
			assert.False(t, table.route(message(t, text)), "an answer is taken once")
			assert.False(t, table.remove(w))
		} else {
			assert.True(t, table.remove(w))
			assert.False(t, table.route(message(t, answer7)))
		}
		assert.Empty(t, table.byID)
		assert.Empty(t, table.byToken)
	}
}

// An id or a token in use is refused before anything is sent; a call without a
// token takes none.
func TestPendingIDsAreUnique(t *testing.T) {
	var table pendingTable
	for id := range uint64(3) {
		out := resumable(7 + id)
		out.Token = 0
		_, err := table.add(out, &sink{})
		require.NoError(t, err)
	}
	_, err := table.add(resumable(7), &sink{})
	require.ErrorIs(t, err, errors.ErrNotSent)
	first := resumable(20)
	_, err = table.add(first, &sink{})
	require.NoError(t, err)
	second := resumable(21)
	second.Token = first.Token
	_, err = table.add(second, &sink{})
	require.ErrorIs(t, err, errors.ErrNotSent)
	assert.ErrorContains(t, err, "progress token 200")
}

// More events than the bound fail the call, and never get lost in silence.
func TestEventsBeyondTheBound(t *testing.T) {
	var table pendingTable
	w, err := table.add(resumable(7), &sink{})
	require.NoError(t, err)
	big := message(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":70,"message":"`+strings.Repeat("x", 1<<20)+`"}}`)
	for range 7 {
		require.True(t, table.route(big))
		require.False(t, w.settled.Load())
	}
	require.True(t, table.route(big))
	require.True(t, w.settled.Load())
	require.ErrorIs(t, w.err, errors.ErrDeliveryDropped)

	out := resumable(8)
	out.WantEvents = false
	w, err = table.add(out, &sink{})
	require.NoError(t, err)
	quiet := message(t, strings.Replace(string(big.Raw), "70", "80", 1))
	for range 20 {
		require.True(t, table.route(quiet))
	}
	require.False(t, w.settled.Load(), "nothing is queued for nobody")
	assert.Nil(t, w.events, "there is not even a queue")
}
