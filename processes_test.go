package mcpclient_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// playBadServer is what a child of these tests does that no server should do.
// Each ends by itself in the end, so that a failing test leaves nothing for good.
func playBadServer(mode string) {
	time.AfterFunc(time.Minute, func() { os.Exit(99) })
	const page = "<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>\n"
	switch mode {
	case "exits cleanly":
		os.Exit(0)
	case "page":
		fmt.Print(page)
		os.Exit(1)
	case "page and stays":
		fmt.Print(page)
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "reads nothing":
		time.Sleep(time.Minute)
	case "banner":
		fmt.Print("Welcome to the demo server 1.2\n\n[info] listening on stdio\n")
		serveProcess()
	case "babbles":
		fmt.Print("{\"broken\": \x1b[31m\n")
		serveProcess()
	case "prompts":
		for lines := bufio.NewScanner(os.Stdin); ; {
			fmt.Print("API key: ")
			if !lines.Scan() {
				return
			}
		}
	case "ignores SIGTERM":
		signal.Ignore(syscall.SIGTERM)
		serveProcess()
		time.Sleep(time.Minute)
	case "grandchild": // holds its parent's pipes
		time.Sleep(time.Minute)
	default:
		serveProcess()
	}
}

// serveProcess serves the demo, and tools that show which process serves, or
// misuse it.
func serveProcess() {
	server := mcptest.NewDemoServer()
	tool := func(name string, handler mcptest.ToolHandler) { server.AddTool(mcp.Tool{Name: name}, handler) }
	tool("pid", func(context.Context, *mcptest.Call) (any, error) {
		time.Sleep(20 * time.Millisecond) // so that calls meet
		return strconv.Itoa(os.Getpid()), nil
	})
	tool("generation", func(context.Context, *mcptest.Call) (any, error) { return os.Getenv("GENERATION"), nil })
	tool("huge", func(context.Context, *mcptest.Call) (any, error) { // a line of 40 MiB, in place of the answer
		_, err := os.Stdout.WriteString(`{"jsonrpc":"2.0","id":3,"result":{"text":"` + strings.Repeat("x", 40<<20) + "\"}}\n")
		return "huge", err
	})
	tool("fork and die", func(context.Context, *mcptest.Call) (any, error) {
		grandchild := exec.Command(os.Args[0])
		grandchild.Env = append(os.Environ(), childMode+"=grandchild")
		grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
		if err := grandchild.Start(); err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "grandchild %d", grandchild.Process.Pid)
		os.Exit(5)
		return nil, nil
	})
	_ = server.ServeStdio(context.Background(), os.Stdin, os.Stdout)
}

// Each way in which a process can be no server: the error says what was found,
// and comes in time.
func TestProcessesThatAreNoServers(t *testing.T) {
	notExecutable := filepath.Join(t.TempDir(), "server.sh")
	require.NoError(t, os.WriteFile(notExecutable, []byte("#!/bin/sh\nexit 0\n"), 0o600))
	command := func(path string) map[string]any { return map[string]any{"type": "stdio", "command": []string{path}} }
	hurried := map[string]any{"connect_timeout": "500ms", "probe_timeout": "100ms", "shutdown_timeout": "100ms"}
	for name, test := range map[string]struct {
		section map[string]any
		is      []error
		says    []string
	}{
		"no run bit":    {command(notExecutable), []error{errors.ErrStartFailed, os.ErrPermission}, []string{"server.sh", "permission"}},
		"a directory":   {command(t.TempDir()), []error{errors.ErrStartFailed}, []string{"directory"}},
		"exits with 0":  {child(t, "exits cleanly", nil), []error{errors.ErrStartFailed}, []string{"exit status 0"}},
		"a web page":    {child(t, "page", nil), []error{errors.ErrStartFailed}, []string{"exit status 1", "<!DOCTYPE html>"}},
		"a page, alive": {child(t, "page and stays", hurried), []error{errors.ErrConnectTimeout}, []string{"connect_timeout"}},
		"reads nothing": {child(t, "reads nothing", hurried), []error{errors.ErrConnectTimeout}, []string{"connect_timeout"}},
		"prompts":       {child(t, "prompts", hurried), []error{errors.ErrConnectTimeout}, []string{"connect_timeout"}},
	} {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			connection := connect(t, test.section)
			_, err := connection.Tools(t.Context())
			t.Log(err)
			for _, is := range test.is {
				require.ErrorIs(t, err, is)
			}
			for _, says := range test.says {
				assert.ErrorContains(t, err, says)
			}
			assert.True(t, errors.SafeToRetry(err))
			require.NoError(t, connection.Close())
			assert.Less(t, time.Since(begun), 5*time.Second)
		})
	}
}

func TestABannerBeforeTheProtocol(t *testing.T) {
	connection := connect(t, child(t, "banner", nil))
	info, err := connection.ServerInfo(t.Context())
	require.NoError(t, err)
	assert.Equal(t, mcp.EraModern, info.Era, "nothing was lost by it")
}

// One line beyond max_line_bytes ends the process, names the key, and harms
// nobody who comes later.
func TestALineThatIsTooLong(t *testing.T) {
	connection := connect(t, child(t, "serves", nil))
	_, err := connection.CallTool(t.Context(), "huge", nil)
	require.ErrorIs(t, err, errors.ErrMessageTooLarge)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	assert.ErrorContains(t, err, "max_line_bytes (33554432)")
	assert.False(t, errors.SafeToRetry(err))
	_, err = connection.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	require.NoError(t, err)
}

// A process that heeds neither the end of its stdin nor SIGTERM is killed.
func TestAProcessThatIgnoresSIGTERM(t *testing.T) {
	connection := connect(t, child(t, "ignores SIGTERM", map[string]any{"shutdown_timeout": "100ms"}))
	_, err := connection.Tools(t.Context())
	require.NoError(t, err)
	begun := time.Now()
	require.NoError(t, connection.Close())
	assert.Less(t, time.Since(begun), 5*time.Second)
	assert.GreaterOrEqual(t, time.Since(begun), 200*time.Millisecond, "it was given both of its chances")
}

// Instances share the calls, none runs more than max_in_flight, and one that
// dies is replaced.
func TestInstancesShareTheCalls(t *testing.T) {
	connection := connect(t, child(t, "serves", map[string]any{"instances": 3, "max_in_flight": 2}))
	_, err := connection.CallTool(t.Context(), "pid", nil)
	require.NoError(t, err)
	assert.EqualValues(t, 1, connection.Stats().Handshakes, "processes are started as calls need them")

	pids := map[string]int{}
	var mu sync.Mutex
	var calls sync.WaitGroup
	for range 60 {
		calls.Go(func() {
			result, err := connection.CallTool(t.Context(), "pid", nil)
			if assert.NoError(t, err) {
				mu.Lock()
				defer mu.Unlock()
				pids[result.Text()]++
			}
		})
	}
	calls.Wait()
	assert.Len(t, pids, 3, "%v", pids)
	assert.EqualValues(t, 3, connection.Stats().Handshakes)
	assert.EqualValues(t, 61, connection.Stats().Requests)

	_, err = connection.CallTool(t.Context(), "fork and die", nil)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	for range 6 {
		_, err = connection.CallTool(t.Context(), "pid", nil)
		require.NoError(t, err, "the death of one is nobody else's")
	}
	subscription, err := connection.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
	require.NoError(t, err)
	require.NoError(t, connection.Close())
	require.ErrorIs(t, subscription.Wait(t.Context()), errors.ErrTransportClosed)
}
