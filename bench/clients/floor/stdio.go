package floor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/bench/driver"
)

type stdioClient struct {
	process *exec.Cmd
	modern  bool
	id      atomic.Int64

	writing sync.Mutex
	in      io.WriteCloser

	mu       sync.Mutex
	pending  map[int64]chan *message[json.RawMessage]
	progress map[string]func(float64)
	done     chan struct{}
}

func openStdio(ctx context.Context, target driver.Target) (driver.Client, error) {
	c := &stdioClient{
		process:  exec.Command(target.Command[0], target.Command[1:]...),
		modern:   target.Modern,
		pending:  map[int64]chan *message[json.RawMessage]{},
		progress: map[string]func(float64){},
		done:     make(chan struct{}),
	}
	c.process.Stderr = os.Stderr
	var err error
	if c.in, err = c.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.process.Start(); err != nil {
		return nil, err
	}
	go c.read(out)
	if target.Modern {
		_, err := c.do(ctx, "server/discover", listParams{Meta: newMeta(true, "")})
		return c, err
	}
	if _, err := c.do(ctx, "initialize", newInitializeParams()); err != nil {
		return nil, err
	}
	return c, c.write(request{JSONRPC: "2.0", Method: "notifications/initialized"})
}

func (c *stdioClient) read(out io.Reader) {
	defer close(c.done)
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		received := new(message[json.RawMessage])
		if json.Unmarshal(line, received) == nil {
			c.route(received)
		}
	}
}

func (c *stdioClient) route(received *message[json.RawMessage]) {
	c.mu.Lock()
	if received.Method != "" {
		report := c.progress[received.Params.ProgressToken]
		c.mu.Unlock()
		if report != nil {
			report(received.Params.Progress)
		}
		return
	}
	waiting := c.pending[received.ID]
	delete(c.pending, received.ID)
	c.mu.Unlock()
	if waiting != nil {
		waiting <- received
	}
}

func (c *stdioClient) write(r request) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = c.in.Write(append(line, '\n'))
	return err
}

func (c *stdioClient) do(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id := c.id.Add(1)
	answered := make(chan *message[json.RawMessage], 1)
	c.mu.Lock()
	c.pending[id] = answered
	c.mu.Unlock()
	if err := c.write(request{JSONRPC: "2.0", ID: id, Method: method, Params: params}); err != nil {
		return nil, err
	}
	select {
	case received := <-answered:
		return received.Result, received.failure()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.done:
		return nil, errors.New("the server is gone")
	}
}

// ListTools implements driver.Client.
func (c *stdioClient) ListTools(ctx context.Context) (int, error) {
	count := 0
	params := listParams{Meta: newMeta(c.modern, "")}
	for {
		result, err := c.do(ctx, "tools/list", params)
		if err != nil {
			return 0, err
		}
		var listed listResult
		if err := json.Unmarshal(result, &listed); err != nil {
			return 0, err
		}
		count += len(listed.Tools)
		if params.Cursor = listed.NextCursor; params.Cursor == "" {
			return count, nil
		}
	}
}

// Call implements driver.Client.
func (c *stdioClient) Call(ctx context.Context, name string, arguments map[string]any) (string, error) {
	return c.call(ctx, name, arguments, "")
}

// CallProgress implements driver.Client.
func (c *stdioClient) CallProgress(ctx context.Context, name string, arguments map[string]any, report func(float64)) (string, error) {
	token := fmt.Sprintf("t%d", c.id.Add(1))
	c.mu.Lock()
	c.progress[token] = report
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.progress, token)
		c.mu.Unlock()
	}()
	return c.call(ctx, name, arguments, token)
}

func (c *stdioClient) call(ctx context.Context, name string, arguments map[string]any, token string) (string, error) {
	result, err := c.do(ctx, "tools/call", callParams{Meta: newMeta(c.modern, token), Name: name, Arguments: arguments})
	if err != nil {
		return "", err
	}
	var called callResult
	if err := json.Unmarshal(result, &called); err != nil {
		return "", err
	}
	return called.text()
}

// Close implements driver.Client.
func (c *stdioClient) Close() error {
	closed := c.in.Close()
	<-c.done
	return errors.Join(closed, c.process.Wait())
}
