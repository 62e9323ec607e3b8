package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/authtest"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// desk is a user at a machine: a server that wants a login, a configuration file
// for it, a home, and a browser.
type desk struct {
	t     *testing.T
	world *authtest.World
	home  string
	port  string
	stdin string
	// browse is what the browser does; nil: all that a user has to.
	browse func(ctx context.Context, target string) error
	pages  []string // that it was shown
}

func newDesk(t *testing.T, auth string) *desk {
	t.Helper()
	d := &desk{t: t, world: authtest.New(t), home: t.TempDir()}
	server := mcptest.NewDemoServer()
	t.Cleanup(server.Close)
	d.world.Handler = server.Handler()
	for _, variable := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(variable, d.home)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, d.port, _ = net.SplitHostPort(listener.Addr().String())
	require.NoError(t, listener.Close())
	d.configure(auth)
	return d
}

// configure writes the configuration; REDIRECT in the section auth stands for a
// redirect URL on this machine.
func (d *desk) configure(auth string) {
	auth = strings.ReplaceAll(auth, "REDIRECT", "http://127.0.0.1:"+d.port+"/callback")
	text := fmt.Sprintf("servers:\n  files:\n    type: http\n    base_url: %s\n    %s\n", d.world.Endpoint(), auth)
	require.NoError(d.t, os.WriteFile(d.file(), []byte(text), 0o600))
}

func (d *desk) file() string { return filepath.Join(d.home, "mcp.yaml") }

// run is one run of the program.
func (d *desk) run(arguments ...string) outcome {
	d.t.Helper()
	return d.runWith(d.t.Context(), arguments...)
}

func (d *desk) runWith(ctx context.Context, arguments ...string) outcome {
	d.t.Helper()
	var stdout, stderr bytes.Buffer
	p := &program{stdin: strings.NewReader(d.stdin), stdout: &stdout, stderr: &stderr, executable: os.Executable}
	browsing := make(chan error, 1)
	opened := false
	p.openBrowser = func(ctx context.Context, target string) error {
		opened = true
		browse := d.browse
		if browse == nil {
			browse = d.agree
		}
		go func() { browsing <- browse(context.WithoutCancel(ctx), target) }()
		return nil
	}
	code := p.run(ctx, append([]string{"--config", d.file()}, arguments...))
	if opened {
		require.NoError(d.t, <-browsing)
	}
	assert.NotContains(d.t, stdout.String()+stderr.String(), "canary", "no token, code or secret")
	return outcome{code, stdout.String(), stderr.String()}
}

// agree follows the redirects, as a browser does, to the end.
func (d *desk) agree(ctx context.Context, target string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	d.pages = append(d.pages, string(text))
	return err
}

// firstAddress tells the first line that is an address.
type firstAddress struct {
	lockedBuffer
	found chan string
	told  bool
}

func (f *firstAddress) Write(data []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text.Write(data)
	for line := range strings.Lines(f.text.String()) {
		if address := strings.TrimSpace(line); !f.told && strings.HasPrefix(address, "http") && strings.HasSuffix(line, "\n") {
			f.told = true
			f.found <- address
		}
	}
	return len(data), nil
}

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// asBrowser, in the environment of this test program, makes it one.
const asBrowser = "MCPCLIENT_TEST_AS_BROWSER"

// browse is a browser that follows an address to its end.
func browse(address string) int {
	response, err := http.Get(address)
	if err != nil || response.Body.Close() != nil || response.StatusCode != http.StatusOK {
		return 1
	}
	return 0
}
