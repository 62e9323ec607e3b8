//go:build unix

package redis

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wire stands between one replica and Redis, and can be cut, or held up.
type wire struct {
	*redisServer // as the replica sees it
	listener     net.Listener

	mu    sync.Mutex
	conns map[net.Conn]struct{}
	isCut bool
	held  chan struct{} // nil, or what passes waits for it
	ended sync.WaitGroup
}

func startWire(t *testing.T, to *redisServer) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w := &wire{listener: listener, conns: map[net.Conn]struct{}{}, redisServer: &redisServer{t: t, shown: "redis://" + listener.Addr().String()}}
	w.ended.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			w.ended.Go(func() { w.carry(conn, "127.0.0.1:"+to.port) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		w.release()
		w.cut()
		w.ended.Wait()
	})
	return w
}

func (w *wire) carry(conn net.Conn, address string) {
	defer func() { _ = conn.Close() }()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	w.mu.Lock()
	if w.isCut {
		w.mu.Unlock()
		return
	}
	w.conns[conn], w.conns[server] = struct{}{}, struct{}{}
	w.mu.Unlock()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{conn, server}, {server, conn}} {
		both.Go(func() {
			_, _ = io.Copy(holding{way[0], w}, way[1])
			_, _ = conn.Close(), server.Close()
		})
	}
	both.Wait()
}

// holding is a connection of a wire that may be held up.
type holding struct {
	net.Conn
	wire *wire
}

func (h holding) Write(data []byte) (int, error) {
	h.wire.mu.Lock()
	held := h.wire.held
	h.wire.mu.Unlock()
	if held != nil {
		<-held
	}
	return h.Conn.Write(data)
}

func (h holding) ReadFrom(from io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{h}, from)
}

// cut ends all connections, and refuses others until mend.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = true
	for conn := range w.conns {
		_ = conn.Close()
	}
	clear(w.conns)
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = false
}

// hold lets nothing pass any more, until release; nobody is told.
func (w *wire) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = make(chan struct{})
}

func (w *wire) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held != nil {
		close(w.held)
		w.held = nil
	}
}

// eventually waits until the replica finds the value.
func eventually(t *testing.T, cache *Cache, want string, within time.Duration, why string) {
	t.Helper()
	require.Eventually(t, func() bool {
		value, _, err := cache.Get(t.Context(), ofAlice, ofAlice)
		return err == nil && string(value) == want
	}, within, time.Millisecond, why)
}

// A change that one replica hears of is obeyed by all within a second; also by one
// that was cut off from Redis when that told of it.
func TestAChangeIsObeyedByAll(t *testing.T) {
	t.Parallel() // it waits most of its time
	server := startRedis(t)
	line := startWire(t, server)
	const patient = "timeout: 10s, token_timeout: 10s"
	here := server.connect(t, patient).Cache.(*Cache)
	others := []*Cache{
		server.connect(t, patient).Cache.(*Cache), server.connect(t, patient).Cache.(*Cache),
		line.connect(t, "timeout: 500ms, token_timeout: 500ms").Cache.(*Cache),
	}
	away := others[2]
	everywhere := func(value string) {
		t.Helper()
		require.Eventually(t, func() bool { // also after a breaker
			_, _, err := away.Get(t.Context(), ofAlice, ofAlice)
			return err == nil
		}, 30*time.Second, time.Millisecond)
		kept(t, here, ofAlice, value)
		for _, cache := range others {
			eventually(t, cache, value, 5*time.Second, "kept")
		}
	}
	deletions := map[string]func() error{
		"of all":         func() error { return here.Delete(t.Context(), "s-0:tools/list:") },
		"of a principal": func() error { return here.DeleteOf(t.Context(), []string{"s-0:tools/list:"}, []string{"alice"}) },
	}
	for name, deletion := range deletions {
		t.Run(name, func(t *testing.T) {
			everywhere("{1}")
			require.NoError(t, deletion())
			for _, cache := range others {
				eventually(t, cache, "", time.Second, "obeyed")
			}

			everywhere("{2}")
			line.cut()
			require.NoError(t, deletion())
			gives := func(within time.Duration, why string) {
				t.Helper()
				require.Eventually(t, func() bool {
					value, _, err := away.Get(t.Context(), ofAlice, ofAlice)
					return err != nil || value == nil
				}, within, time.Millisecond, why)
			}
			gives(time.Second, "what it had in memory went with the connection")
			line.mend()
			eventually(t, away, "", 30*time.Second, "after it is back")

			everywhere("{3}")
			line.hold()
			require.NoError(t, deletion())
			for _, cache := range others[:2] {
				eventually(t, cache, "", time.Second, "one that hangs keeps nobody waiting")
			}
			// It cannot know, until Redis does not answer a ping.
			gives(keepAlive+time.Second+3*time.Second, "what it has in memory goes")
			line.release()
			eventually(t, away, "", 30*time.Second, "and finds nothing old after that")
		})
	}
}

// What Redis has forgotten of a deletion, since it was started again with what was on
// the disk before, the replica that made it makes again.
func TestADeletionThatRedisHasForgotten(t *testing.T) {
	for name, keys := range map[string]string{"near": "", "far": "near_cache: false"} {
		t.Run(name, func(t *testing.T) {
			server := startRedis(t)
			here, elsewhere := server.connect(t, keys).Cache.(*Cache), server.connect(t, keys).Cache.(*Cache)
			kept(t, here, ofAlice, "{1}")
			require.Equal(t, "+OK\r\n", server.command("SAVE"))
			require.NoError(t, here.DeleteOf(t.Context(), []string{"s-0:tools/list:"}, []string{"alice"}))
			assert.Empty(t, found(t, elsewhere, ofAlice))
			server.kill()
			server.start()
			for _, cache := range []*Cache{here, elsewhere} {
				require.Eventually(t, func() bool {
					value, _, err := cache.Get(t.Context(), ofAlice, ofAlice)
					assert.Empty(t, value)
					return err == nil
				}, 30*time.Second, 10*time.Millisecond)
			}
			kept(t, here, ofAlice, "{2}")
			eventually(t, elsewhere, "{2}", time.Second, "no more than once")
		})
	}
}
