package soak

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// eraVariable tells a child what it speaks: legacy, or else both eras.
const eraVariable = "SOAK_CHILD_ERA"

// endsVariable lists the endings a child picks from; empty means all of them.
const endsVariable = "SOAK_CHILD_ENDS"

// child is the process that will end badly.
type child struct {
	journal *os.File
	out     *stdout
	doom    sync.Once
}

// endings returns every way to end.
func (c *child) endings() map[string]func() {
	self := os.Getpid()
	return map[string]func(){
		"killed":       func() { _ = syscall.Kill(self, syscall.SIGKILL) },
		"stopped":      func() { _ = syscall.Kill(self, syscall.SIGSTOP) },
		"exits":        func() { fmt.Fprintln(os.Stderr, "fatal: out of luck"); syscall.Exit(3) },
		"half a line":  c.out.breakOff,
		"close stdout": func() { _ = syscall.Close(1) },
	}
}

// serveAndDie serves on stdio until the process's fate is fulfilled, or until
// its stdin ends.
func serveAndDie(folder string) {
	time.AfterFunc(time.Minute, func() { os.Exit(99) }) // so that a failing test leaves nothing for good
	journal, err := os.OpenFile(journalName(folder, os.Getpid()), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	c := &child{journal: journal, out: &stdout{}}
	if rand.N(8) == 0 { // somebody who holds our pipes and outlives us
		grandchild := exec.Command("sleep", "60")
		grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
		if err := grandchild.Start(); err != nil {
			panic(err)
		}
	}
	options := []mcptest.Option{mcptest.WithReceivedLimit(0)}
	if os.Getenv(eraVariable) == "legacy" {
		options = append(options, mcptest.LegacyOnly())
	}
	server := mcptest.NewServer(options...)
	server.AddTool(mcp.Tool{Name: "work"}, c.work)
	server.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "soak://item/{id}", Name: "item"}, c.read)
	_ = server.ServeStdio(context.Background(), os.Stdin, c.out)
	_, _ = io.Copy(io.Discard, os.Stdin)
	for _, violation := range server.Violations() {
		c.note("violation " + strings.ReplaceAll(violation, "\n", " "))
	}
}

// note writes a line to the journal, where it survives the process.
func (c *child) note(line string) { _, _ = c.journal.WriteString(line + "\n") }

// workArguments are those of the tool.
type workArguments struct {
	Call string `json:"call"` // unique
	Ms   int    `json:"ms"`   // how long to work
	Size int    `json:"size"` // length of the answer
}

// answer is what the tool returns for a call, and the resource for its id.
func answer(call string, size int) string {
	return strings.Repeat(call+" ", max(1, size/(len(call)+1)))
}

func (c *child) work(ctx context.Context, call *mcptest.Call) (any, error) {
	var arguments workArguments
	if err := call.Decode(&arguments); err != nil {
		return nil, err
	}
	c.note("call " + arguments.Call)
	c.inUse()
	call.Progress(1, 2, arguments.Call)
	timer := time.NewTimer(time.Duration(arguments.Ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	call.Progress(2, 2, arguments.Call)
	return answer(arguments.Call, arguments.Size), nil
}

func (c *child) read(_ context.Context, uri string) (any, error) {
	id := strings.TrimPrefix(uri, "soak://item/")
	c.note("read " + id)
	c.inUse()
	return answer(id, 0), nil
}

// inUse lets fate take its course, the first time.
func (c *child) inUse() {
	c.doom.Do(func() {
		name, end := c.pickEnding()
		time.AfterFunc(50*time.Millisecond+rand.N(150*time.Millisecond), func() {
			c.note("end " + name)
			end()
		})
	})
}

func (c *child) pickEnding() (string, func()) {
	all := c.endings()
	if chosen := os.Getenv(endsVariable); chosen != "" {
		names := strings.Split(chosen, ",")
		name := names[rand.N(len(names))]
		return name, all[name]
	}
	skip := rand.N(len(all))
	for name, end := range all { // maps have no order
		if skip == 0 {
			return name, end
		}
		skip--
	}
	panic("unreachable")
}

// stdout is the child's output, which can be broken off in the middle of a line.
type stdout struct {
	mu     sync.Mutex
	broken bool
}

// breakOff makes the next line end in the middle, and the process with it.
func (o *stdout) breakOff() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.broken = true
}

func (o *stdout) Write(line []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken {
		_, _ = os.Stdout.Write(line[:len(line)/2])
		syscall.Exit(0)
	}
	return os.Stdout.Write(line)
}
