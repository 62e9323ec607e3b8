package interop

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/internal/process"
	"github.com/mcp-client-go/mcpclient/peers/wire"
)

// Workshop is where the servers' programs are.
type Workshop struct {
	// Peers is the absolute path of the folder peers, with the npm packages
	// installed.
	Peers string
	// Programs is the absolute path of the folder with the built programs.
	Programs string
	// Scratch is a folder for files of the run; the caller removes it.
	Scratch string
	mu      sync.Mutex
	files   int
}

// Program returns the path of a built program.
func (w *Workshop) Program(name string) string { return filepath.Join(w.Programs, name) }

// Node returns the command of a server below peers: the path of its script and
// its arguments.
func (w *Workshop) Node(script string, arguments ...string) []string {
	return append([]string{"node", "--require", filepath.Join(w.Peers, "loopback.cjs"), filepath.Join(w.Peers, script)}, arguments...)
}

// File returns the path of a new file in the scratch folder.
func (w *Workshop) File(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files++
	return filepath.Join(w.Scratch, fmt.Sprintf("%03d-%s", w.files, name))
}

// Server is a server that can be reached.
type Server struct {
	// Section is its section in the client's configuration.
	Section map[string]any
	tee     string      // over stdio: the file of the tee
	proxy   *wire.Proxy // over HTTP: the proxy in front of it; nil if it is reached directly
	process process.Child
	output  *output
}

// stdio returns a server that the client starts itself, through the tee.
func (w *Workshop) stdio(command []string, environment map[string]string) *Server {
	file := w.File("tee.jsonl")
	section := map[string]any{
		"type":    "stdio",
		"command": append([]string{w.Program("peers-tee"), file}, command...),
		// Some servers stay when stdin ends, and need the signal.
		"shutdown_timeout": "1s",
	}
	if environment != nil {
		section["env"] = environment
	}
	return &Server{Section: section, tee: file}
}

// http starts a server that serves HTTP on a port of the loopback interface and
// puts the proxy in front of it. ready, with a group for the port, matches the
// line that tells the port; where it is nil, the server is expected at port.
// kind is the type in the configuration: http or sse.
func (w *Workshop) http(ctx context.Context, kind string, command, environment []string, ready *regexp.Regexp, port, path string) (*Server, error) {
	s := &Server{output: &output{ready: ready, port: make(chan string, 1)}}
	child, err := process.Start(ctx, process.Spec{
		Command: command,
		Env:     append(process.Environ(), environment...),
		Stderr:  s.output.line,
	})
	if err != nil {
		return nil, err
	}
	s.process = child
	go s.output.read(child.Stdout())
	if ready == nil {
		err = waitForPort(ctx, child, port)
	} else {
		port, err = s.output.waitForPort(ctx, child)
	}
	if err != nil {
		s.Stop()
		return nil, fmt.Errorf("%w; it printed:\n%s", err, s.Output())
	}
	if s.proxy, err = wire.StartProxy("http://127.0.0.1:" + port + path); err != nil {
		s.Stop()
		return nil, err
	}
	s.Section = map[string]any{"type": kind, "base_url": s.proxy.URL()}
	return s, nil
}

// Stop ends what was started. Over stdio there is nothing left to end: the
// process is the client's.
func (s *Server) Stop() {
	if s.proxy != nil {
		_ = s.proxy.Close()
	}
	if s.process != nil {
		ended, cancel := context.WithCancel(context.Background())
		cancel() // its whole group, at once
		_ = s.process.Shutdown(ended, 0)
	}
}

// Records returns what was recorded on the wire so far.
func (s *Server) Records() ([]wire.Record, error) {
	if s.proxy != nil {
		return s.proxy.Records(), nil
	}
	if s.tee != "" {
		return wire.ReadFile(s.tee)
	}
	return nil, nil
}

// Output returns what the server printed so far.
func (s *Server) Output() string {
	if s.output != nil {
		return s.output.text()
	}
	records, err := s.Records()
	if err != nil {
		return err.Error()
	}
	var text strings.Builder
	for _, r := range records {
		if r.Kind == wire.Stderr || r.Kind == wire.Exit {
			fmt.Fprintln(&text, r)
		}
	}
	return text.String()
}

// poll is how often a condition that nothing announces is looked at.
const poll = 10 * time.Millisecond

// until waits for a condition, as long as ctx lasts.
func until(ctx context.Context, what string, holds func() bool) error {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		}
	}
	return nil
}

// waitForPort waits until somebody listens on the port.
func waitForPort(ctx context.Context, child process.Child, port string) error {
	ended := false
	err := until(ctx, "port "+port, func() bool {
		select {
		case <-child.Done():
			ended = true
			return true
		default:
		}
		connection, err := net.DialTimeout("tcp", "127.0.0.1:"+port, time.Second)
		if err != nil {
			return false
		}
		connection.Close()
		return true
	})
	if ended {
		return fmt.Errorf("the process ended: %s", child.ExitState())
	}
	return err
}

// output keeps what a server prints and looks for the line that tells its port.
type output struct {
	ready   *regexp.Regexp
	port    chan string
	mu      sync.Mutex
	printed strings.Builder
	told    bool
}

func (o *output) read(stdout io.ReadCloser) {
	defer stdout.Close()
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		o.line(lines.Text())
	}
	_, _ = io.Copy(io.Discard, stdout) // after a line that is too long
}

func (o *output) line(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fmt.Fprintln(&o.printed, text)
	if o.ready == nil || o.told {
		return
	}
	if found := o.ready.FindStringSubmatch(text); found != nil {
		o.told = true
		o.port <- found[1]
	}
}

func (o *output) waitForPort(ctx context.Context, child process.Child) (string, error) {
	select {
	case port := <-o.port:
		return port, nil
	case <-child.Done():
		return "", fmt.Errorf("the process ended: %s", child.ExitState())
	case <-ctx.Done():
		return "", fmt.Errorf("no line matches %q: %w", o.ready, ctx.Err())
	}
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.printed.String()
}

// freePort returns a port of the loopback interface that nothing listens on.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}

// directory makes a folder below the scratch folder and returns its path
// without symbolic links.
func (w *Workshop) directory(name string) (string, error) {
	path := w.File(name)
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
