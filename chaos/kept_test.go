package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

const (
	keepers    = 64 // callers
	callsOfOne = 24
	reports    = 3 // progress reports of a call that asks for them
	refusal    = -31999
)

// TestWhatWasHandedOutStays: results, contents, progress, events and errors of
// thousands of calls at once are the caller's for ever, whatever the client uses
// again. With the build tag poison it overwrites what it uses again.
func TestWhatWasHandedOutStays(t *testing.T) {
	t.Run("stdio", func(t *testing.T) { keepAll(t, mcptest.Process(t, "kept")) })
	for name, answers := range map[string]mcptest.Answers{"HTTP": mcptest.AnswersAuto, "event streams": mcptest.AnswersEventStream} {
		t.Run(name, func(t *testing.T) {
			server := newKeptServer(mcptest.WithAnswers(answers))
			endpoint := httptest.NewServer(server.Handler())
			defer endpoint.Close()
			defer server.Close()
			keepAll(t, map[string]any{"type": "http", "base_url": endpoint.URL})
			require.Empty(t, server.Violations())
		})
	}
}

// keepAll makes all calls, and judges what each of them got once all are over.
func keepAll(t *testing.T, section map[string]any) {
	cfg, err := config.FromServers(map[string]any{"kept": section})
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	connection, err := client.Connect("kept")
	require.NoError(t, err)

	all := make([][]kept, keepers)
	var calling sync.WaitGroup
	for caller := range keepers {
		calling.Go(func() {
			for number := range callsOfOne {
				all[caller] = append(all[caller], keep(t.Context(), connection, caller*callsOfOne+number))
			}
		})
	}
	calling.Wait()
	runtime.GC() // empties pools, so that what was in them is used for something else
	for number := range keepers {
		keep(t.Context(), connection, number)
	}
	for _, calls := range all {
		for i := range calls {
			calls[i].judge(t)
		}
		if t.Failed() {
			return
		}
	}
}

// kept is what a caller keeps of one call, with copies of what it was at first.
type kept struct {
	number   int
	result   *mcp.CallToolResult
	contents []mcp.Content
	first    json.RawMessage // a copy of the result
	progress []mcp.Progress
	events   []mcp.Message
	copies   [][]byte // of the events
	err      error
	message  string // of the error
}

// keep makes the call of this number: every fourth is refused, every second asks for
// progress, of which half see all events as well.
func keep(ctx context.Context, connection *mcpclient.Connection, number int) kept {
	k := kept{number: number}
	var options []mcpclient.CallOption
	if k.wantsProgress() {
		options = append(options, mcpclient.OnProgress(func(p mcp.Progress) { k.progress = append(k.progress, p) }))
	}
	if k.wantsEvents() {
		options = append(options, mcpclient.OnEvent(func(m mcp.Message) {
			k.events = append(k.events, m)
			k.copies = append(k.copies, bytes.Clone(m.Raw))
		}))
	}
	k.result, k.err = connection.CallTool(ctx, "keep", map[string]int{"number": number}, options...)
	if k.err != nil {
		k.message = k.err.Error()
		return k
	}
	k.first = bytes.Clone(k.result.Raw())
	for content := range k.result.Content() {
		k.contents = append(k.contents, content)
	}
	return k
}

func (k *kept) isRefused() bool     { return k.number%4 == 3 }
func (k *kept) wantsProgress() bool { return k.number%2 == 0 }
func (k *kept) wantsEvents() bool   { return k.number%4 == 0 }

// judge compares everything with what the server must have sent.
func (k *kept) judge(t *testing.T) {
	if k.isRefused() {
		failure, ok := errors.AsType[*errors.TransporterRequestError](k.err)
		if !assert.True(t, ok, "%v", k.err) {
			return
		}
		assert.Equal(t, k.message, k.err.Error())
		assert.Equal(t, refusal, failure.Code)
		assert.Equal(t, refusalOf(k.number), failure.Message)
		assert.JSONEq(t, fmt.Sprintf(`{"number":%d}`, k.number), string(failure.Data))
		return
	}
	if !assert.NoError(t, k.err) {
		return
	}
	assert.Equal(t, string(k.first), string(k.result.Raw()))
	if assert.Len(t, k.contents, 2) {
		assert.Equal(t, textOf(k.number), k.contents[0].Text)
		assert.Equal(t, fmt.Sprint("kept:", k.number), k.contents[1].URI)
		assert.Contains(t, string(k.contents[1].Raw), k.contents[1].URI)
	}
	assert.Equal(t, textOf(k.number), k.result.Text())
	structured, _ := k.result.Structured()
	assert.JSONEq(t, fmt.Sprintf(`{"number":%d}`, k.number), string(structured))
	if k.wantsProgress() && assert.Len(t, k.progress, reports) {
		for i, p := range k.progress {
			assert.EqualValues(t, i+1, p.Progress)
			assert.Equal(t, reportOf(k.number, i), p.Message)
		}
	}
	if k.wantsEvents() && assert.Len(t, k.events, reports+1) {
		for i, m := range k.events {
			assert.Equal(t, string(k.copies[i]), string(m.Raw))
			if i < reports {
				assert.Contains(t, string(m.Params), reportOf(k.number, i))
			} else {
				assert.Equal(t, string(k.first), string(m.Result))
			}
		}
	}
}

// textOf is the text of a call: mostly short, with escapes, sometimes longer than
// what any buffer is used again for.
func textOf(number int) string {
	return fmt.Sprintf("the \"text\" of %d\n", number) + strings.Repeat(fmt.Sprintf("%d,", number), []int{1, 20, 1, 400, 20, 1, 9000}[number/7%7])
}

func refusalOf(number int) string { return fmt.Sprint("refused for good: ", number) }

func reportOf(number, i int) string { return fmt.Sprintf("report %d of %d", i, number) }

func newKeptServer(options ...mcptest.Option) *mcptest.Server {
	server := mcptest.NewServer(options...)
	server.AddTool(mcp.Tool{Name: "keep"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		var arguments struct{ Number int }
		if err := call.Decode(&arguments); err != nil {
			return nil, err
		}
		k := kept{number: arguments.Number}
		if k.isRefused() {
			return nil, &mcp.Error{Code: refusal, Message: refusalOf(k.number), Data: fmt.Appendf(nil, `{"number":%d}`, k.number)}
		}
		if k.wantsProgress() {
			for i := range reports {
				call.Progress(float64(i+1), reports, reportOf(k.number, i))
			}
		}
		raw, err := json.Marshal(map[string]any{
			"content": []map[string]any{
				{"type": "text", "text": textOf(k.number)},
				{"type": "resource_link", "name": "link", "uri": fmt.Sprint("kept:", k.number)},
			},
			"structuredContent": map[string]int{"number": k.number},
		})
		return json.RawMessage(raw), err
	})
	return server
}
