package form

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/cmd/mcpclient/internal/terminal"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asking is an asker whose user has typed ahead.
func asking(t *testing.T, typed string) (*Asker, *bytes.Buffer) {
	var out bytes.Buffer
	lookup := func(string) (string, bool) { return "", false }
	asker := NewAsker(NewLines(strings.NewReader(typed)), terminal.NewOutput(&out, terminal.ColorNever, lookup), func() func() { return func() {} })
	t.Cleanup(func() { drain(asker.lines) })
	return asker, &out
}

const person = `{"type":"object","properties":{
	"name": {"type":"string","title":"Name","description":"Your full name","minLength":2},
	"age": {"type":"integer","minimum":0,"default":30},
	"mail": {"type":"string","format":"email"},
	"sure": {"type":"boolean"},
	"color": {"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]},
	"size": {"type":"string","enum":["s","m"],"enumNames":["Small","Medium"]},
	"tags": {"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":1}
},"required":["name","sure"]}`

func TestForms(t *testing.T) {
	for name, test := range map[string]struct {
		schema string
		typed  []string
		action string
		want   string // the content
		shown  []string
	}{
		"filled in": {
			person, []string{"", "Ada", "", "ada@example.com", "y", "2", "Medium", "1, c", ""},
			mcp.ElicitAccept, `{"name":"Ada","age":30,"mail":"ada@example.com","sure":true,"color":"g","size":"m","tags":["a","c"]}`,
			[]string{`The server "db" asks you:`, "  Who are you?", "Name (string)\n  Your full name\n> ", "[30] > ", "  2) g (Green)", "  Name: Ada\n", "  tags: a, c\n"},
		},
		"what is wrong is asked for again": {
			person, []string{"yes", "", "A", "Ada", "-", "-3", "5", "nobody", "-", "perhaps", "no", "-", "-", "x", "b", "yes"},
			mcp.ElicitAccept, `{"name":"Ada","age":5,"sure":false,"tags":["b"]}`,
			[]string{"  it is required\n", `  "name" length must be at least 2`, `  "age" must be of type integer`, `"age" must be at least 0`, `"mail" must be of format email`, `"sure" must be`, `"tags" has an element`, "  mail: (left out)\n"},
		},
		"edited": {
			`{"properties":{"a":{"type":"string"}}}`, []string{"", "one", "edit", "two", "y"},
			mcp.ElicitAccept, `{"a":"two"}`, []string{"[one] > "},
		},
		"declined at once":           {person, []string{"n"}, mcp.ElicitDecline, "", nil},
		"declined in the end":        {`{"properties":{"a":{}}}`, []string{"", "x", "no"}, mcp.ElicitDecline, "", nil},
		"cancelled":                  {person, []string{"what?", "c"}, mcp.ElicitCancel, "", []string{"one of yes, no, cancel is wanted"}},
		"the end of the input":       {person, []string{"yes", "Ada"}, mcp.ElicitCancel, "", nil},
		"no fields, agreed":          {`{"type":"object","properties":{}}`, []string{"", "yes"}, mcp.ElicitAccept, `{}`, []string{"Do you agree?"}},
		"no schema, declined":        {``, []string{"no"}, mcp.ElicitDecline, "", nil},
		"a field of an unknown type": {`{"properties":{"a":{"type":"hologram"}},"required":["a"]}`, []string{"", "x", ""}, mcp.ElicitCancel, "", []string{"must be of type hologram"}},
	} {
		t.Run(name, func(t *testing.T) {
			asker, out := asking(t, strings.Join(test.typed, "\n")+"\n")
			answer, err := asker.Form(t.Context(), "db", &mcp.ElicitRequest{Message: "Who are you?", RequestedSchema: json.RawMessage(test.schema)})
			require.NoError(t, err)
			assert.Equal(t, test.action, answer.Action, out.String())
			if test.want == "" {
				assert.Nil(t, answer.Content)
			} else {
				content, err := answer.RawContent()
				require.NoError(t, err)
				assert.JSONEq(t, test.want, string(content))
			}
			for _, text := range test.shown {
				assert.Contains(t, out.String(), text)
			}
		})
	}
}

func TestPages(t *testing.T) {
	for name, test := range map[string]struct {
		url, typed string
		action     string
		shown      []string
	}{
		"agreed":                      {"https://example.com/a?b=c", "y", mcp.ElicitAccept, []string{`The server "db" asks you to open a page:`, "  at example.com\n", "  https://example.com/a?b=c\n"}},
		"an empty line is no consent": {"https://example.com/", "\n\nno", mcp.ElicitDecline, []string{"yes, no, cancel is wanted"}},
		"cancelled":                   {"https://example.com/", "cancel", mcp.ElicitCancel, nil},
		"another host":                {"https://bank.com@evil.example/", "no", mcp.ElicitDecline, []string{"  at evil.example\n", "careful: what stands before the @"}},
		"odd letters":                 {"https://xn--pple-43d.com/", "no", mcp.ElicitDecline, []string{"careful: the host's name has letters"}},
		"no encryption":               {"http://example.com/", "no", mcp.ElicitDecline, []string{"careful: the connection is not encrypted"}},
		"on this machine":             {"http://localhost:3000/", "yes", mcp.ElicitAccept, nil},
		"a script":                    {"javascript:alert(1)", "yes", mcp.ElicitDecline, []string{"is no address of a page"}},
		"no address":                  {"::", "yes", mcp.ElicitDecline, nil},
		"a hostile address":           {"https://example.com/\u202e\u009b2J", "no", mcp.ElicitDecline, []string{`\u202e`}},
	} {
		t.Run(name, func(t *testing.T) {
			asker, out := asking(t, test.typed+"\n")
			answer, err := asker.URL(t.Context(), "db", &mcp.ElicitRequest{Mode: mcp.ElicitModeURL, Message: "Log in", URL: test.url})
			require.NoError(t, err)
			assert.Equal(t, test.action, answer.Action, out.String())
			for _, text := range test.shown {
				assert.Contains(t, out.String(), text)
			}
			assert.Equal(t, name == "agreed" || name == "on this machine", !strings.Contains(out.String(), "careful") && answer.Action == mcp.ElicitAccept)
		})
	}
}

func TestServersTextIsEscaped(t *testing.T) { // P103
	hostile := "red\x1b[31m \u202e\x07"
	schema, err := json.Marshal(map[string]any{"properties": map[string]any{hostile: map[string]any{
		"type": "string", "title": hostile, "description": hostile, "enum": []string{hostile}, "enumNames": []string{hostile + "!"}, "default": hostile,
	}}})
	require.NoError(t, err)
	asker, out := asking(t, "\n\n\n")
	answer, err := asker.Form(t.Context(), hostile, &mcp.ElicitRequest{Message: hostile, RequestedSchema: schema})
	require.NoError(t, err)
	require.Equal(t, mcp.ElicitAccept, answer.Action)
	for _, r := range out.String() {
		assert.False(t, terminal.IsUnprintable(r), "%q", out.String())
	}
}

func TestServersCannotAskForEver(t *testing.T) { // R206
	asker, out := asking(t, strings.Repeat("no\n", 100))
	for range maxQuestions + 1 {
		_, err := asker.Form(t.Context(), "db", &mcp.ElicitRequest{Message: "Once more?"})
		require.NoError(t, err)
	}
	assert.Equal(t, maxQuestions, strings.Count(out.String(), "Once more?"))
	assert.Contains(t, out.String(), "further questions are declined")
}

// drain reads what is left, so that the reading goroutine ends.
func drain(lines *Lines) {
	lines.begin.Do(func() { close(lines.lines) })
	for range lines.lines {
	}
}

func TestAQuestionEndsWithItsContext(t *testing.T) {
	input, typing := io.Pipe()
	var out bytes.Buffer
	lookup := func(string) (string, bool) { return "", false }
	paused, resumed := 0, 0
	asker := NewAsker(NewLines(input), terminal.NewOutput(&out, terminal.ColorNever, lookup), func() func() {
		paused++
		return func() { resumed++ }
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(io.ErrClosedPipe) })
	_, err := asker.Form(ctx, "db", &mcp.ElicitRequest{Message: "Well?"})
	require.ErrorIs(t, err, io.ErrClosedPipe)
	assert.Equal(t, 1, paused)
	assert.Equal(t, 1, resumed)

	go func() { _, _ = io.WriteString(typing, "no\n"); _ = typing.Close() }()
	answer, err := asker.Form(t.Context(), "db", &mcp.ElicitRequest{Message: "Well?"})
	require.NoError(t, err)
	assert.Equal(t, mcp.ElicitDecline, answer.Action, "the next question gets an answer")
	drain(asker.lines)
}

// While one question is asked, others wait for their turn.
func TestOneQuestionAtATime(t *testing.T) {
	asker, out := asking(t, "no\nno\n")
	done := make(chan struct{})
	for range 2 {
		go func() {
			defer func() { done <- struct{}{} }()
			_, err := asker.Form(context.Background(), "db", &mcp.ElicitRequest{Message: "Well?"})
			assert.NoError(t, err)
		}()
	}
	<-done
	<-done
	assert.Equal(t, 2, strings.Count(out.String(), "The server"))
	assert.Equal(t, 2, strings.Count(out.String(), "Do you agree?"))
}
