package clitest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// patience bounds every wait, on a slow machine.
const patience = 30 * time.Second

// transcript is what was written, to be waited for.
type transcript struct {
	mu      sync.Mutex
	text    bytes.Buffer
	written chan struct{} // closed and replaced with every write
}

func newTranscript() *transcript { return &transcript{written: make(chan struct{})} }

func (s *transcript) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(data)
	close(s.written)
	s.written = make(chan struct{})
	return len(data), nil
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until the text is there.
func (s *transcript) await(t *testing.T, text string) {
	t.Helper()
	timeout := time.After(patience)
	for {
		s.mu.Lock()
		found, written := strings.Contains(s.text.String(), text), s.written
		s.mu.Unlock()
		if found {
			return
		}
		select {
		case <-written:
		case <-timeout:
			require.Fail(t, "it was not written", "%q in %q", text, s.String())
		}
	}
}

// Ctrl-C cancels the call at the server, over stdio in both eras.
func TestAnInterruptCancelsTheCallAtTheServer(t *testing.T) {
	for _, era := range []string{"modern", "legacy"} {
		for received, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
			t.Run(era+" "+received.String(), func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "witness")
				program := command(folderWith(t, map[string]string{"mcp.yaml": witnessConfiguration(t, era, file)}), "call", "witness", "wait", "-v")
				stderr := newTranscript()
				program.Stderr = stderr
				require.NoError(t, program.Start())
				stderr.await(t, "wait: 1 of 4: waiting")
				require.NoError(t, program.Process.Signal(received))
				assert.Equal(t, code, exitCode(t, program.Wait()))
				assert.Contains(t, stderr.String(), "mcpclient: interrupted\n")
				witnessed, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, "called\ncancelled\n", string(witnessed))
			})
		}
	}
}

// Over HTTP the server sees the closed stream, or the cancellation, as well.
func TestAnInterruptCancelsTheCallOverHTTP(t *testing.T) {
	for name, era := range map[string]mcptest.Option{"modern": mcptest.ModernOnly(), "legacy": mcptest.LegacyOnly()} {
		t.Run(name, func(t *testing.T) {
			cancelled := make(chan struct{})
			server := mcptest.NewServer(era)
			server.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, call *mcptest.Call) (any, error) {
				call.Progress(1, 4, "waiting")
				<-ctx.Done()
				close(cancelled)
				return nil, ctx.Err()
			})
			program := command(folderWith(t, map[string]string{"mcp.yaml": "servers: {web: {type: http, url: '" + mcptest.StartHTTP(t, server) + "'}}"}), "call", "web", "wait", "-v")
			stderr := newTranscript()
			program.Stderr = stderr
			require.NoError(t, program.Start())
			stderr.await(t, "wait: 1 of 4: waiting")
			require.NoError(t, program.Process.Signal(syscall.SIGINT))
			assert.Equal(t, 130, exitCode(t, program.Wait()))
			select {
			case <-cancelled:
			case <-time.After(patience):
				t.Error("the server was not told")
			}
		})
	}
}

// A server that does not end when it is told to keeps the program for its
// shutdown_timeout; a second Ctrl-C does not wait for that.
func TestASecondInterruptEndsAtOnce(t *testing.T) {
	configuration := strings.Replace(witnessConfiguration(t, "modern", filepath.Join(t.TempDir(), "witness")), "env:", "shutdown_timeout: 60s, env:", 1)
	program := command(folderWith(t, map[string]string{"mcp.yaml": configuration}), "call", "witness", "stubborn", "-v")
	stderr := newTranscript()
	program.Stderr = stderr
	require.NoError(t, program.Start())
	stderr.await(t, "stubborn: 1 of 4: waiting")
	begun := time.Now()
	require.NoError(t, program.Process.Signal(syscall.SIGINT))
	time.Sleep(300 * time.Millisecond) // it is closing now
	require.NoError(t, program.Process.Signal(syscall.SIGINT))
	_ = program.Wait()
	assert.Less(t, time.Since(begun), 30*time.Second)
	assert.Equal(t, syscall.SIGINT, program.ProcessState.Sys().(syscall.WaitStatus).Signal())
}
