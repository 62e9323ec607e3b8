package mcptest

import (
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"time"
)

// NetworkFaults say how a FaultyProxy misbehaves. The zero value is a proxy that
// does as it should until one of its methods is called.
type NetworkFaults struct {
	// Seed makes one run differ from another.
	Seed uint64
	// Latency is how long each piece waits on its way to the client.
	Latency time.Duration
	// Pieces, if not 0, is the size in bytes of the largest piece in which answers
	// reach the client: frames arrive in halves. The sizes are drawn.
	Pieces int
	// ResetAfter, if not 0, resets each connection after that many bytes have
	// reached the client.
	ResetAfter int64
	// Reset is the probability, from 0 to 1, with which a new connection is reset
	// before anything passes.
	Reset float64
}

// FaultyProxy is a network between a client and a server over TCP, HTTP mostly,
// that does not work as it should. It is safe for concurrent use.
type FaultyProxy struct {
	url      string
	target   string
	faults   NetworkFaults
	listener net.Listener
	serving  sync.WaitGroup

	mu          sync.Mutex
	random      *rand.Rand
	connections map[*net.TCPConn]struct{} // both ends of each
	accepted    int
	refusing    bool
	stalled     chan struct{} // not nil: closed when bytes may pass again
	closed      bool
}

// StartFaultyProxy starts a proxy on a free port of the loopback interface that
// leads to the host of the URL. It ends with the test.
func StartFaultyProxy(t TB, target string, faults NetworkFaults) *FaultyProxy {
	t.Helper()
	parsed, err := url.Parse(target)
	if err != nil || parsed.Port() == "" {
		t.Fatalf("a faulty proxy needs a URL with a port: %s", target)
		return nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("cannot listen on the loopback interface: %v", err)
		return nil
	}
	p := &FaultyProxy{
		target: parsed.Host, faults: faults, listener: listener,
		random: rand.New(rand.NewPCG(faults.Seed, 0)), connections: map[*net.TCPConn]struct{}{},
	}
	parsed.Host = listener.Addr().String()
	p.url = parsed.String()
	p.serving.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// URL returns the target's URL with the proxy in the place of its host.
func (p *FaultyProxy) URL() string { return p.url }

// Connections returns how many connections clients have made so far.
func (p *FaultyProxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// Reset resets every connection that is open.
func (p *FaultyProxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for connection := range p.connections {
		reset(connection)
	}
}

// Refuse resets connections that are made from now on, until it is called with
// false. Those that are open stay.
func (p *FaultyProxy) Refuse(refuse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusing = refuse
}

// Stall keeps back what servers send, until it is called with false: connections
// stay open, and nothing comes.
func (p *FaultyProxy) Stall(stall bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case stall && p.stalled == nil:
		p.stalled = make(chan struct{})
	case !stall && p.stalled != nil:
		close(p.stalled)
		p.stalled = nil
	}
}

func (p *FaultyProxy) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	_ = p.listener.Close()
	p.Reset()
	p.Stall(false)
	p.serving.Wait()
}

func (p *FaultyProxy) accept() {
	for {
		connection, err := p.listener.Accept()
		if err != nil {
			return // the proxy was closed
		}
		client := connection.(*net.TCPConn)
		if !p.admit(client) {
			reset(client)
			continue
		}
		p.serving.Go(func() { p.serve(client) })
	}
}

// admit decides whether a connection is served, and counts it.
func (p *FaultyProxy) admit(client *net.TCPConn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accepted++
	if p.closed || p.refusing || p.random.Float64() < p.faults.Reset {
		return false
	}
	p.connections[client] = struct{}{}
	return true
}

// keep makes Reset reach the server's end, unless it is too late.
func (p *FaultyProxy) keep(server *net.TCPConn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connections[server] = struct{}{}
	return !p.closed
}

// drop closes one end for good.
func (p *FaultyProxy) drop(connection *net.TCPConn) {
	p.mu.Lock()
	delete(p.connections, connection)
	p.mu.Unlock()
	_ = connection.Close() // it may be closed already
}

// serve carries bytes both ways until either end is closed.
func (p *FaultyProxy) serve(client *net.TCPConn) {
	defer p.drop(client)
	dialled, err := net.DialTimeout("tcp", p.target, 10*time.Second)
	if err != nil {
		reset(client)
		return
	}
	server := dialled.(*net.TCPConn)
	defer p.drop(server)
	if !p.keep(server) {
		return
	}
	p.serving.Go(func() {
		if _, err := server.ReadFrom(client); err == nil {
			_ = server.CloseWrite() // the client has no more to say
		} else {
			_ = server.Close()
		}
	})
	p.answer(server, client)
}

// answer carries what the server sends.
func (p *FaultyProxy) answer(server, client *net.TCPConn) {
	buffer := make([]byte, 32<<10)
	var passed int64
	for {
		n, err := server.Read(buffer)
		for piece := range p.pieces(buffer[:n]) {
			if limit := p.faults.ResetAfter; limit > 0 && passed+int64(len(piece)) > limit {
				_, _ = client.Write(piece[:limit-passed])
				reset(client)
				return
			}
			if !p.pass(client, piece) {
				return
			}
			passed += int64(len(piece))
		}
		if err != nil {
			return
		}
	}
}

// pieces gives what was read in parts of drawn sizes.
func (p *FaultyProxy) pieces(read []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(read) > 0 {
			n := len(read)
			if p.faults.Pieces > 0 {
				p.mu.Lock()
				n = min(n, 1+p.random.IntN(p.faults.Pieces))
				p.mu.Unlock()
			}
			if !yield(read[:n]) {
				return
			}
			read = read[n:]
		}
	}
}

// pass writes a piece when it may pass.
func (p *FaultyProxy) pass(client *net.TCPConn, piece []byte) bool {
	time.Sleep(p.faults.Latency)
	for {
		p.mu.Lock()
		stalled := p.stalled
		p.mu.Unlock()
		if stalled == nil {
			break
		}
		<-stalled
	}
	_, err := client.Write(piece)
	return err == nil
}

// reset closes a connection with an RST: what is on its way is lost.
func reset(connection *net.TCPConn) {
	_ = connection.SetLinger(0) // fails only on a connection that is closed already
	_ = connection.Close()
}
