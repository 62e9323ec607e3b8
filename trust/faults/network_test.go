//go:build linux

package faults

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// network is a way in which a network fails.
type network struct {
	name string
	// carry passes on what the server sent, or does not; false ends the
	// connection. It is called with 1 to 64 bytes.
	carry func(random *rand.Rand, client *net.TCPConn, bytes []byte) bool
	fails bool // calls may fail
	// halfOpen: a connection that carry has ended stays open; nothing arrives any
	// more.
	halfOpen bool
	// secure: over TLS, which alone can tell that a few bytes are missing inside a
	// string.
	secure bool
}

func networks() []network {
	whole := func(client *net.TCPConn, bytes []byte) bool {
		_, err := client.Write(bytes)
		return err == nil
	}
	return []network{
		{name: "latency", carry: func(random *rand.Rand, client *net.TCPConn, bytes []byte) bool {
			time.Sleep(time.Duration(random.IntN(3)) * time.Millisecond)
			return whole(client, bytes)
		}},
		{name: "a byte at a time", carry: func(_ *rand.Rand, client *net.TCPConn, bytes []byte) bool {
			for i := range bytes {
				if !whole(client, bytes[i:i+1]) {
					return false
				}
			}
			return true
		}},
		{name: "lost bytes", fails: true, secure: true, carry: func(random *rand.Rand, client *net.TCPConn, bytes []byte) bool {
			if random.IntN(30) == 0 {
				bytes = bytes[:random.IntN(len(bytes))]
			}
			return whole(client, bytes)
		}},
		{name: "resets", fails: true, carry: func(random *rand.Rand, client *net.TCPConn, bytes []byte) bool {
			if random.IntN(30) == 0 {
				_ = client.SetLinger(0)
				return false
			}
			return whole(client, bytes)
		}},
		{name: "ends", fails: true, carry: func(random *rand.Rand, client *net.TCPConn, bytes []byte) bool {
			return random.IntN(30) != 0 && whole(client, bytes)
		}},
		{name: "half-open connections", fails: true, carry: func(random *rand.Rand, client *net.TCPConn, bytes []byte) bool {
			if random.IntN(60) == 0 {
				return false
			}
			return whole(client, bytes)
		}, halfOpen: true},
	}
}

// Over a network that fails every call ends in time with its own answer or an
// error of the type that all have, and when the network is well again so are the
// calls. Chance decides, from a seed that a failure prints;
// FAULTS_SEED repeats it.
func TestFaultyNetworks(t *testing.T) {
	for _, n := range networks() {
		t.Run(n.name, func(t *testing.T) {
			leaks := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, leaks) })
			server := httptest.NewUnstartedServer(serve(scenario{}))
			server.Config.ErrorLog = log.New(io.Discard, "", 0) // what TLS says of lost bytes
			keys := ""
			if n.secure {
				server.StartTLS()
				authority := filepath.Join(t.TempDir(), "ca.pem")
				require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
				keys = "    tls: {ca_file: " + authority + "}\n"
			} else {
				server.Start()
			}
			defer server.Close()
			seed := rand.Uint64()
			if again, err := strconv.ParseUint(os.Getenv("FAULTS_SEED"), 10, 64); err == nil {
				seed = again
			}
			t.Logf("FAULTS_SEED=%d", seed)
			p := startProxy(t, server.Listener.Addr().String(), n, seed)
			defer p.close()
			scheme, _, _ := strings.Cut(server.URL, ":")
			useNetwork(t, n, p, "    base_url: "+scheme+"://"+p.listener.Addr().String()+"\n"+keys)
		})
	}
}

func useNetwork(t *testing.T, n network, p *proxy, keys string) {
	path := filepath.Join(t.TempDir(), "mcp.yaml")
	require.NoError(t, os.WriteFile(path, []byte("servers:\n  s:\n    type: http\n    request_timeout: 2s\n"+
		"    max_request_timeout: 4s\n    connect_timeout: 4s\n    connect_backoff: 1ms\n    read_timeout: 2s\n"+keys), 0o600))
	cfg, err := config.Load(path)
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	defer func() { assert.NoError(t, client.Close()) }()
	server, err := client.Connect("s")
	require.NoError(t, err)
	// The handshake is made on a good network: what fails is what follows.
	_, err = echoOf(t.Context(), server, "first")
	require.NoError(t, err)

	p.faulty.Store(true)
	var callers sync.WaitGroup
	var answered, failed atomic.Int64
	for caller := range 4 {
		callers.Go(func() {
			for i := range 15 {
				want := fmt.Sprintf("%d/%d %s", caller, i, strings.Repeat("x", 500))
				began := time.Now()
				got, err := echoOf(t.Context(), server, want)
				switch {
				case err == nil && got != want:
					t.Errorf("the answer of another call: %.40q", got)
				case err == nil:
					answered.Add(1)
				default:
					failed.Add(1)
					_, typed := errors.AsType[*errors.TransporterRequestError](err)
					assert.True(t, typed, "%v", err)
				}
				assert.Less(t, time.Since(began), 30*time.Second)
			}
		})
	}
	callers.Wait()
	t.Logf("%d answered, %d failed", answered.Load(), failed.Load())
	if n.fails {
		assert.Positive(t, failed.Load(), "nothing failed: the network is not faulty")
	} else {
		assert.Zero(t, failed.Load())
	}
	p.faulty.Store(false)
	p.cut()
	require.Eventually(t, func() bool {
		text, err := echoOf(t.Context(), server, "well again")
		return err == nil && text == "well again"
	}, 20*time.Second, time.Millisecond)
}

func echoOf(ctx context.Context, server *mcpclient.Connection, text string) (string, error) {
	result, err := server.CallTool(ctx, "echo", map[string]any{"text": text})
	if err != nil {
		return "", err
	}
	return result.Text(), nil
}

// proxy passes on what client and server send, the latter over its network once
// that is faulty.
type proxy struct {
	listener net.Listener
	target   string
	network  network
	faulty   atomic.Bool
	running  sync.WaitGroup

	mu    sync.Mutex
	seed  uint64
	pairs map[net.Conn]net.Conn
}

func startProxy(t *testing.T, target string, n network, seed uint64) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: listener, target: target, network: n, seed: seed, pairs: map[net.Conn]net.Conn{}}
	p.running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.running.Go(func() { p.pass(client.(*net.TCPConn)) })
		}
	})
	return p
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.cut()
	p.running.Wait()
}

// cut ends every connection.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for client, server := range p.pairs {
		_ = client.Close()
		_ = server.Close()
	}
}

func (p *proxy) pass(client *net.TCPConn) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	p.mu.Lock()
	p.seed++
	random := rand.New(rand.NewPCG(p.seed, 0))
	p.pairs[client] = server
	p.mu.Unlock()
	p.running.Go(func() {
		_, _ = client.WriteTo(server)
		_ = server.Close()
	})
	bytes := make([]byte, 64)
	dead := false
	for {
		n, err := server.Read(bytes)
		if err != nil {
			break
		}
		if dead {
			continue // until the client gives up
		}
		if p.faulty.Load() {
			if !p.network.carry(random, client, bytes[:n]) {
				if dead = p.network.halfOpen; !dead {
					break
				}
			}
		} else if _, err := client.Write(bytes[:n]); err != nil {
			break
		}
	}
	_ = client.Close()
	_ = server.Close()
	p.mu.Lock()
	delete(p.pairs, client)
	p.mu.Unlock()
}
