package mcptest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// seen is what a caller got of one call.
type seen struct {
	events   []string
	progress []mcp.Progress
	result   string
	err      error
}

func look(transporter transporters.Transporter, action string, params any) seen {
	var s seen
	ctx := transporters.WithCallOptions(context.Background(), func(o *transporters.CallOptions) {
		o.OnProgress = func(p mcp.Progress) { s.progress = append(s.progress, p) }
	})
	result, err := transporter.Request(ctx, action, params, func(m mcp.Message) { s.events = append(s.events, string(m.Raw)) })
	s.result, s.err = string(result.Raw()), err
	return s
}

func cassettePath(t *testing.T) string { return filepath.Join(t.TempDir(), "deep", "calls.jsonl") }

// What callers get from a cassette is what they got when it was recorded, in
// both eras and over every kind of link.
func TestReplayGivesWhatWasRecorded(t *testing.T) {
	calls := []struct {
		action string
		params any
	}{
		{"tools/list", nil},
		{"tools/call", json.RawMessage(`{"name":"slow","arguments":{"ms":1,"steps":3}}`)},
		{"tools/call", json.RawMessage(`{"name":"fail","arguments":{"message":"no & <luck>"}}`)},
		{"tools/call", json.RawMessage(`{"name":"unknown"}`)},
		{"resources/read", json.RawMessage(`{"uri":"demo://greeting"}`)},
		{"prompts/get", json.RawMessage(`{"name":"greet","arguments":{"name":"Ann"}}`)},
	}
	for name, options := range map[string][]mcptest.Option{"modern": {mcptest.ModernOnly()}, "legacy": {mcptest.LegacyOnly()}} {
		for kind, link := range map[string]func(*mcptest.Server) transporters.Link{
			"memory": (*mcptest.Server).Link, "http": (*mcptest.Server).HTTPLink,
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				path := cassettePath(t)
				recorder := mcptest.NewRecorder(path)
				server := mcptest.NewDemoServer(options...)
				s := session.New("demo", session.Settings{}, link(server))
				recording := recorder.Wrap(s)
				var lived []seen
				for _, call := range calls {
					lived = append(lived, look(recording, call.action, call.params))
				}
				require.NoError(t, s.Close())
				server.Close()
				require.NoError(t, recorder.Save())
				require.Len(t, lived[1].progress, 3)
				require.Error(t, lived[3].err)

				replay := mcptest.Replay(t, path)
				for i, call := range calls {
					again := look(replay, call.action, call.params)
					assert.Equal(t, lived[i].events, again.events)
					assert.Equal(t, lived[i].progress, again.progress)
					assert.Equal(t, lived[i].result, again.result)
					if lived[i].err != nil {
						assert.EqualError(t, again.err, lived[i].err.Error())
					} else {
						assert.NoError(t, again.err)
					}
				}
			})
		}
	}
}

// The bytes of a result survive whatever they are: over several lines, with
// white space, and where a policy changed what the events said.
func TestReplayKeepsBytes(t *testing.T) {
	for _, raw := range []string{
		`{"a": 1.0,  "b":"<&>\u00e9"}`, "{\n  \"pretty\": [1,\r\n 2]\n}", `[1, 2]`,
	} {
		path := cassettePath(t)
		recorder := mcptest.NewRecorder(path)
		policy := transporters.TransporterFunc(func(_ context.Context, _ string, _ any, onEvent transporters.EventFunc) (mcp.Result, error) {
			onEvent(mcptest.ParseMessage(`{"jsonrpc":"2.0",  "id":1,"result":{"other":1}}`))
			return mcp.NewResult(json.RawMessage(raw)), nil
		})
		lived := look(recorder.Wrap(policy), "x", nil)
		require.NoError(t, recorder.Save())
		again := look(mcptest.Replay(t, path), "x", nil)
		assert.Equal(t, raw, again.result)
		assert.Equal(t, lived, again)
	}
	path := cassettePath(t)
	recorder := mcptest.NewRecorder(path)
	scalar := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.EnvelopeResult(json.RawMessage(`{"jsonrpc":"2.0","id":1,"result":null}`)), nil
	})
	look(recorder.Wrap(scalar), "x", nil)
	require.NoError(t, recorder.Save())
	result, err := mcptest.Replay(t, path).Request(t.Context(), "x", nil, nil)
	require.NoError(t, err)
	assert.True(t, result.IsEnvelope())
}

func TestErrorsAreRecorded(t *testing.T) {
	failure := &errors.TransporterRequestError{
		Server: "files", Action: "tools/call", ID: "7", Kind: errors.KindSession, Delivery: errors.DeliveryRefused,
		Code: -32000, Message: "lost", Data: json.RawMessage(`{"why":"restart"}`), Attempts: 2,
		Status: 404, RetryAfter: 3e9, Challenge: []string{`Bearer realm="x"`}, Snippet: "gone", Stderr: "oops",
		Err: fmt.Errorf("the session: %w", errors.Join(errors.ErrSessionLost, io.ErrUnexpectedEOF)),
	}
	for i := range reflect.TypeFor[errors.TransporterRequestError]().NumField() {
		field := reflect.ValueOf(*failure).Field(i)
		require.False(t, field.IsZero(), "a field that is not tried: %s", reflect.TypeOf(*failure).Field(i).Name)
	}
	for name, err := range map[string]error{
		"of a request": failure,
		"wrapped":      context.Canceled,
		"a peer's":     &errors.TransporterRequestError{Server: "s", Kind: errors.KindPeer, Delivery: errors.DeliveryAnswered, Code: -32602, Message: "bad", Data: json.RawMessage(`{"at": [1, "<&>"]}`)},
	} {
		t.Run(name, func(t *testing.T) {
			path := cassettePath(t)
			recorder := mcptest.NewRecorder(path)
			look(recorder.Wrap(transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
				return mcp.Result{}, err
			})), "x", nil)
			require.NoError(t, recorder.Save())
			again := look(mcptest.Replay(t, path), "x", nil).err
			require.EqualError(t, again, err.Error())
			assert.Equal(t, errors.SafeToRetry(err), errors.SafeToRetry(again))
			for _, sentinel := range []error{errors.ErrSessionLost, io.ErrUnexpectedEOF, context.Canceled, errors.ErrPeerLost} {
				assert.Equal(t, errors.Is(err, sentinel), errors.Is(again, sentinel), sentinel)
			}
			if want, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
				got, _ := errors.AsType[*errors.TransporterRequestError](again)
				clean := func(e errors.TransporterRequestError) errors.TransporterRequestError { e.Err = nil; return e }
				assert.Equal(t, clean(*want), clean(*got))
			}
		})
	}
}

// A sentinel that is new must be recorded as well.
func TestEverySentinelIsRecorded(t *testing.T) {
	files, err := filepath.Glob("../errors/*.go")
	require.NoError(t, err)
	table, err := os.ReadFile("cassette_error.go")
	require.NoError(t, err)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range regexp.MustCompile(`(?m)^(?:var )?\s*(Err\w+)\s+= New\(`).FindAllStringSubmatch(string(text), -1) {
			found++
			row := `{"` + match[1] + `", errors.` + match[1] + `}`
			assert.True(t, strings.Contains(string(table), row), "the table of sentinels in cassette_error.go lacks %s", row)
		}
	}
	require.Greater(t, found, 20)
}

const knownToken = "ghp_0123456789abcdefABCDEF0123456789abcd"

func TestSecretsStayOutOfCassettes(t *testing.T) {
	path := cassettePath(t)
	recorder := mcptest.NewRecorder(path, mcptest.WithSecrets("horse-battery"), mcptest.WithSecretMembers("SSN"))
	peer := transporters.TransporterFunc(func(_ context.Context, _ string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
		onEvent(mcptest.ParseMessage(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"token is ` + knownToken + `."}}`))
		return mcp.NewResult(json.RawMessage(`{"content":[{"type":"text","text":"you sent hunter2-and-more, horse-battery, caller-token and header-value"}],` +
			`"inputSchema":{"properties":{"password":{"type":"string"}}},"requestState":"sealed-state","maxTokens":5,"_meta":{"progressToken":"4"}}`)), nil
	})
	ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) {
		o.Token = "caller-token"
		o.Header = http.Header{"X-Api-Key": {"header-value"}}
	})
	ask := func(transporter transporters.Transporter, password string, ssn int) (mcp.Result, error) {
		params := fmt.Sprintf(`{"name":"login","arguments":{"password":%q,"ssn":%d,"user":"ann"}}`, password, ssn)
		return transporter.Request(ctx, "tools/call", json.RawMessage(params), nil)
	}
	lived, err := ask(recorder.Wrap(peer), "hunter2-and-more", 123)
	require.NoError(t, err)
	assert.Contains(t, string(lived.Raw()), "horse-battery", "the caller gets everything")
	require.NoError(t, recorder.Save())

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, secret := range []string{"hunter2", "horse-battery", "caller-token", "header-value", knownToken, "123", "sealed-state"} {
		assert.NotContains(t, string(text), secret)
	}
	for _, kept := range []string{`"user":"ann"`, `"password":{"type":"string"}`, `"maxTokens":5`, `"progressToken":"4"`, `"ssn":"***"`} {
		assert.Contains(t, string(text), kept)
	}
	again, err := ask(mcptest.Replay(t, path), "another password", 9)
	require.NoError(t, err, "a mask stands for any secret")
	assert.Contains(t, string(again.Raw()), "you sent ***, ***, *** and ***")
}

func TestSecretsStayOutOfRecordedErrors(t *testing.T) {
	path := cassettePath(t)
	recorder := mcptest.NewRecorder(path, mcptest.WithSecrets("horse-battery"))
	peer := recorder.Wrap(transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.Result{}, &errors.TransporterRequestError{
			Kind: errors.KindPeer, Message: "not horse-battery", Data: json.RawMessage(`{"apiKey": "found-by-name", "n":1}`),
			Challenge: []string{"Bearer horse-battery"}, Snippet: "horse-battery", Stderr: "key found-by-name " + knownToken,
			Err: errors.New("tried horse-battery"),
		}
	}))
	look(peer, "x", nil)
	require.NoError(t, recorder.Save())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, secret := range []string{"horse-battery", "found-by-name", knownToken} {
		assert.NotContains(t, string(text), secret)
	}
	failure, _ := errors.AsType[*errors.TransporterRequestError](look(mcptest.Replay(t, path), "x", nil).err)
	assert.JSONEq(t, `{"apiKey":"***","n":1}`, string(failure.Data))
	assert.Equal(t, "key *** ***", failure.Stderr)
}

// Calls that ran at the same time have no order; the file has one all the same.
func TestCassettesAreStable(t *testing.T) {
	record := func(order []int) string {
		path := cassettePath(t)
		recorder := mcptest.NewRecorder(path)
		var running sync.WaitGroup
		all := make(chan struct{})
		peer := recorder.Wrap(transporters.TransporterFunc(func(_ context.Context, action string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
			if action == "parallel" {
				running.Done()
				<-all
			}
			return mcp.NewResult(json.RawMessage(`{}`)), nil
		}))
		look(peer, "first", nil)
		var done sync.WaitGroup
		running.Add(len(order))
		for _, n := range order {
			done.Go(func() { look(peer, "parallel", map[string]int{"n": n}) })
		}
		running.Wait()
		close(all)
		done.Wait()
		look(peer, "last", nil)
		require.NoError(t, recorder.Save())
		text, err := os.ReadFile(path)
		require.NoError(t, err)

		replay := mcptest.Replay(t, path)
		look(replay, "first", nil)
		for _, n := range order { // in any order
			require.NoError(t, look(replay, "parallel", map[string]int{"n": n}).err)
		}
		look(replay, "last", nil)
		return string(text)
	}
	assert.Equal(t, record([]int{1, 2, 3, 4}), record([]int{4, 2, 3, 1}))
}

// weatherCassette is a file as a person could have written it.
const weatherCassette = `{"cassette":1}
{"call":1,"group":1,"action":"tools/list","params":{}}
{"call":1,"result":{"tools":[]}}
{"call":2,"group":2,"action":"tools/call","params":{"name":"weather","arguments":{"city":"Bern","days":[1,2]}}}
{"call":2,"result":{"content":[]}}
{"call":3,"group":3,"action":"tools/call","params":{"name":"weather","arguments":{"city":"Oslo","days":[3]}}}
{"call":3,"result":{"content":[1]}}
`

func writeText(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestAnUnknownCallShowsTheNearest(t *testing.T) {
	path := writeText(t, weatherCassette)
	for name, test := range map[string]struct {
		action, params string
		options        []mcptest.ReplayOption
		want           []string
	}{
		"another city": {"tools/call", `{"name":"weather","arguments":{"city":"Bonn","days":[1,2]}}`, []mcptest.ReplayOption{mcptest.Loosely()}, []string{
			`has no call of "tools/call" with params {"name":"weather"`, "nearest is call 2,", `params.arguments.city: want "Bern", got "Bonn"`}},
		"more differences": {"tools/call", `{"name":"weather","arguments":{"city":"Oslo","days":[4],"unit":"C"}}`, []mcptest.ReplayOption{mcptest.Loosely()}, []string{
			"nearest is call 3,", `params.arguments.days[0]: want 3, got 4`, `params.arguments.unit: want nothing, got "C"`}},
		"another action": {"prompts/list", `{}`, []mcptest.ReplayOption{mcptest.Loosely()}, []string{"recorded are only: tools/call, tools/list"}},
		"out of order": {"tools/call", `{"name":"weather","arguments":{"city":"Bern","days":[1,2]}}`, nil, []string{
			"not the call that comes next", `next is call 1, "tools/list"`, "nearest is call 2,"}},
		"a secret is not shown": {"tools/call", `{"name":"weather","password":"hunter2-and-more"}`, []mcptest.ReplayOption{mcptest.Loosely()}, []string{`"password":"***"`}},
	} {
		t.Run(name, func(t *testing.T) {
			fake := &fakeTB{}
			_, err := mcptest.Replay(fake, path, test.options...).Request(t.Context(), test.action, json.RawMessage(test.params), nil)
			require.Error(t, err)
			failure, ok := errors.AsType[*errors.TransporterRequestError](err)
			require.True(t, ok)
			assert.Equal(t, test.action, failure.Action)
			failures := fake.end()
			require.NotEmpty(t, failures)
			for _, want := range test.want {
				assert.Contains(t, err.Error(), want)
				assert.Contains(t, failures[0], want)
			}
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestStrictReplay(t *testing.T) {
	path := writeText(t, weatherCassette)
	fake := &fakeTB{}
	replay := mcptest.Replay(fake, path)
	require.NoError(t, look(replay, "tools/list", nil).err)
	require.Error(t, look(replay, "tools/list", nil).err, "each call once")
	failures := fake.end()
	require.Len(t, failures, 3)
	assert.Contains(t, failures[0], "which was replayed already")
	assert.Contains(t, failures[1], "never made: call 2")
	assert.Contains(t, failures[2], "never made: call 3")
}

func TestLooseReplay(t *testing.T) {
	path := writeText(t, strings.ReplaceAll(weatherCassette, `"city":"Oslo","days":[3]`, `"days":[1,2],"city":"Bern"`))
	replay := mcptest.Replay(t, path, mcptest.Loosely())
	params := json.RawMessage(`{"arguments":{"city":"Bern","days":[1,2]},"name":"weather","_meta":{"traceparent":"x"}}`)
	for _, want := range []string{`{"content":[]}`, `{"content":[1]}`, `{"content":[1]}`} {
		assert.Equal(t, want, look(replay, "tools/call", params).result, "in turn, then the last again")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := replay.Request(ended, "tools/call", params, nil)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = replay.Request(t.Context(), "tools/call", 7, nil)
	assert.ErrorIs(t, err, errors.ErrInvalidParams)
}

func TestBrokenCassettes(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no cassette":    {"servers: {}\n", "calls.jsonl:1: no line of a cassette"},
		"empty":          {"", "calls.jsonl: an empty file is no cassette"},
		"a later format": {`{"cassette":2}` + "\n", "calls.jsonl:1: not a cassette of version 1"},
		"unknown member": {`{"cassette":1}` + "\n" + `{"call":1,"evnet":{}}`, `calls.jsonl:2: no line of a cassette: json: unknown field "evnet"`},
		"no such call":   {`{"cassette":1}` + "\n" + `{"call":4,"result":{}}`, "calls.jsonl:2: call 4 has no line with its action before"},
		"no message":     {`{"cassette":1}` + "\n" + `{"call":1,"group":1,"action":"x","params":{}}` + "\n" + `{"call":1,"event":{}}`, "calls.jsonl:3: an event that is no message"},
		"nothing":        {`{"cassette":1}` + "\n" + `{"call":1,"group":1,"action":"x","params":{}}` + "\n" + `{"call":1}`, "calls.jsonl:3: call 1: neither event"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := &fakeTB{}
			mcptest.Replay(fake, writeText(t, test.text))
			failures := fake.end()
			require.NotEmpty(t, failures)
			assert.Contains(t, failures[0], test.want)
		})
	}
	fake := &fakeTB{}
	mcptest.Replay(fake, filepath.Join(t.TempDir(), "missing.jsonl"))
	assert.Contains(t, fake.end()[0], "cannot read the cassette")
}

func TestRecordWritesWhenTheTestEnds(t *testing.T) {
	path := cassettePath(t)
	fake := &fakeTB{}
	wrap := mcptest.Record(fake, path)
	look(wrap(mcptest.Replay(t, writeText(t, weatherCassette), mcptest.Loosely())), "tools/list", nil)
	require.NoFileExists(t, path)
	require.Empty(t, fake.end())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, strings.Join(strings.SplitAfter(weatherCassette, "\n")[:3], ""), string(text))
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, left, 1, "no temporary file stays")

	fake = &fakeTB{}
	mcptest.Record(fake, filepath.Join(path, "not-a-folder"))
	failures := fake.end()
	require.Len(t, failures, 1)
	assert.Contains(t, failures[0], "cannot write the cassette")
}
