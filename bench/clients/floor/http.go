package floor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/bench/driver"
)

// Driver opens floor clients.
type Driver struct{}

// Name implements driver.Driver.
func (Driver) Name() string { return "floor" }

// Open implements driver.Driver.
func (Driver) Open(ctx context.Context, target driver.Target) (driver.Client, error) {
	if target.URL == "" {
		return openStdio(ctx, target)
	}
	client := target.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	return OpenHTTP(ctx, target, func(ctx context.Context, method string, header http.Header, body []byte) (*http.Response, error) {
		var reader io.Reader
		if body != nil {
			reader = bytes.NewReader(body)
		}
		request, err := http.NewRequestWithContext(ctx, method, target.URL, reader)
		if err != nil {
			return nil, err
		}
		request.Header = header
		return client.Do(request)
	})
}

// Send performs one HTTP exchange and returns the response, its body unread.
type Send func(ctx context.Context, method string, header http.Header, body []byte) (*http.Response, error)

// OpenHTTP opens a floor client whose exchanges are made by send.
func OpenHTTP(ctx context.Context, target driver.Target, send Send) (driver.Client, error) {
	c := &httpClient{send: send, modern: target.Modern}
	if target.Modern {
		c.version = modernVersion
		var discovered message[json.RawMessage]
		return c, c.do(ctx, "server/discover", "", listParams{Meta: newMeta(true, "")}, &discovered, nil)
	}
	var initialized message[initializeResult]
	if err := c.do(ctx, "initialize", "", newInitializeParams(), &initialized, nil); err != nil {
		return nil, err
	}
	c.version = initialized.Result.ProtocolVersion
	return c, c.notify(ctx, "notifications/initialized")
}

type httpClient struct {
	send    Send
	modern  bool
	version string
	session string
	id      atomic.Int64
}

func (c *httpClient) header(method, name string) http.Header {
	header := make(http.Header, 8)
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	if c.version != "" {
		header.Set("Mcp-Protocol-Version", c.version)
	}
	if c.session != "" {
		header.Set("Mcp-Session-Id", c.session)
	}
	if c.modern {
		header.Set("Mcp-Method", method)
		if name != "" {
			header.Set("Mcp-Name", name)
		}
	}
	return header
}

func (c *httpClient) notify(ctx context.Context, method string) error {
	body, err := json.Marshal(request{JSONRPC: "2.0", Method: method})
	if err != nil {
		return err
	}
	response, err := c.send(ctx, http.MethodPost, c.header(method, ""), body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return drain(response)
}

// answer is a *message of any result.
type answer interface {
	reset()
	failure() error
	notification() (method string, params *progressParams)
}

func (c *httpClient) do(ctx context.Context, method, name string, params any, into answer, report func(float64)) error {
	body, err := json.Marshal(request{JSONRPC: "2.0", ID: c.id.Add(1), Method: method, Params: params})
	if err != nil {
		return err
	}
	response, err := c.send(ctx, http.MethodPost, c.header(method, name), body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	if method == "initialize" {
		c.session = response.Header.Get("Mcp-Session-Id")
	}
	switch contentType := response.Header.Get("Content-Type"); {
	case strings.HasPrefix(contentType, "application/json"):
		if err := readJSON(response, into); err != nil {
			return err
		}
	case strings.HasPrefix(contentType, "text/event-stream"):
		if err := readStream(response.Body, into, report); err != nil {
			return err
		}
		if err := drain(response); err != nil { // so that the connection is used again
			return err
		}
	default:
		return fmt.Errorf("content type %q", contentType)
	}
	return into.failure()
}

func drain(response *http.Response) error {
	_, err := io.Copy(io.Discard, response.Body)
	return err
}

func readJSON(response *http.Response, into answer) error {
	if response.ContentLength < 0 {
		return json.NewDecoder(response.Body).Decode(into)
	}
	body := make([]byte, response.ContentLength)
	if _, err := io.ReadFull(response.Body, body); err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// ListTools implements driver.Client.
func (c *httpClient) ListTools(ctx context.Context) (int, error) {
	count := 0
	params := listParams{Meta: newMeta(c.modern, "")}
	for {
		var listed message[listResult]
		if err := c.do(ctx, "tools/list", "", params, &listed, nil); err != nil {
			return 0, err
		}
		count += len(listed.Result.Tools)
		if params.Cursor = listed.Result.NextCursor; params.Cursor == "" {
			return count, nil
		}
	}
}

// Call implements driver.Client.
func (c *httpClient) Call(ctx context.Context, name string, arguments map[string]any) (string, error) {
	return c.call(ctx, name, arguments, "", nil)
}

// CallProgress implements driver.Client.
func (c *httpClient) CallProgress(ctx context.Context, name string, arguments map[string]any, report func(float64)) (string, error) {
	return c.call(ctx, name, arguments, fmt.Sprintf("t%d", c.id.Add(1)), report)
}

func (c *httpClient) call(ctx context.Context, name string, arguments map[string]any, token string, report func(float64)) (string, error) {
	params := callParams{Meta: newMeta(c.modern, token), Name: name, Arguments: arguments}
	var called message[callResult]
	if err := c.do(ctx, "tools/call", name, params, &called, report); err != nil {
		return "", err
	}
	return called.Result.text()
}

// Close implements driver.Client.
func (c *httpClient) Close() error {
	if c.session == "" {
		return nil
	}
	response, err := c.send(context.Background(), http.MethodDelete, c.header("", ""), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return drain(response)
}
