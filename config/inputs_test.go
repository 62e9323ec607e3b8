package config

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

const filesWithInputs = `inputs:
  key: {description: API key, password: true}
  host: {description: Host, default: example.com, options: [example.com, example.org]}
  bare:
servers:
  a: {type: x, text: 'https://${input:host}/', token: 'Bearer ${input:key}', headers: {X: '${input:host}'}}
  b: {type: x, token: '${input:key}'}
`

func TestInputsAreAskedForWhenTheyAreNeeded(t *testing.T) {
	var asked []Input
	options := Options{Input: func(input Input) (string, error) {
		asked = append(asked, input)
		return input.ID + "-of-" + input.Server, nil
	}}
	c, err := ParseWith(options, "mcp.yaml", []byte(filesWithInputs))
	require.NoError(t, err)
	require.Empty(t, c.Faults())
	a, _ := c.Server("a")
	first := a.Fingerprint()
	require.Empty(t, a.Referenced("text", "token"))
	require.Empty(t, asked, "nobody is disturbed to compare or to list")

	var got everything
	require.Empty(t, a.Decode(&got))
	require.Equal(t, []Input{{ID: "host", Server: "a", Description: "Host", Default: "example.com", Options: []string{"example.com", "example.org"}}}, asked,
		"once for two values, and not yet for a secret")
	assert.Equal(t, "https://host-of-a/", got.Text)
	assert.Equal(t, []string{"host-of-a"}, a.Referenced("text", "token"), "what was answered may have to be hidden")
	assert.Equal(t, first, a.Fingerprint())

	token, err := got.Token.Reveal()
	require.NoError(t, err)
	assert.Equal(t, "Bearer key-of-a", token)
	_, err = got.Token.Reveal()
	require.NoError(t, err)
	require.Len(t, asked, 2)
	assert.Equal(t, Input{ID: "key", Server: "a", Description: "API key", Password: true}, asked[1])

	b, _ := c.Server("b")
	require.Empty(t, b.Decode(&got))
	token, err = got.Token.Reveal()
	require.NoError(t, err)
	assert.Equal(t, "key-of-b", token, "another server may be given another answer")
}

func TestInputsThatFail(t *testing.T) {
	calls := 0
	options := Options{Input: func(Input) (string, error) {
		if calls++; calls == 1 {
			return "", errors.New("no\x1bterminal")
		}
		return "x", nil
	}}
	c, err := ParseWith(options, "mcp.yaml", []byte("inputs: {key: {}}\nservers: {s: {text: '${input:key}', token: '${input:other}', env: {A: '${input:key}'}}}"))
	require.NoError(t, err)
	s, _ := c.Server("s")
	var got everything
	faults := s.Decode(&got)
	require.Len(t, faults, 3, "%v", faults)
	assert.Equal(t, `mcp.yaml:2:15: server "s": text: no answer: "no\x1bterminal"; found ${input:key}`, faults[1].String())
	assert.Equal(t, `mcp.yaml:2:37: server "s": token: no input of this id is declared under inputs; found ${input:other}; allowed: key`, faults[2].String())
	require.Len(t, s.Decode(&got), 2, "an error is not remembered")

	c = parse(t, "mcp.yaml", "inputs: {key: {}}\nservers: {s: {type: x, token: '${input:key}', text: '${input:key}'}}")
	s, _ = c.Server("s")
	faults = s.Decode(&got)
	require.Len(t, faults, 2, "a backend has nobody to ask")
	assert.Equal(t, `mcp.yaml:2:24: server "s": token: there is nobody here who could be asked for input; found ${input:key}; allowed: ${VAR} or ${file:path} in its place`, faults[0].String())
	_, err = NewSecret("${input:key}").Reveal()
	require.ErrorContains(t, err, "nobody here")
}

func TestInputsThatAreDeclaredWrongly(t *testing.T) {
	for text, want := range map[string]string{
		"inputs: [1]":                         "mcp.yaml:1:1: inputs: not a map; found a list; allowed: a map of ids",
		"inputs: {'a b': {}}":                 "mcp.yaml:1:10: inputs.a b: this cannot be the id of an input; allowed: letters, digits and . _ -",
		"inputs: {key: 1}":                    "mcp.yaml:1:10: inputs.key: the section is not a map of keys; found a number; allowed: a map",
		"inputs: {key: {pasword: true}}":      "mcp.yaml:1:16: inputs.key.pasword: unknown key; did you mean \"password\"?",
		"inputs: {key: {options: 'a, b'}}":    "mcp.yaml:1:16: inputs.key.options: a list of words is wanted, since no shell is used that would split a string; found a string; allowed: a list, such as [first, second]",
		"inputs: {key: {default: '${GONE}'}}": "mcp.yaml:1:16: inputs.key.default: the environment variable is not set and has no default; found ${GONE}",
	} {
		c, err := ParseWith(Options{LookupEnv: func(string) (string, bool) { return "", false }}, "mcp.yaml", []byte(text+"\nservers: {}\n"))
		require.NoError(t, err)
		require.Len(t, c.Faults(), 1, text)
		assert.Equal(t, want, c.Faults()[0].String())
	}
	assert.Empty(t, parse(t, "mcp.yaml", "inputs:\nservers: {}").Faults())
}

func TestOneQuestionForManyWhoNeedTheAnswer(t *testing.T) {
	var asked atomic.Int32
	begun, proceed := make(chan struct{}), make(chan struct{})
	options := Options{Input: func(Input) (string, error) {
		asked.Add(1)
		close(begun)
		<-proceed
		return "x", nil
	}}
	c, err := ParseWith(options, "mcp.yaml", []byte("inputs: {key: {}}\nservers: {s: {type: x, text: '${input:key}'}}"))
	require.NoError(t, err)
	s, _ := c.Server("s")
	var waiting sync.WaitGroup
	for range 8 {
		waiting.Go(func() {
			var got everything
			assert.Empty(t, s.Decode(&got))
			assert.Equal(t, "x", got.Text)
		})
	}
	<-begun
	assert.Empty(t, s.Referenced("text"), "nobody waits only to look")
	close(proceed)
	waiting.Wait()
	assert.Equal(t, int32(1), asked.Load())
}

func TestAQuestionThatPanics(t *testing.T) {
	c, err := ParseWith(Options{Input: func(Input) (string, error) { panic("x") }}, "mcp.yaml", []byte("inputs: {key: {}}\nservers: {s: {text: '${input:key}'}}"))
	require.NoError(t, err)
	s, _ := c.Server("s")
	for range 2 { // nobody is left waiting
		assert.Panics(t, func() { s.Decode(&everything{}) })
	}
}
