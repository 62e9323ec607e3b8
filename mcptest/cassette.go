package mcptest

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// A cassette is a text file of JSON lines, made to be read and compared by
// people. The first line is its head, then come the lines of each call:
//
//	{"cassette":1}
//	{"call":1,"group":1,"action":"tools/call","params":{...}}
//	{"call":1,"event":{...}}    a message that belongs to the call
//	{"call":1,"answer":{...}}   the last event, whose result is the call's result
//	{"call":1,"result":{...}}   the result, where no event has it
//	{"call":1,"envelope":{...}} a result that is the whole envelope
//	{"call":1,"error":{...}}    why there is no result
//
// Calls of one group ran at the same time. JSON is spliced in as it came, byte
// for byte. What spans several lines stands in a string, under the same name
// with Text behind it.

// cassetteVersion is the version of the format.
const cassetteVersion = 1

// recordedCall is one call of a cassette.
type recordedCall struct {
	action  string
	params  json.RawMessage
	events  []mcp.Message
	result  mcp.Result
	failure *recordedFailure

	began, ended int
	number       int // from 1, in the file
	group        int
}

// answers reports whether the last event holds the call's result.
func (c *recordedCall) answers() bool {
	if len(c.events) == 0 || c.failure != nil {
		return false
	}
	last := mcp.ResultOf(&c.events[len(c.events)-1])
	return !last.IsZero() && last.IsEnvelope() == c.result.IsEnvelope() && bytes.Equal(last.Raw(), c.result.Raw())
}

// inOrder numbers calls and groups, and sorts each group.
func inOrder(calls []recordedCall) []recordedCall {
	slices.SortFunc(calls, func(a, b recordedCall) int { return cmp.Compare(a.began, b.began) })
	group, until := 0, 0
	for i := range calls {
		if calls[i].began > until {
			group++
		}
		until = max(until, calls[i].ended)
		calls[i].group = group
	}
	slices.SortStableFunc(calls, func(a, b recordedCall) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.action, b.action), bytes.Compare(a.params, b.params))
	})
	for i := range calls {
		calls[i].number = i + 1
	}
	return calls
}

// cassetteLine is any line of a cassette.
type cassetteLine struct {
	Cassette     int              `json:"cassette"`
	Call         int              `json:"call"`
	Group        int              `json:"group"`
	Action       string           `json:"action"`
	Params       json.RawMessage  `json:"params"`
	Event        json.RawMessage  `json:"event"`
	EventText    string           `json:"eventText"`
	Answer       json.RawMessage  `json:"answer"`
	AnswerText   string           `json:"answerText"`
	Result       json.RawMessage  `json:"result"`
	ResultText   string           `json:"resultText"`
	Envelope     json.RawMessage  `json:"envelope"`
	EnvelopeText string           `json:"envelopeText"`
	Error        *recordedFailure `json:"error"`
}

func writeCassette(path string, calls []recordedCall) error {
	text := fmt.Appendf(nil, `{"cassette":%d}`+"\n", cassetteVersion)
	for i := range calls {
		text = calls[i].append(text)
	}
	if err := replaceFile(path, text); err != nil {
		return fmt.Errorf("cannot write the cassette: %w", err)
	}
	return nil
}

// append appends the call's lines.
func (c *recordedCall) append(text []byte) []byte {
	text = fmt.Appendf(text, `{"call":%d,"group":%d,"action":%s,"params":%s}`+"\n", c.number, c.group, encode(c.action), oneLine(c.params))
	answers := c.answers()
	for i, event := range c.events {
		name := "event"
		if answers && i == len(c.events)-1 {
			name = "answer"
		}
		text = c.appendLine(text, name, event.Raw)
	}
	switch {
	case c.failure != nil:
		return c.appendLine(text, "error", encode(c.failure))
	case answers:
		return text
	case c.result.IsEnvelope():
		return c.appendLine(text, "envelope", c.result.Raw())
	default:
		return c.appendLine(text, "result", c.result.Raw())
	}
}

func (c *recordedCall) appendLine(text []byte, name string, value json.RawMessage) []byte {
	if jsonscan.HasRawNewline(value) {
		name, value = name+"Text", encode(string(value))
	}
	return fmt.Appendf(text, `{"call":%d,"%s":%s}`+"\n", c.number, name, value)
}

// oneLine takes white space out of params that span several lines.
func oneLine(params json.RawMessage) json.RawMessage {
	if len(params) == 0 {
		return json.RawMessage(`{}`)
	}
	return rawJSON(params)
}

// replaceFile writes a file at once.
func replaceFile(path string, content []byte) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // gone after the rename
	_, err = file.Write(content)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// readCassette reads a file that writeCassette wrote, or a person changed.
func readCassette(path string) ([]*recordedCall, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the cassette: %w", err)
	}
	defer func() { _ = file.Close() }()
	var calls []*recordedCall
	reader := bufio.NewReader(file)
	for number := 1; ; number++ {
		text, err := reader.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("cannot read the cassette: %w", err)
		}
		if len(bytes.TrimSpace(text)) > 0 {
			if calls, err = addLine(calls, text, number); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, number, err)
			}
		} else if err == io.EOF && number == 1 {
			return nil, fmt.Errorf("%s: an empty file is no cassette", path)
		} else if err == io.EOF {
			return calls, nil
		}
	}
}

func addLine(calls []*recordedCall, text []byte, number int) ([]*recordedCall, error) {
	var line cassetteLine
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&line); err != nil {
		return nil, fmt.Errorf("no line of a cassette: %w", err)
	}
	switch {
	case number == 1 && line.Cassette != cassetteVersion:
		return nil, fmt.Errorf("not a cassette of version %d: the first line must be {\"cassette\":%d}", cassetteVersion, cassetteVersion)
	case number == 1:
		return calls, nil
	case line.Action != "":
		return append(calls, &recordedCall{action: line.Action, params: line.Params, group: line.Group, number: line.Call}), nil
	}
	at := slices.IndexFunc(calls, func(c *recordedCall) bool { return c.number == line.Call })
	if at < 0 {
		return nil, fmt.Errorf("call %d has no line with its action before", line.Call)
	}
	return calls, calls[at].take(line)
}

// take adds what a line says to its call.
func (c *recordedCall) take(line cassetteLine) error {
	either := func(value json.RawMessage, text string) json.RawMessage {
		if text != "" {
			return json.RawMessage(text)
		}
		return value
	}
	event, answer := either(line.Event, line.EventText), either(line.Answer, line.AnswerText)
	result, envelope := either(line.Result, line.ResultText), either(line.Envelope, line.EnvelopeText)
	switch {
	case event != nil || answer != nil:
		m, err := jsonrpc.Scan(append(event, answer...))
		if err != nil {
			return fmt.Errorf("an event that is no message: %w", err)
		}
		c.events = append(c.events, m)
		if answer != nil {
			c.result = mcp.ResultOf(&m)
		}
	case result != nil:
		c.result = mcp.NewResult(result)
	case envelope != nil:
		c.result = mcp.EnvelopeResult(envelope)
	case line.Error != nil:
		c.failure = line.Error
	default:
		return fmt.Errorf("call %d: neither event, answer, result, envelope nor error", line.Call)
	}
	for _, text := range []json.RawMessage{result, envelope} {
		if text != nil && !jsonscan.Valid(text) {
			return fmt.Errorf("call %d: the result is not JSON", line.Call)
		}
	}
	return nil
}
