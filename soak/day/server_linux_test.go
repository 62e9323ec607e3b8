package day

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcp-client-go/mcpclient/internal/sleep"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// question is what the tool work is asked.
type question struct {
	Call  string `json:"call"` // unique
	User  string `json:"user"` // who asks
	Ms    int    `json:"ms"`   // how long to work
	Steps int    `json:"steps"`
	Size  int    `json:"size"` // length of the answer
	// Owner is whom the session, the token or the process belongs to: the server
	// finds that out by itself.
	Owner string `json:"owner,omitempty"`
}

// answerTo is what a server answers: whose the answer is, and what nobody could
// mistake for the answer to something else.
func answerTo(server, owner, call string, size int) string {
	sum := fmt.Sprintf("%x ", sha256.Sum256([]byte(server+"\n"+owner+"\n"+call)))
	return server + " " + owner + " " + call + " " + strings.Repeat(sum, 1+size/len(sum))
}

// newServer is the server of a role. ownerOf names whom a question comes from.
func newServer(name string, ownerOf func(question) string, options ...mcptest.Option) *mcptest.Server {
	server := mcptest.NewDemoServer(append(options, mcptest.WithReceivedLimit(0))...)
	server.AddTool(mcp.Tool{Name: "work"}, func(ctx context.Context, call *mcptest.Call) (any, error) {
		var q question
		if err := call.Decode(&q); err != nil {
			return nil, err
		}
		owner := ownerOf(q)
		steps := max(1, q.Steps)
		for step := range steps {
			call.Progress(float64(step), float64(steps), q.Call)
			if err := sleep.For(ctx, time.Duration(q.Ms)*time.Millisecond/time.Duration(steps)); err != nil {
				return nil, err
			}
		}
		return answerTo(name, owner, q.Call, q.Size), nil
	})
	server.AddTool(mcp.Tool{Name: "refuse"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		var q question
		if err := call.Decode(&q); err != nil {
			return nil, err
		}
		return nil, errors.New("refused " + q.Call)
	})
	server.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "day://item/{id}", Name: "item"}, func(_ context.Context, uri string) (any, error) {
		return answerTo(name, "", strings.TrimPrefix(uri, "day://item/"), 0), nil
	})
	server.AddPrompt(mcp.Prompt{Name: "ask", Arguments: []mcp.PromptArgument{{Name: "call", Required: true}}},
		func(_ context.Context, arguments map[string]string) (any, error) {
			return answerTo(name, "", arguments["call"], 0), nil
		})
	return server
}

// beServer serves until it is told to end.
func beServer(name string) int {
	kind := kindOf(name)
	if kind.stdio {
		return serveStdio(name)
	}
	return serveHTTP(name, kind)
}

// serveStdio serves one user: the first one that asks. SIGUSR1 has it write what is
// no message, SIGUSR2 die in the middle of a line.
func serveStdio(name string) int {
	var mu sync.Mutex
	owner := ""
	server := newServer(name, func(q question) string {
		mu.Lock()
		defer mu.Unlock()
		if owner == "" {
			owner = q.User
		}
		return owner
	})
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for received := range signals {
			if received == syscall.SIGUSR1 {
				_, _ = os.Stdout.WriteString("\nWARNING: this is no message\n{\"jsonrpc\":\n[1,2\n\x1b[31mred\n")
				fmt.Fprintln(os.Stderr, "noise on stdout, as asked")
				continue
			}
			_, _ = os.Stdout.WriteString(`{"jsonrpc":"2.0","id":1,"res`)
			syscall.Exit(3)
		}
	}()
	err := server.ServeStdio(context.Background(), os.Stdin, os.Stdout)
	note(name, server.Violations())
	if err != nil {
		return 1
	}
	return 0
}

// note adds what clients did wrong to the file of notes.
func note(name string, violations []string) {
	if len(violations) == 0 {
		return
	}
	file, err := os.OpenFile(os.Getenv(noteVariable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	for _, violation := range violations {
		_, _ = file.WriteString(name + ": " + strings.ReplaceAll(violation, "\n", " ") + "\n")
	}
}
