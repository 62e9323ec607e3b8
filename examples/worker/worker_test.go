package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// The program of these tests is the server of the configuration as well.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "unreliable-server" {
		serveUnreliably(context.Background())
		return
	}
	goleak.VerifyTestMain(m)
}

// fake answers the nth call of a job.
type fake func(call int) (string, error)

type fakeServer struct {
	answer fake
	calls  int
}

func (f *fakeServer) CallTool(context.Context, string, any, ...mcpclient.CallOption) (*mcp.CallToolResult, error) {
	f.calls++
	text, err := f.answer(f.calls)
	if err != nil {
		return nil, err
	}
	result := new(mcp.CallToolResult)
	return result, json.Unmarshal([]byte(text), result)
}

func lost(cause error) error {
	return &errors.TransporterRequestError{Server: "tools", Action: "tools/call", Err: cause}
}

// What becomes of a job depends on whether it may have been done, and may be done
// twice.
func TestWhatBecomesOfAJob(t *testing.T) {
	const well, refused = `{"content":[]}`, `{"content":[{"type":"text","text":"no"}],"isError":true}`
	for name, test := range map[string]struct {
		answer      fake
		repeatable  bool
		done, given int
		calls       int
	}{
		"done":                     {func(int) (string, error) { return well, nil }, false, 1, 0, 1},
		"refused by the tool":      {func(int) (string, error) { return refused, nil }, true, 0, 1, 1},
		"lost, may be done twice":  {secondTry(well, errors.ErrPeerLost), true, 1, 0, 2},
		"lost, may be done once":   {secondTry(well, errors.ErrPeerLost), false, 0, 1, 1},
		"surely not sent":          {secondTry(well, errors.ErrNotSent), false, 1, 0, 2},
		"what another try hurts":   {secondTry(well, errors.ErrToolDenied), true, 0, 1, 1},
		"lost again and again":     {func(int) (string, error) { return "", lost(errors.ErrPeerLost) }, true, 0, 1, maxTries},
		"silent, may be done once": {secondTry(well, errors.ErrRequestTimeout), false, 0, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, queue := &fakeServer{answer: test.answer}, newQueue(1)
				queue.add(job{ID: 1, Repeatable: test.repeatable})
				(&worker{tools: server, queue: queue, atOnce: 1, pause: time.Second}).run(t.Context())
				done, given := queue.counts()
				assert.Equal(t, []int{test.done, test.given, test.calls}, []int{done, given, server.calls})
			})
		})
	}
}

func secondTry(text string, cause error) fake {
	return func(call int) (string, error) {
		if call == 1 {
			return "", lost(cause)
		}
		return text, nil
	}
}

// At the end of the program the job at hand is finished, and no other begun.
func TestTheJobAtHandIsFinished(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	queue := newQueue(2)
	queue.add(job{ID: 1})
	queue.add(job{ID: 2})
	server := &fakeServer{answer: func(int) (string, error) {
		stop()
		return `{"content":[]}`, nil
	}}
	(&worker{tools: server, queue: queue, atOnce: 1}).run(ctx)
	done, _ := queue.counts()
	assert.Equal(t, 1, done)
	assert.Equal(t, 1, server.calls)
}

// With the real process, which dies meanwhile, every job is done.
func TestEveryJobIsDoneAlthoughTheServerDies(t *testing.T) {
	t.Setenv("WORKER_EXECUTABLE", "") // restored after the test: load sets it
	cfg, err := load("mcp.yaml")
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	tools, err := client.Connect("tools")
	require.NoError(t, err)
	queue := newQueue(40)
	for i := range 40 {
		queue.add(job{ID: i, Text: fmt.Sprint(i), Repeatable: true})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	(&worker{tools: tools, queue: queue, atOnce: 4, pause: time.Millisecond}).run(ctx)
	done, given := queue.counts()
	assert.Equal(t, []int{40, 0}, []int{done, given})
	assert.Positive(t, tools.Stats().Restarts)
}
