package dial

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveCounting starts a server that counts the connections that were closed.
func serveCounting(t *testing.T) (url string, closed *atomic.Int32) {
	closed = new(atomic.Int32)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, closed
}

func TestSharesOfATransport(t *testing.T) {
	url, closed := serveCounting(t)
	pool := NewPool()
	defer pool.Close()
	first, err := pool.Share(Settings{})
	require.NoError(t, err)
	second, err := pool.Share(Settings{})
	require.NoError(t, err)
	other, err := pool.Share(Settings{IdlePerHost: 1})
	require.NoError(t, err)
	assert.Same(t, first.Transport(), second.Transport())
	assert.NotSame(t, first.Transport(), other.Transport())
	_, err = get(t, first.Transport(), url)
	require.NoError(t, err)

	first.Release()
	first.Release() // counts once
	other.Release()
	_, err = get(t, second.Transport(), url)
	require.NoError(t, err)
	assert.Zero(t, closed.Load())
	third, err := pool.Share(Settings{})
	require.NoError(t, err)
	assert.Same(t, second.Transport(), third.Transport())
	third.Release()
	assert.Zero(t, closed.Load())

	second.Release()
	require.Eventually(t, func() bool { return closed.Load() == 1 }, 10*time.Second, time.Millisecond)
	assert.Empty(t, pool.transports, "what nobody uses is forgotten")

	next, err := pool.Share(Settings{})
	require.NoError(t, err)
	assert.NotSame(t, second.Transport(), next.Transport())
	_, err = get(t, second.Transport(), url)
	require.NoError(t, err, "a released transport works on")
	second.Release()
	require.Eventually(t, func() bool { return closed.Load() == 2 }, 10*time.Second, time.Millisecond)
	assert.Len(t, pool.transports, 1, "the new one stays")
	next.Release()
}

// A transport that somebody has without a share is nobody's to end.
func TestLentTransportOutlivesShares(t *testing.T) {
	url, closed := serveCounting(t)
	pool := NewPool()
	defer pool.Close()
	lent, err := pool.Transport(Settings{})
	require.NoError(t, err)
	share, err := pool.Share(Settings{})
	require.NoError(t, err)
	assert.Same(t, lent, share.Transport())
	_, err = get(t, lent, url)
	require.NoError(t, err)
	share.Release()
	assert.Zero(t, closed.Load())
	again, err := pool.Transport(Settings{})
	require.NoError(t, err)
	assert.Same(t, lent, again)
}

func TestShareOfFaultySettings(t *testing.T) {
	_, err := NewPool().Share(Settings{Proxy: "ftp://x"})
	require.ErrorContains(t, err, "proxy: ")
}
