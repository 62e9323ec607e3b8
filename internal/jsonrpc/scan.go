// Package jsonrpc reads and writes JSON-RPC 2.0 envelopes as bytes.
//
// Scan takes one envelope apart in a single validating pass; the parts are
// slices of the input, so nothing is copied and params and results are decoded
// only by whom they concern. The Append functions write envelopes on one line
// without a newline. Everything is safe for concurrent use: there is no state.
package jsonrpc

import (
	"bytes"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

var (
	// ErrBatch: the text is an array, as 2025-03-26 allows (R018). ScanBatch
	// reads it.
	ErrBatch = errors.New("JSON-RPC batch")
	// ErrEnvelope: the text is JSON, but not a JSON-RPC 2.0 message.
	ErrEnvelope = errors.New("not a JSON-RPC 2.0 message")
)

// members is the set of envelope members seen so far.
type members uint8

const (
	hasVersion members = 1 << iota
	hasID
	hasMethod
	hasParams
	hasResult
	hasError
)

// Scan reads one message. Its slices alias data, which belongs to the message
// from then on. White space around it is allowed, anything else behind it is
// not.
//
// Member names are matched exactly (P14). The version must be there and be
// "2.0" (R001); an id must be a string, a number or null (R003); params must be
// an object, an array or null. A member that occurs twice is an error, and so
// is a method beside a result or an error, or a message that has none of the
// three. Since some serializers write every member, a null method counts as
// absent, as does a null error or result beside the other one; a result of null
// on its own is a result (P17). Unknown members are ignored.
//
// Errors: ErrBatch for an array; ErrEnvelope for other JSON; else one of
// jsonscan's, ErrUTF8 among them.
func Scan(data []byte) (mcp.Message, error) {
	cursor := jsonscan.NewCursor(data)
	switch cursor.Kind() {
	case '{':
	case '[':
		return mcp.Message{}, ErrBatch
	default:
		if err := jsonscan.Check(data); err != nil {
			return mcp.Message{}, err
		}
		return mcp.Message{}, fmt.Errorf("%w: not an object", ErrEnvelope)
	}
	start := cursor.Pos()
	cursor.Object()
	var m mcp.Message
	var seen members
	var problem string // the text must be valid JSON before this is reported
	for name, ok := cursor.Member(); ok; name, ok = cursor.Member() {
		member, fault := take(&m, &cursor, name)
		switch {
		case fault != "" && problem == "":
			problem = fault
		case seen&member != 0 && problem == "":
			problem = "a member occurs twice"
		}
		seen |= member
	}
	end := cursor.Pos()
	if err := cursor.End(); err != nil {
		return mcp.Message{}, err
	}
	if problem == "" {
		problem = settle(&m, seen)
	}
	if problem != "" {
		return mcp.Message{}, fmt.Errorf("%w: %s", ErrEnvelope, problem)
	}
	m.Raw = data[start:end:end]
	return m, nil
}

// take consumes the value of one member and says which it was and what is wrong
// with it.
func take(m *mcp.Message, cursor *jsonscan.Cursor, name []byte) (member members, problem string) {
	if string(name) == "result" {
		takeResult(m, cursor)
		return hasResult, ""
	}
	kind := cursor.Kind()
	value := cursor.Value()
	switch string(name) {
	case "jsonrpc":
		if string(value) != `"2.0"` {
			problem = `"jsonrpc" is not "2.0"`
		}
		return hasVersion, problem
	case "id":
		m.ID = mcp.ID(value)
		if kind != '0' && kind != '"' && kind != 'n' {
			problem = `"id" is neither a string nor a number`
		}
		return hasID, problem
	case "method":
		switch {
		case kind == '"' && len(value) > len(`""`):
			m.Method = methodName(value)
		case kind != 'n':
			problem = `"method" is not a name`
		}
		return hasMethod, problem
	case "params":
		m.Params = value
		if kind != '{' && kind != '[' && kind != 'n' {
			problem = `"params" is neither an object nor an array`
		}
		return hasParams, problem
	case "error":
		m.Error = value
		return hasError, ""
	default:
		return 0, ""
	}
}

// takeResult consumes the result, and notices of what it mostly consists: a long
// string, or a list of many short ones.
func takeResult(m *mcp.Message, cursor *jsonscan.Cursor) {
	start := cursor.Pos()
	var member jsonscan.Span
	if cursor.Object() {
		for _, ok := cursor.Member(); ok; _, ok = cursor.Member() {
			from := cursor.Pos()
			cursor.Value()
			member.Offer(from, cursor.Pos())
		}
	} else {
		cursor.Value()
	}
	long := cursor.Longest().Within(start, cursor.Pos())
	if long.Len() < member.Len()/2 {
		long = member.Within(start, cursor.Pos())
	}
	m.Result, m.LongValue = cursor.Slice(start), long
}

// settle applies the rules between members.
func settle(m *mcp.Message, seen members) (problem string) {
	if seen&hasVersion == 0 {
		return `"jsonrpc" is missing`
	}
	if m.Method != "" {
		if isNull(m.Error) {
			m.Error = nil
		}
		if isNull(m.Result) {
			m.Result = nil
		}
		if m.Result != nil || m.Error != nil {
			return "it has a method and an answer"
		}
		return ""
	}
	if m.Result != nil && m.Error != nil {
		switch {
		case isNull(m.Error):
			m.Error = nil
		case isNull(m.Result):
			m.Result = nil
		default:
			return "it has a result and an error"
		}
	}
	if m.Result == nil && m.Error == nil {
		return "it has no method, result or error"
	}
	return ""
}

func isNull(value []byte) bool { return string(value) == "null" }

// ScanBatch reads an array of messages, or a single one. Messages that can be
// read are returned also when others cannot; the error then tells the first
// fault and its index. An array without elements is an error. If the array
// itself is not valid JSON there are no messages. Slices alias data.
func ScanBatch(data []byte) ([]mcp.Message, error) {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 || data[0] != '[' {
		m, err := Scan(data)
		if err != nil {
			return nil, err
		}
		return []mcp.Message{m}, nil
	}
	if err := jsonscan.Check(data); err != nil {
		return nil, err
	}
	var messages []mcp.Message
	var first error
	cursor := jsonscan.TrustedCursor(data)
	cursor.Array()
	index := 0
	for ; cursor.Element(); index++ {
		m, err := Scan(cursor.Value())
		switch {
		case err == nil:
			messages = append(messages, m)
		case first == nil:
			first = fmt.Errorf("batch element %d: %w", index, err)
		}
	}
	if index == 0 {
		return nil, fmt.Errorf("%w: empty batch", ErrEnvelope)
	}
	return messages, first
}
