package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/field"
)

// The harness is a user of the client like any other.
func TestTheHarnessUsesOnlyThePublicInterface(t *testing.T) {
	const module = "github.com/mcp-client-go/mcpclient"
	allowed := map[string]bool{"": true, "/config": true, "/errors": true, "/mcp": true, "/transporters": true, "/field": true, "/field/processes": true}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range tree.Imports {
			if path, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module); ours {
				assert.True(t, allowed[path], "%s imports %s", file, spec.Path.Value)
			}
		}
	}
}

func TestEveryActionOfTheCasesIsKnown(t *testing.T) {
	paths, err := filepath.Glob("../cases/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		c, err := field.Load(path)
		require.NoError(t, err)
		for _, action := range c.Client {
			assert.Contains(t, actions(), action.Do, path)
		}
	}
}

func TestExpand(t *testing.T) {
	action := expand(field.Action{
		Name: "tool-{{i}}", URI: "mem://{{i}}",
		Arguments: json.RawMessage(`{"n":"{{i}}","pad":"{{repeat:3:\n}}","other":"{{what}}","long":"{{repeat:x:y}}"}`),
	}, 7)
	assert.Equal(t, "tool-7", action.Name)
	assert.Equal(t, "mem://7", action.URI)
	assert.JSONEq(t, `{"n":"7","pad":"\n\n\n","other":"{{what}}","long":"{{repeat:x:y}}"}`, string(action.Arguments))
	assert.Equal(t, strings.Repeat("p", 20000), expandText("{{repeat:20000:p}}", 1))
}

func TestKinds(t *testing.T) {
	failure := func(kind errors.Kind, cause error) error {
		return fmt.Errorf("wrapped: %w", &errors.TransporterRequestError{Kind: kind, Err: cause})
	}
	for _, test := range []struct {
		err  error
		kind string
	}{
		{failure(errors.KindTimeout, errors.ErrRequestTimeout), "timeout"},
		{failure(errors.KindTimeout, context.DeadlineExceeded), "timeout"},
		{failure(errors.KindTimeout, errors.Join(errors.ErrConnectTimeout, errors.ErrRequestTimeout)), "timeout"},
		{failure(errors.KindCanceled, context.Canceled), "canceled"},
		{failure(errors.KindTransport, errors.ErrPeerLost), "closed"},
		{failure(errors.KindClosed, errors.ErrTransportClosed), "closed"},
		{failure(errors.KindUnavailable, errors.ErrSupervisionExhausted), "closed"},
		{failure(errors.KindSession, errors.ErrSessionLost), "session_lost"},
		{failure(errors.KindStatus, nil), "http_status"},
		{failure(errors.KindAuth, errors.ErrAuthRequired), "auth"},
		{failure(errors.KindProtocol, errors.ErrProtocol), "protocol"},
		{failure(errors.KindProtocol, errors.ErrMessageTooLarge), "too_large"},
		{failure(errors.KindPeer, nil), "rpc"},
		{failure(errors.KindVersion, errors.ErrVersionMismatch), "version"},
		{failure(errors.KindProtocol, errors.ErrCapabilityMissing), "unsupported"},
		{failure(errors.KindDenied, errors.ErrToolDenied), "unsupported"},
		{failure(errors.KindParams, errors.ErrInvalidParams), "unsupported"},
		{failure(errors.KindTransport, errors.ErrStartFailed), "spawn"},
		{&errors.ServerConfigurationError{Faults: []errors.Fault{{Message: "x"}}}, "config"},
		{fmt.Errorf("%w x", errors.ErrUnknownServer), "config"},
		{errUnsupported, "unsupported"},
		{errors.New("something else"), "unknown"},
	} {
		assert.Equal(t, test.kind, kindOf(test.err), "%v", test.err)
	}
}

func TestRepeatedActionsSumUp(t *testing.T) {
	h := &harness{scenario: &field.Case{}}
	outcome := h.carryOut(field.Action{Step: 3, Do: "wait", WaitMS: 30, Times: 4, Parallel: true})
	assert.True(t, outcome.OK)
	assert.Less(t, outcome.ElapsedMS, int64(120), "all at once")
	assert.GreaterOrEqual(t, outcome.ElapsedMS, int64(30))
	outcome = h.carryOut(field.Action{Step: 3, Do: "wait", WaitMS: 10, Times: 4})
	assert.GreaterOrEqual(t, outcome.ElapsedMS, int64(40), "one after the other")

	var sum field.Outcome
	sum.OK = true
	summarize(&sum, answer{result: json.RawMessage(`1`)}, nil)
	summarize(&sum, answer{}, &errors.TransporterRequestError{Kind: errors.KindPeer, Message: "first"})
	summarize(&sum, answer{result: json.RawMessage(`3`)}, nil)
	summarize(&sum, answer{}, &errors.TransporterRequestError{Kind: errors.KindStatus, Message: "second"})
	assert.False(t, sum.OK)
	assert.Equal(t, "rpc", sum.Kind)
	assert.Contains(t, sum.Message, "first")
	assert.Nil(t, sum.Result)
}

func TestWhatIsNotThereIsUnsupported(t *testing.T) {
	h := &harness{scenario: &field.Case{}}
	for _, do := range []string{"fly", "swim"} {
		outcome := h.carryOut(field.Action{Step: 1, Do: do})
		assert.False(t, outcome.OK)
		assert.Equal(t, "unsupported", outcome.Kind)
		assert.NotEmpty(t, outcome.Note)
	}
	assert.Equal(t, "closed", h.carryOut(field.Action{Step: 2, Do: "ping"}).Kind, "nothing is connected")
}

func TestAnswersOfOtherCallsAreFound(t *testing.T) {
	action := field.Action{Times: 2, Arguments: json.RawMessage(`{"n":"7","pad":"x"}`)}
	require.NoError(t, mixedUp(action, "n=7"))
	require.NoError(t, mixedUp(action, "ok:echo"))
	require.NoError(t, mixedUp(action, "other=8"))
	require.ErrorContains(t, mixedUp(action, "n=8"), `the call with n=7 got the answer "n=8"`)
}

func TestTheSectionIsThatOfTheCase(t *testing.T) {
	h := &harness{
		scenario: &field.Case{Transport: field.TransportHTTP, Settings: map[string]any{"headers": map[string]any{"X": "y"}, "nonsense": 1}},
		peer:     peer{url: "http://127.0.0.1:1/mcp"},
	}
	section := h.section(field.Action{TimeoutMS: 1500}, options{})
	assert.Equal(t, map[string]any{
		"type": "http", "base_url": "http://127.0.0.1:1/mcp", "connect_timeout": config.Of(1500 * time.Millisecond),
		"headers": map[string]any{"X": "y"}, "nonsense": 1,
	}, section)
	assert.Equal(t, "sse", h.section(field.Action{}, options{Transport: "sse"})["type"])

	outcome := h.carryOut(field.Action{Step: 1, Do: "connect"})
	assert.Equal(t, "config", outcome.Kind, "a setting that the product does not know is not passed over")
	assert.Contains(t, outcome.Message, "nonsense")
	require.NoError(t, h.closeAll())
}

func TestConfigurationFiles(t *testing.T) {
	h := &harness{scenario: &field.Case{Files: map[string]string{"b.json": "", "a.yaml": "", "work dir/": "", "run.sh": ""}}, peer: peer{directory: "d"}}
	assert.Equal(t, []string{filepath.Join("d", "a.yaml"), filepath.Join("d", "b.json")}, h.configFiles(""))
	assert.Equal(t, []string{filepath.Join("d", "c.toml")}, h.configFiles("c.toml"))
}

// One server's fault fails load_config and leaves the others usable.
func TestFaultsOfOneServer(t *testing.T) {
	directory := t.TempDir()
	text := "servers:\n  good: {type: stdio, command: [no-such-program]}\n  bad: {type: nothing}\n"
	require.NoError(t, os.WriteFile(filepath.Join(directory, "servers.yaml"), []byte(text), 0o644))
	h := &harness{scenario: &field.Case{Transport: field.TransportConfig, Files: map[string]string{"servers.yaml": text}}, peer: peer{directory: directory}}
	outcome := h.carryOut(field.Action{Step: 1, Do: "load_config"})
	assert.Equal(t, "config", outcome.Kind)
	assert.Contains(t, outcome.Message, "servers.yaml:3:")
	assert.Equal(t, "spawn", h.carryOut(field.Action{Step: 2, Do: "connect", Server: "good"}).Kind)
	assert.Equal(t, "config", h.carryOut(field.Action{Step: 3, Do: "connect", Server: "bad"}).Kind)
	assert.Equal(t, "config", h.carryOut(field.Action{Step: 4, Do: "connect", Server: "none"}).Kind)
	assert.True(t, h.carryOut(field.Action{Step: 5, Do: "close"}).OK)
}

// A `command` of one string is what other clients' files have; the cases allow to
// put it into the product's own words.
func TestTranslation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "servers.yaml")
	text := "servers:\n  a: {type: stdio, command: 'two words', args: ['$(id);*'], env: {N: 8080, E: \"\", M: \"B ${T}!\"}}\n  b: {command: [x]}\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	files, err := translate([]string{path})
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(filepath.Dir(path), "translated-servers.yaml")}, files)
	got, err := os.ReadFile(files[0])
	require.NoError(t, err)
	assert.YAMLEq(t, strings.Replace(text, "'two words'", "['two words']", 1), string(got))

	again, err := translate(files)
	require.NoError(t, err)
	assert.Equal(t, files, again, "nothing is left to do")
	for _, other := range []string{"", "servers: [", "servers: {a: 1}", "- command: x", "other: {a: {command: x}}"} {
		require.NoError(t, os.WriteFile(path, []byte(other), 0o644))
		files, err := translate([]string{path})
		require.NoError(t, err)
		assert.Equal(t, []string{path}, files, other)
	}
}
