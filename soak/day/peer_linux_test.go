package day

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcptest"
)

// peer is one of the five servers, seen from outside.
type peer struct {
	t       *testing.T
	kind    serverKind
	folder  string
	backend *backend // of a stdio server: whose children are its processes

	listener *os.File
	address  string // past the proxy
	proxy    *mcptest.FaultyProxy

	mu      sync.Mutex
	process *exec.Cmd
}

// newPeer starts a server over HTTP. Its socket belongs to this program, so that
// each process that serves it, one after the other, has the same address.
func newPeer(t *testing.T, kind serverKind, folder string, seed uint64) *peer {
	p := &peer{t: t, kind: kind, folder: folder}
	if kind.stdio {
		return p
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p.address = listener.Addr().String()
	p.listener, err = listener.(*net.TCPListener).File()
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	t.Cleanup(func() { _ = p.listener.Close() })
	kind.faults.Seed = seed
	p.proxy = mcptest.StartFaultyProxy(t, "http://"+p.address+"/mcp", kind.faults)
	t.Cleanup(p.kill)
	p.start()
	return p
}

// origin is where clients and browsers find it.
func (p *peer) origin() string { return p.proxy.URL()[:len(p.proxy.URL())-len("/mcp")] }

func (p *peer) start() {
	self, err := os.Executable()
	require.NoError(p.t, err)
	process := exec.Command(self)
	process.Env = append(os.Environ(), roleVariable+"="+p.kind.name, noteVariable+"="+filepath.Join(p.folder, "notes"), originVariable+"="+p.origin())
	process.ExtraFiles = []*os.File{p.listener}
	process.Stderr = os.Stderr
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(p.t, process.Start())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.process = process
}

func (p *peer) kill() {
	p.tell("violations", nil)
	p.mu.Lock()
	process := p.process
	p.process = nil
	p.mu.Unlock()
	if process != nil {
		_ = process.Process.Kill()
		_ = process.Wait()
	}
}

// tell uses a control of the server, past the proxy.
func (p *peer) tell(what string, body any) string {
	if p.kind.stdio {
		return ""
	}
	encoded, err := json.Marshal(body)
	require.NoError(p.t, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	response, err := client.Post("http://"+p.address+"/control/"+what, "application/json", bytes.NewReader(encoded))
	if err != nil {
		p.t.Logf("%s: control %s: %v", p.kind.name, what, err)
		return ""
	}
	defer func() { _ = response.Body.Close() }()
	var text bytes.Buffer
	_, _ = text.ReadFrom(response.Body)
	return text.String()
}

// onProcess signals one of a stdio server's processes.
func onProcess(signal syscall.Signal) func(*peer, *rand.Rand) func() {
	return func(p *peer, random *rand.Rand) func() {
		if children := p.backend.children(); len(children) > 0 {
			_ = syscall.Kill(children[random.IntN(len(children))], signal)
		}
		return nil
	}
}

// freeze stops all processes of a stdio server: they live and do nothing.
func freeze(p *peer, _ *rand.Rand) func() {
	stopped := p.backend.children()
	for _, pid := range stopped {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
	now := time.Now()
	p.backend.frozenSince.Store(&now)
	return func() {
		for _, pid := range stopped {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
		p.backend.frozenSince.Store(nil)
	}
}

func restart(p *peer, _ *rand.Rand) func() {
	p.proxy.Refuse(true)
	p.kill()
	p.proxy.Reset()
	return func() {
		p.start()
		p.proxy.Refuse(false)
	}
}

func refuse(p *peer, _ *rand.Rand) func() {
	p.proxy.Refuse(true)
	p.proxy.Reset()
	return func() { p.proxy.Refuse(false) }
}

func stall(p *peer, _ *rand.Rand) func() {
	p.proxy.Stall(true)
	return func() {
		p.proxy.Reset()
		p.proxy.Stall(false)
	}
}

func control(what string, body any) func(*peer, *rand.Rand) func() {
	return func(p *peer, _ *rand.Rand) func() {
		p.tell(what, body)
		return nil
	}
}

// sick has the server fall ill until the fault ends.
func sick(what illness) func(*peer, *rand.Rand) func() {
	return func(p *peer, _ *rand.Rand) func() {
		p.tell("ill", struct {
			illness
			For time.Duration
		}{what, time.Minute})
		return func() { p.tell("ill", illness{}) }
	}
}
